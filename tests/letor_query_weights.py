"""Which weight of the queries ranks better on LETOR: ``python tests/letor_query_weights.py MQ2008/Fold1 …``.

Each argument is a folder with train.txt, vali.txt and test.txt, as LETOR has them. The validation queries
choose C of an ℓ1 RankSVM with ``query_weight="pairs"`` and of one with ``"equal"``. The means over the test
queries are printed for each folder, and over all folders with the standard error of the difference.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from toprank import RankSVM
from toprank.metrics import average_precision_per_query, ndcg_per_query

#: C, in multiples of the largest one at which all weights are 0.
MULTIPLES = np.geomspace(2.0, 2000.0, 10)
METRICS = {
    "NDCG@10": lambda y, scores, qid: ndcg_per_query(y, scores, qid, k=10),
    "MAP": average_precision_per_query,
}


def load_part(folder, part):
    """Rows, grades and queries of a part of a fold."""
    X, y, qid = load_svmlight_file(str(Path(folder, f"{part}.txt")), query_id=True)
    return X.toarray(), y, qid


def measure(folder, query_weight):
    """Metric -> its values on the test queries, at the C that is best for it on the validation queries."""
    train, validation, test = (load_part(folder, part) for part in ("train", "vali", "test"))
    model = RankSVM("l1", query_weight=query_weight, warm_start=True)
    largest = model.C_zero_max(*train)
    best, values = dict.fromkeys(METRICS, -np.inf), {}
    for multiple in MULTIPLES:
        model.set_params(C=multiple * largest).fit(*train)
        for name, metric in METRICS.items():
            X, y, qid = validation
            quality = np.nanmean(metric(y, model.decision_function(X), qid))
            if quality > best[name]:
                X, y, qid = test
                best[name], values[name] = quality, metric(y, model.decision_function(X), qid)
    return values


def main(folders):
    """Print a line for each folder, and one for all queries."""
    differences = {name: [] for name in METRICS}
    means = {name: [] for name in METRICS}
    for folder in folders:
        pairs, equal = (measure(folder, kind) for kind in ("pairs", "equal"))
        for name in METRICS:
            means[name].append((np.nanmean(pairs[name]), np.nanmean(equal[name])))
            differences[name].append(equal[name] - pairs[name])
        print(
            folder,
            *(f"{name} {means[name][-1][0]:.4f} {means[name][-1][1]:.4f}" for name in METRICS),
            sep="  ",
            flush=True,
        )
    for name in METRICS:
        difference = np.concatenate(differences[name])
        difference = difference[~np.isnan(difference)]
        error = difference.std(ddof=1) / np.sqrt(difference.size)
        pairs, equal = np.mean(means[name], axis=0)
        print(
            f"{name}  pairs {pairs:.4f}  equal {equal:.4f}  difference {difference.mean():+.4f} ± {error:.4f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
