"""Rule figure_early_stop: variables of FenchelRank beside those of the optimum in its ball."""

import sys

import pandas as pd

from toprank.reporting.query_ranking.early_stop import figure_early_stop
from toprank.reporting.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(figure_early_stop(pd.read_csv(snakemake.input[0])), list(snakemake.output))
