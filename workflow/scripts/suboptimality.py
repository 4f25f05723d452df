"""Rule suboptimality: iterations and seconds of one method to levels of suboptimality on the first split."""

import csv
import gc
import json
from pathlib import Path

params, wildcards = snakemake.params, snakemake.wildcards
settings = params.suboptimality
identity = {"dataset": wildcards.dataset, "features": wildcards.features, "method": wildcards.method}


def rows():
    """Yield the rows; a single one where the data set was not obtained."""
    manifest = json.loads(Path(snakemake.input.manifest).read_text(encoding="utf-8"))
    if manifest["status"] == "not obtained":
        yield {"status": "not obtained", "message": manifest["reason"]}
        return
    from toprank.datasets import load_prepared
    from toprank.datasets.splits import Splits
    from toprank.methods import scale_features
    from toprank.problems.rows import take_rows
    from toprank.suboptimality import suboptimality

    prepared = load_prepared(Path(snakemake.input.arrays).parent)
    train = Splits.load(snakemake.input.splits).train(0)
    (X,) = scale_features(wildcards.features, take_rows(prepared.X, train))
    yield from suboptimality(
        X,
        prepared.y[train],
        wildcards.method,
        settings["alphas"],
        settings["levels"],
        params.rhos,
        settings["max_iter"],
        settings["time_limit"],
        params.admm,
    )


with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    from toprank.suboptimality import COLUMNS

    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows():
        short = {name: f"{v:.10g}" if isinstance(v, float) else v for name, v in row.items()}
        writer.writerow(identity | short)
        print({name: row.get(name) for name in ("alpha", "rho", "level", "iterations", "status")}, file=log)
gc.freeze()  # or the end of the process walks through all that was imported
