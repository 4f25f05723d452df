"""Rule scale: cost and memory against the size."""

import sys

import pandas as pd

from toprank.reporting.style import save_figure
from toprank.reporting.top_ranking.scale import figure_scale

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(figure_scale(pd.read_csv(snakemake.input[0])), list(snakemake.output))
