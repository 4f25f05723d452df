"""Rule figure3: running time against the number of pairs."""

import sys

import pandas as pd

from toprank.reporting.infinite_push.figures import figure3
from toprank.reporting.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

save_figure(figure3(pd.read_csv(snakemake.input[0])), list(snakemake.output))
