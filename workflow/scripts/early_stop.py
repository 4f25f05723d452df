"""Rule early_stop: FenchelRank with its published stop beside the certified optimum, on one fold."""

import csv
from pathlib import Path

from threadpoolctl import threadpool_limits

from toprank.early_stop import COLUMNS, early_stops
from toprank.one_fold import fold_rows

settings = snakemake.params.early_stop
inputs = (settings["datasets"], snakemake.input.manifests, snakemake.input.arrays, snakemake.input.splits)


def measure(problem):
    """Yield what FenchelRank and the optimum use in each ball."""
    return early_stops(problem, settings["radii"])


with (
    threadpool_limits(1),
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in fold_rows(zip(*inputs, strict=True), settings["split"], measure):
        writer.writerow({name: f"{v:.10g}" if isinstance(v, float) else v for name, v in row.items()})
        print(*(row.get(name) for name in ("dataset", "radius", "variables", "status")), file=log)
