"""Rule dirty_traces: the methods on some draws of the dirty model, or with varied settings, step by step."""

import csv
import sys
from pathlib import Path

from toprank.dirty_traces import COLUMNS, trace_seeds, trace_varied

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, wildcards = snakemake.params, snakemake.wildcards
common = (params.seed, wildcards.study)
if wildcards.draws == "varied":
    rows = trace_varied(params.settings, *common)
else:
    first, last = map(int, wildcards.draws.split("-"))
    rows = trace_seeds(params.settings, range(first, last + 1), *common)
with Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()}
        )
