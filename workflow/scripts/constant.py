"""Rule constant: what L14's printed Lipschitz constant costs, on one fold of each data set."""

import csv
from pathlib import Path

from threadpoolctl import threadpool_limits

from toprank.one_fold import fold_rows
from toprank.printed_constant import COLUMNS, costs

settings = snakemake.params.constant
inputs = (settings["datasets"], snakemake.input.manifests, snakemake.input.arrays, snakemake.input.splits)


def measure(problem):
    """Yield what each solver needs on the problem of a fold, for each share of lambda_max."""
    limits = (settings["max_iter"], settings["time_limit"])
    return costs(problem, settings["shares"], settings["level"], *limits)


with (
    threadpool_limits(1),
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in fold_rows(zip(*inputs, strict=True), settings["split"], measure):
        writer.writerow({name: f"{v:.10g}" if isinstance(v, float) else v for name, v in row.items()})
        said = ("dataset", "share", "solver", "iterations", "status")
        print(*(row.get(name) for name in said), file=log)
