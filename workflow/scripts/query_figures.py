"""Rule query_figures: Figures 1 to 3 of L14, as SVG, PDF and PNG."""

import sys

from toprank.reporting.query_ranking.figures import figure1, figure2, figure3
from toprank.reporting.query_ranking.tables import TABLE4, TABLE5
from toprank.reporting.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

ratios, maps = TABLE4.read(snakemake.input.table4), TABLE5.read(snakemake.input.table5)
save_figure(figure1(), snakemake.output.figure1)
save_figure(figure2(ratios), snakemake.output.figure2)
save_figure(figure3(ratios, maps), snakemake.output.figure3)
