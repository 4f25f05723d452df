"""Rule rank_figure: critical-difference diagrams of a study, as SVG, PDF and PNG."""

import sys

from toprank.reporting.method_statistics.figure import rank_figure
from toprank.reporting.method_statistics.ranks import RANKS
from toprank.reporting.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(rank_figure(RANKS.read(snakemake.input[0])), list(snakemake.output))
