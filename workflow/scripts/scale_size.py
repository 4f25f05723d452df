"""Rule scale_size: cost and memory of each solver on one generated set."""

import csv
from pathlib import Path

from reproduction.papers.kadkhodaie2015.size_costs import COLUMNS, size_costs

with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    rows = int(snakemake.wildcards.rows)
    for row in size_costs(rows, **snakemake.params.scale, seed=snakemake.params.seed):
        writer.writerow(row)
        print(f"{row['solver']}: {row['seconds']:.3g} s, {row['status']}", file=log, flush=True)
