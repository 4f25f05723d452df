"""Rule splits: a batch of splits of one data set, with lambda_max of each and whether w = 0 is optimal.

Called with ``input.arrays`` and ``input.manifest`` of the data set (rule prepare), ``wildcards.study``,
``wildcards.dataset`` and ``wildcards.split_batch`` (first and last split, as in "0-9"), ``params.seed`` and
``params.settings``, which say how the splits are drawn. ``output.splits`` has the indices of the rows,
``output.diagnosis`` a row a split and feature scaling; it is empty where queries are ranked. A data set that
was not obtained has no splits.
"""

import csv
import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reproduction.core.atomic_io import atomic_write, read_manifest

if TYPE_CHECKING:
    from reproduction.datasets.prepared_data import PreparedDataSet
    from reproduction.splits.splits import Splits

COLUMNS = (
    *("dataset", "feature_scaling", "split", "lambda_max", "zero_is_optimal"),
    *("constant_features", "n_train_positives", "n_train_negatives"),
)
settings, wildcards = snakemake.params.settings, snakemake.wildcards
first, last = map(int, wildcards.split_batch.split("-"))
numbers = range(first, last + 1)


def draw_splits(prepared: "PreparedDataSet") -> "Splits":
    """Draw the splits as the paper of the study does.

    Parameters
    ----------
    prepared : PreparedDataSet
        The prepared data set.

    Returns
    -------
    Splits
        Splits of the numbers of this batch.
    """
    from reproduction.splits import group_splits, letor_folds, splits

    # A variant of a data set (`of`) has the seed of its original, hence the same rows in each part.
    seed = (snakemake.params.seed, wildcards.study, settings.get("of", wildcards.dataset))
    # Random splits are those of K15 (2/3 : 1/3) and of the joint study; grouped ones keep the rows of a group
    # in one part.
    if settings["kind"] in ("random", "grouped"):
        parts = settings["test_fraction"], settings["inner_folds"]
        if settings["kind"] == "grouped":
            return group_splits.draw_group_splits(prepared.y, prepared.groups, numbers, *parts, *seed)
        # The test part and each inner fold need a positive.
        group_splits.check_positive_count(np.count_nonzero(prepared.y > 0), settings["inner_folds"])
        random_splits = splits.draw_random_splits(prepared.y.size, numbers, *parts, *seed)
        sample = settings.get("search_sample")
        # A search on a part of the rows is for the largest sets alone, from a declared number of training
        # rows on.
        if sample and np.count_nonzero(random_splits.train(first)) > sample["above"]:
            random_splits = random_splits.restrict_search(prepared.y, sample["share"], *seed)
        return random_splits
    if settings["kind"] == "hold_out":
        # R12 states the number of training rows, and validates on a share of them (70/30).
        train, validation = settings["train_rows"], settings["validation_fraction"]
        return splits.draw_hold_out_splits(prepared.y, train, numbers, validation, *seed)
    # L14 uses the five folds that LETOR distributes; nothing is drawn.
    return letor_folds.rotate_letor_folds(prepared.part, numbers)


def diagnose_splits(prepared: "PreparedDataSet", splits: "Splits", feature_scaling: str) -> Iterator[tuple]:
    """Yield for each split lambda_max of its training part, and whether w = 0 is optimal there.

    Parameters
    ----------
    prepared : PreparedDataSet
        The prepared data set.
    splits : Splits
        Splits of this batch.
    feature_scaling : str
        ``raw`` or ``standardised``.

    Yields
    ------
    tuple
        Row of the table of diagnoses.
    """
    from reproduction.datasets.row_counts import find_constant_features
    from reproduction.fitting.feature_scaling import standardise
    from toprank.problems.rows import take_rows
    from toprank.problems.zero_solution import is_zero_optimal
    from toprank.solvers.regularisation_max import lambda_max

    for split in splits:
        train = splits.train(split)
        X, relevant = take_rows(prepared.X, train), prepared.y[train] > 0
        # Statistics of the training part alone, as the fits do; the second argument is only a placeholder.
        if feature_scaling == "standardised":
            X, _ = standardise(X, X[:1])
        # Positives (m x d) and negatives (n x d): lambda_max and whether w = 0 is optimal depend on these
        # alone.
        parts = take_rows(X, relevant), take_rows(X, ~relevant)
        counts = int(relevant.sum()), int((~relevant).sum())
        if all(counts):
            answers = lambda_max(*parts), is_zero_optimal(*parts)
            print(f"split {split}: lambda_max {answers[0]:.6g}, w = 0 optimal: {answers[1]}", file=log)
        else:
            answers = "", ""  # nothing to rank, as the fits of this split will report
            print(f"split {split}: the training part has a single class, no lambda_max", file=log)
        yield (wildcards.dataset, feature_scaling, split, *answers, len(find_constant_features(X)), *counts)


with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    atomic_write(snakemake.output.diagnosis) as unfinished,
    unfinished.open("w", newline="", encoding="utf-8") as file,
):
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    manifest = read_manifest(snakemake.input.manifest)
    if manifest["status"] == "not obtained":
        from reproduction.splits.splits import Splits

        Splits.create_empty().save(snakemake.output.splits)
    else:
        from reproduction.datasets.prepared_data import load_prepared

        prepared = load_prepared(Path(snakemake.input.arrays).parent)
        try:
            splits = draw_splits(prepared)
        except ValueError as error:
            sys.exit(f"{wildcards.dataset}: {error}")
        splits.save(snakemake.output.splits)
        for features in settings["feature_scaling"]:
            writer.writerows(diagnose_splits(prepared, splits, features))
gc.freeze()  # otherwise the garbage collection at exit visits all that was imported
