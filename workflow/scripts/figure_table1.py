"""Rule figure_table1: the figure of Table 1, as SVG, PDF and PNG."""

import sys

from toprank.reporting.studies import PROTOCOLS
from toprank.reporting.style import save_figure
from toprank.reporting.table1_figure import figure_table1

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

kind = PROTOCOLS[snakemake.params.protocol]
save_figure(figure_table1(kind.form.read(snakemake.input[0]), kind.panels), list(snakemake.output))
