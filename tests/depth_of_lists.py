"""What a depth is worth: ``python tests/depth_of_lists.py [--splits 10] results/data/NAME/arrays.npz ...``.

For each prepared list, the smaller class being positive: the smallest depth that can work, K*, as a share of
the negatives, and on stratified splits (2/3 to train, features standardised there) average precision,
precision at 10 and recall at a false positive rate of 1 % of four models: logistic regression without and
with balanced weights of the classes, TopPush at depth 1, and TopPush with the depth searched. Average
precision on three folds of the training part chooses the regularisation of each (six values) and the depth.
"""

import argparse
import csv
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from toprank import TopPush
from toprank.metrics import average_precision, precision_at_k, recall_at_fpr

#: Shares of the negatives; a share of less than two rows is left out (a fold has fewer).
DEPTHS = (0.01, 0.05, 0.2, 0.5, 0.999)
#: Multiples of `TopPush.alpha_max`, and values of C of the logistic regression.
SHARES, CS = np.geomspace(10.0, 1e-4, 6), np.geomspace(1e-4, 10.0, 6)
METRICS = {
    "ap": average_precision,
    "p10": lambda y, scores: precision_at_k(y, scores, 10),
    "r01": lambda y, scores: recall_at_fpr(y, scores, max_fpr=0.01),
}


def read_list(path):
    """Rows and a mask of the smaller class."""
    with np.load(path) as file:
        stored = {name: file[name] for name in file.files}
    if "X" in stored:
        X = stored["X"].astype(float)
    elif "X_data" in stored:
        parts = stored["X_data"], stored["X_indices"], stored["X_indptr"]
        X = sp.csr_array(parts, shape=tuple(stored["X_shape"])).toarray()
    else:
        X = np.load(Path(path).with_name("X.npy")).astype(float)
    positive = stored["y"] > stored["y"].min()
    return X, (positive if positive.mean() <= 0.5 else ~positive)


def make_candidates(X, y, depths):
    """Yield the TopPush models of a grid; those of a depth at which w = 0 is always optimal are left out."""
    for depth in depths:
        if depth < 1 and depth * np.count_nonzero(~y) < 2:
            continue
        largest = TopPush(depth=depth).alpha_max(X, y)
        if largest > 0.0:
            yield from (TopPush(share * largest, depth=depth, tol=1e-6) for share in SHARES)


def measure(model, part, other_part):
    """Fit a model, and return the metrics of the other part."""
    model.fit(*part)
    X, y = other_part
    scores = model.decision_function(X)
    return {name: metric(y, scores) for name, metric in METRICS.items()}


def choose(candidates, X, y):
    """Return the candidate of the best mean average precision on three folds; None of no candidates."""
    folds = list(StratifiedKFold(3).split(X, y))
    means = [
        np.mean([measure(model, (X[fit], y[fit]), (X[held], y[held]))["ap"] for fit, held in folds])
        for model in candidates
    ]
    return candidates[int(np.argmax(means))] if candidates else None


def compare(X, y, train, test):
    """Model -> metrics on the test part; a constant scorer where no depth-1 model exists."""
    scaler = StandardScaler().fit(X[train])
    part, other_part = (scaler.transform(X[train]), y[train]), (scaler.transform(X[test]), y[test])
    grids = {
        "logistic": [LogisticRegression(C=C, max_iter=2000) for C in CS],
        "logistic, balanced": [LogisticRegression(C=C, class_weight="balanced", max_iter=2000) for C in CS],
        "depth 1": list(make_candidates(*part, (1,))),
        "depth searched": list(make_candidates(*part, (1, *DEPTHS))),
    }
    values = {}
    for name, candidates in grids.items():
        best = choose(candidates, *part)
        if best is None:
            constant = np.zeros(len(test))
            values[name] = {key: metric(other_part[1], constant) for key, metric in METRICS.items()}
        else:
            values[name] = measure(best, part, other_part)
        values[name]["depth"] = getattr(best, "depth", np.nan)
    return values


def main():
    """Print a row for each list and model, as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    columns = ["list", "positives", "negatives", "smallest_depth", "model", "depth", *METRICS]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for file in options.files:
        X, y = read_list(file)
        n = np.count_nonzero(~y)
        share = TopPush().smallest_depth(X, y) / n
        splits = StratifiedShuffleSplit(options.splits, test_size=1 / 3, random_state=0)
        results = [compare(X, y, *split) for split in splits.split(X, y)] if options.splits else []
        for model in results[0] if results else ["-"]:
            means = [
                f"{np.nanmean([result[model][name] for result in results]):.4g}" if results else ""
                for name in ("depth", *METRICS)
            ]
            row = [Path(file).parent.name, np.count_nonzero(y), n, f"{share:.4g}", model, *means]
            writer.writerow(row)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
