"""Rule diagnose: per split, lambda_max of the training part and whether w = 0 is optimal there."""

import csv
import gc
import json
import sys
from pathlib import Path

COLUMNS = (
    "dataset",
    "features",
    "split",
    "lambda_max",
    "zero_is_optimal",
    "constant_features",
    "n_train_positives",
    "n_train_negatives",
)


def rows():
    """Yield one row a split; none where the data set was not obtained."""
    manifest = json.loads(Path(snakemake.input.manifest).read_text(encoding="utf-8"))
    if manifest["status"] == "not obtained":
        return
    from toprank.datasets import load_prepared
    from toprank.datasets.prepare import constant_features
    from toprank.datasets.splits import Splits
    from toprank.methods import standardise
    from toprank.problems.rows import take_rows
    from toprank.solvers.zero_optimum import lambda_max, zero_is_optimal

    dataset, features = snakemake.wildcards.dataset, snakemake.wildcards.features
    prepared = load_prepared(Path(snakemake.input.arrays).parent)
    splits = Splits.load(snakemake.input.splits)
    for split in range(splits.seeds.size):
        train = splits.train(split)
        X, relevant = take_rows(prepared.X, train), prepared.y[train] > 0
        if features == "standardised":
            X, _ = standardise(X, X[:1])
        parts = take_rows(X, relevant), take_rows(X, ~relevant)
        counts = int(relevant.sum()), int((~relevant).sum())
        if all(counts):
            answers = lambda_max(*parts), zero_is_optimal(*parts)
            print(f"split {split}: lambda_max {answers[0]:.6g}, w = 0 optimal: {answers[1]}", file=log)
        else:
            answers = "", ""  # nothing to rank: the fits of this split are rows that say so
            print(f"split {split}: the training part has a single class, no lambda_max", file=log)
        yield (dataset, features, split, *answers, len(constant_features(X)), *counts)


with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
):
    try:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows())
    except Exception as error:
        print(error, file=log)
        sys.exit(str(error))
gc.freeze()  # or the end of the process walks through all that was imported
