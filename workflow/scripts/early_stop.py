"""Rule early_stop: FenchelRank with its published stop beside the certified optimum, on one fold."""

import csv
import json
from pathlib import Path

from threadpoolctl import threadpool_limits

from toprank.early_stop import COLUMNS, early_stops

settings = snakemake.params.early_stop


def rows(dataset, manifest, arrays, splits):
    """Yield the rows of a data set; a single one where it was not obtained."""
    manifest = json.loads(Path(manifest).read_text(encoding="utf-8"))
    if manifest["status"] == "not obtained":
        yield {"status": "not obtained", "message": manifest["reason"]}
        return
    from toprank.datasets import load_prepared
    from toprank.datasets.splits import Splits
    from toprank.penalties import L1
    from toprank.problems.pairwise import PairwiseRanking

    data = load_prepared(Path(arrays).parent)
    ((_, train, _),) = Splits.load(splits).folds(settings["split"])
    problem = PairwiseRanking.of(data.X[train], data.y[train], data.qid[train], 1.0, L1())
    yield from early_stops(problem, settings["radii"])


with (
    threadpool_limits(1),
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    inputs = (settings["datasets"], snakemake.input.manifests, snakemake.input.arrays, snakemake.input.splits)
    for dataset, *files in zip(*inputs, strict=True):
        for row in rows(dataset, *files):
            short = {name: f"{v:.10g}" if isinstance(v, float) else v for name, v in row.items()}
            writer.writerow({"dataset": dataset, "split": settings["split"]} | short)
            print(dataset, row.get("radius"), row.get("variables"), row["status"], file=log)
