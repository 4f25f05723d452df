"""Rules constant and early_stop, on one fold of each data set.

What L14's printed Lipschitz constant costs, and what FenchelRank's published stop does to its sparsity.
"""

import csv
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from reproduction.one_fold import fold_rows
from reproduction.papers.laporte2014 import constant as printed_constant
from reproduction.papers.laporte2014 import early_stop
from reproduction.papers.laporte2014.constant_figure import figure_constant
from reproduction.papers.laporte2014.early_stop_figure import figure_early_stop
from reproduction.style import save_figure

settings, files, (table, *figures) = snakemake.params.settings, snakemake.input, snakemake.output
inputs = zip(settings["datasets"], files.manifests, files.arrays, files.splits, strict=True)


def measure(problem):
    """Yield the rows of one fold."""
    if snakemake.rule == "early_stop":
        return early_stop.early_stops(problem, settings["radii"])
    limits = (settings["max_iter"], settings["time_limit"])
    return printed_constant.costs(problem, settings["shares"], settings["level"], *limits)


measured, draw = {
    "constant": (printed_constant, figure_constant),
    "early_stop": (early_stop, figure_early_stop),
}[snakemake.rule]
with (
    threadpool_limits(1),
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(table).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, measured.COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in fold_rows(inputs, settings["split"], measure):
        writer.writerow({name: f"{v:.10g}" if isinstance(v, float) else v for name, v in row.items()})
        print(*row.values(), file=log, flush=True)
save_figure(draw(pd.read_csv(table)), figures)
