"""Rule figures_convergence: Figures 2 and 3 of Kadkhodaie et al. 2015."""

import sys

import pandas as pd

from toprank.reporting.style import save_figure
from toprank.reporting.top_ranking.convergence_figures import figure2, figure3

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(figure2(pd.read_csv(snakemake.input.figure2)), list(snakemake.output.figure2))
save_figure(figure3(pd.read_csv(snakemake.input.figure3)), list(snakemake.output.figure3))
