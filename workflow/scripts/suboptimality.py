"""Rule suboptimality: the data sets together, and the performance profiles of the methods."""

import sys
from pathlib import Path

import pandas as pd

from reproduction.papers.kadkhodaie2015.suboptimality import figure_suboptimality
from reproduction.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

table, *figures = snakemake.output
header, *_ = Path(snakemake.input[0]).read_text(encoding="utf-8").splitlines()
rows = [line for path in snakemake.input for line in Path(path).read_text(encoding="utf-8").splitlines()[1:]]
Path(table).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
save_figure(figure_suboptimality(pd.read_csv(table)), figures)
