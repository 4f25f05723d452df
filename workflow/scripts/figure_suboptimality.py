"""Rule figure_suboptimality: performance profiles of the methods of one objective."""

import sys

import pandas as pd

from toprank.reporting.style import save_figure
from toprank.reporting.top_ranking.suboptimality import figure_suboptimality

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(figure_suboptimality(pd.read_csv(snakemake.input[0])), list(snakemake.output))
