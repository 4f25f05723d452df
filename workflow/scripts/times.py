"""Rule times: running time of one solver against the number of pairs."""

import csv
import gc
from pathlib import Path

from toprank.running_times import COLUMNS, running_times

params, wildcards = snakemake.params, snakemake.wildcards
with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in running_times(
        wildcards.solver,
        params.times["rows"][wildcards.solver],
        int(wildcards.noise),
        params.times["share"],
        params.times["repeats"],
        params.times["time_limit"],
        params.relevant,
        params.seed,
    ):
        writer.writerow(row)
        print(f"{row['pairs']} pairs: {row['seconds']:.3g} s, {row['status']}", file=log, flush=True)
gc.freeze()  # or the end of the process walks through all that was imported
