"""Rule figure_constant: iterations to the optimum with L14's printed Lipschitz constant."""

import sys

import pandas as pd

from toprank.reporting.query_ranking.printed_constant import figure_constant
from toprank.reporting.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(figure_constant(pd.read_csv(snakemake.input[0])), list(snakemake.output))
