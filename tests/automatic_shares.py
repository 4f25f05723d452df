"""The shares of "auto" against the best value of a grid, on lists of the mirror (docs/choosing_lambda.md).

``python tests/automatic_shares.py [--splits 10] [--sets NAME ...] [--models NAME ...]`` prints, for each
model, the mean and the largest distance of each share of the scale to the best share of each list, and that
of "auto" and of 1.0.
"""

import argparse
import csv
import os
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_svmlight_file
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from toprank import InfinitePush, RankSVM, TopPush
from toprank.estimators.automatic import compute_scale, resolve_alpha
from toprank.metrics import average_precision, rate_at_top

MIRROR = Path(os.environ.get("TOPRANK_MIRROR", Path(__file__).resolve().parents[2] / "shared/mirror"))
SHARES = 10.0 ** np.arange(1.5, -3.01, -0.25)
#: Sets with more rows are cut to so many, but for TopPush.
MAX_ROWS = 3000
MODELS = {
    "TopPush": TopPush(),
    "TopPush, depth 5 %": TopPush(depth=0.05),
    "TopPush, depth 20 %": TopPush(depth=0.2),
    "InfinitePush, l1": InfinitePush(),
    "InfinitePush, l1, depth 5 %": InfinitePush(depth=0.05),
    "InfinitePush, l1, depth 20 %": InfinitePush(depth=0.2),
    "InfinitePush, ridge": InfinitePush("l2"),
    "RankSVM, l1": RankSVM(),
    "RankSVM, ridge": RankSVM("l2"),
}
METRICS = {"rate at the top": rate_at_top, "average precision": average_precision}


def read_svmlight(name):
    """Return features and labels of a file of LIBSVM."""
    X, y = load_svmlight_file(str(MIRROR / "libsvm" / name))
    return X.toarray(), y


def read_csv(name, label, positive, ids=()):
    """Return features and labels of a file of UCI, without rows that miss a value."""
    with (MIRROR / "uci" / name).open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if len(row) > 2 and "?" not in row]
    label %= len(rows[0])
    columns = [j for j in range(len(rows[0])) if j != label and j not in ids]
    X = np.array([[float(row[j]) for j in columns] for row in rows])
    return X, np.array([row[label].strip() == positive for row in rows])


def read_spectf():
    """Return features and labels of both parts of SPECTF."""
    parts = [np.loadtxt(MIRROR / "uci" / f"SPECTF.{part}", delimiter=",") for part in ("train", "test")]
    rows = np.vstack(parts)
    return rows[:, 1:], rows[:, 0]


def read_wdbc():
    """Return features and labels of scikit-learn's breast cancer, the malignant ones positive."""
    X, y = load_breast_cancer(return_X_y=True)
    return X, 1 - y


def read_mammography():
    """Return features and labels of ADBench's mammography."""
    arrays = np.load(MIRROR / "adbench/23_mammography.npz")
    return arrays["X"], arrays["y"]


SETS = {
    "australian": lambda: read_svmlight("australian"),
    "breast-cancer": lambda: read_svmlight("breast-cancer"),
    "diabetes": lambda: read_svmlight("diabetes"),
    "ionosphere": lambda: read_csv("ionosphere.data", -1, "g"),
    "mammography": read_mammography,
    "sonar": lambda: read_csv("sonar.all-data", -1, "M"),
    "spambase": lambda: read_csv("spambase.data", -1, "1"),
    "spectf": read_spectf,
    "splice": lambda: read_svmlight("splice"),
    "wdbc": read_wdbc,
    "wpbc": lambda: read_csv("wpbc.data", 1, "R", ids=(0,)),
}


def measure_list(model, X, y, n_splits):
    """Return the mean metrics of each share, of "auto" and of 1.0; None if no value gives a model."""
    parameter = "C" if isinstance(model, RankSVM) else "alpha"
    if X.shape[0] > MAX_ROWS and not isinstance(model, TopPush):
        rows = np.random.default_rng(0).permutation(y.size)[:MAX_ROWS]
        X, y = X[rows], y[rows]
    splits = StratifiedShuffleSplit(n_splits, test_size=0.3, random_state=0).split(X, y)
    results = []
    for training, test in splits:
        scaler = StandardScaler().fit(X[training])
        learned, held_out = scaler.transform(X[training]), scaler.transform(X[test])
        scale = compute_scale(model.set_params(**{parameter: 1.0}), parameter, (learned, y[training]))
        if scale == 0.0:
            return None
        values = list(scale / SHARES if parameter == "C" else scale * SHARES)
        model.set_params(**{parameter: "auto"})
        automatic = "auto" if parameter == "C" else resolve_alpha(model, learned, y[training])
        results.append([])
        for value in (*values, automatic, 1.0):
            scores = (
                model.set_params(**{parameter: value}).fit(learned, y[training]).decision_function(held_out)
            )
            results[-1].append([metric(y[test], scores) for metric in METRICS.values()])
    return np.mean(results, axis=0)


def main():
    """Print a table for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=MODELS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lists = {name: SETS[name]() for name in options.sets}
    for model_name in options.models:
        model = MODELS[model_name]
        results = {
            name: measure_list(model, X, (y == y.max()).astype(int), options.splits)
            for name, (X, y) in lists.items()
        }
        results = {name: result for name, result in results.items() if result is not None}
        if not results:
            print(f"\n{model_name}: w = 0 is optimal at every value on all lists")
            continue
        table = np.array(list(results.values()))
        distances = table[:, : SHARES.size].max(axis=1, keepdims=True) - table
        print(f"\n{model_name}, {len(results)} lists: mean and largest distance to the best share")
        print("share     " + "   ".join(f"{name:>17}" for name in METRICS))
        for i, label in enumerate([*(f"{share:.4g}" for share in SHARES), "auto", "1.0"]):
            numbers = zip(distances[:, i].mean(axis=0), distances[:, i].max(axis=0), strict=True)
            print(f"{label:<10}" + "   ".join(f"{mean:8.4f} {largest:8.4f}" for mean, largest in numbers))


if __name__ == "__main__":
    main()
