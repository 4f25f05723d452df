"""Rule dirty_model: the methods on draws of the dirty model and with varied settings; Figure 1 of K15."""

import csv
import sys
from pathlib import Path

import pandas as pd

from reproduction.papers.kadkhodaie2015.dirty_model import figure1
from reproduction.papers.kadkhodaie2015.dirty_traces import COLUMNS, trace_seeds, trace_varied
from reproduction.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

settings, (table, *figures) = dict(snakemake.params.settings), snakemake.output
common = (snakemake.params.seed, Path(table).parent.name)
draws = range(settings.pop("seeds"))
with Path(table).open("w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for rows in (trace_seeds(settings, draws, *common), trace_varied(settings, *common)):
        for row in rows:
            writer.writerow({name: f"{v:.6g}" if isinstance(v, float) else v for name, v in row.items()})
save_figure(figure1(pd.read_csv(table)), figures)
