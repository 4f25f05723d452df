"""Rule times: running time of each solver against the number of pairs, and its figure (R12, Figure 3)."""

import csv
from itertools import product
from pathlib import Path

import pandas as pd

from reproduction.papers.rakotomamonjy2012.figures import figure3
from reproduction.papers.rakotomamonjy2012.running_times import COLUMNS, running_times
from reproduction.style import save_figure

params = snakemake.params
times, (table, *figures) = params.times, snakemake.output
with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(table).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for (solver, rows), noise in product(times["rows"].items(), times["noise"]):
        limits = times["share"], times["repeats"], times["time_limit"]
        for row in running_times(solver, rows, noise, *limits, params.relevant, params.seed):
            writer.writerow(row)
            print(
                f"{solver}, {row['pairs']} pairs: {row['seconds']:.3g} s", row["status"], file=log, flush=True
            )
save_figure(figure3(pd.read_csv(table)), figures)
