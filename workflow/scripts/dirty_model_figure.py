"""Rule dirty_model_figure: residual and gaps of the methods on the dirty model, against the iterations."""

import sys

import pandas as pd

from toprank.reporting.style import save_figure
from toprank.reporting.top_ranking.dirty_model import figure1

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(figure1(pd.read_csv(snakemake.input[0])), list(snakemake.output))
