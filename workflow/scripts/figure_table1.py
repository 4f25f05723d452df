"""Rule figure_table1: the figure of Table 1, as SVG, PDF and PNG."""

import sys

from toprank.reporting.figures import figure_table1, save_figure
from toprank.reporting.tables import read_table1

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(figure_table1(read_table1(snakemake.input[0])), list(snakemake.output))
