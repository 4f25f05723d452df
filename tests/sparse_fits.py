"""Fits of all estimators to CSR data of many kinds, each compared with the fit of the same dense rows.

``python tests/sparse_fits.py [seeds [kinds]]`` fits every case of so many seeds (1) and prints those that
fail; tests/unit/test_sparse_fits.py fits some of them in every run of the tests.
"""

import sys
import warnings
from collections import Counter

import numpy as np
import scipy.sparse as sp

from toprank import FenchelRank, FSMRank, GroupL2, InfinitePush, RankSVM, TopPush

#: The CSR and the dense fit of a convex problem agree to this, relative to the objective.
AGREEMENT = 1e-8
N_QUERIES = 8
#: Features of FSMRank, whose similarity is dense, and steps of FenchelRank.
N_COMPARED, FRANK_WOLFE_STEPS = 30, 300
#: Shares of the regularisation at which w leaves 0: strong, medium and weak.
SHARES = (0.5, 0.05, 0.001)
RANKSVM_PENALTIES = ("l1", "l2", "adaptive-l1", "group", "mcp", "log", "lp", "scad")
NONCONVEX = ("mcp", "log", "lp", "scad")


def fingerprints(rng, n, d):
    """Binary, some bits in almost all rows and most in few, rows in families that differ in a few bits."""
    rates = np.clip(rng.pareto(1.0, d) * 0.02, 0.0, 0.9)
    parents = rng.random((max(n // 6, 1), d)) < rates
    flips = rng.random((n, d)) < 0.02
    return (parents[rng.integers(len(parents), size=n)] ^ (flips & (rng.random(d) < 0.5))).astype(float)


def texts(rng, n, d):
    """Term frequencies times inverse document frequencies of words with Zipf's frequencies, at length one."""
    frequencies = 1.0 / np.arange(1, d + 1)
    counts = rng.poisson(40.0 * frequencies / frequencies.sum() * rng.gamma(0.3, 1 / 0.3, (n, d)))
    weights = np.log1p(counts) * np.log((1.0 + n) / (1.0 + (counts > 0).sum(axis=0)))
    return weights / np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), 1e-300)


def one_hot(rng, n, d):
    """Categories as indicators, which add up to one within each variable: the columns are dependent."""
    sizes = np.diff(np.unique(np.append(rng.choice(np.arange(1, d), 7, replace=False), [0, d])))
    return np.hstack([np.eye(k)[np.minimum(rng.geometric(2.0 / (k + 1), n) - 1, k - 1)] for k in sizes])


def repeated_columns(rng, n, d):
    """Columns twice and in other units, constant and empty columns, empty and equal rows."""
    sparse_columns = (rng.random((n, d // 4)) < 0.15) * rng.normal(size=(n, d // 4))
    constant, empty = np.full((n, 3), 1.0), np.zeros((n, 3))
    X = np.hstack(
        [
            sparse_columns,
            sparse_columns,
            1000.0 * sparse_columns,
            constant,
            empty,
            (sparse_columns != 0.0).astype(float),
        ]
    )
    X[rng.choice(n, n // 10, replace=False)] = 0.0
    X[: n // 10] = X[n // 10 : 2 * (n // 10)]
    return X


def counts(rng, n, d):
    """Counts with heavy tails: columns whose sizes differ by four digits."""
    return np.floor((rng.random((n, d)) < 0.1) * rng.lognormal(1.0, 2.0, (n, d)))


KINDS = {kind.__name__: kind for kind in (fingerprints, texts, one_hot, repeated_columns, counts)}


def data(kind, seed=0, n=120, d=160):
    """Rows of a kind as csr_array, with binary labels of which a third are positive, and queries."""
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    X = KINDS[kind](rng, n, d)
    spread = X.std(axis=0)
    weights = np.where(spread > 0.0, rng.normal(size=X.shape[1]) / np.where(spread > 0.0, spread, 1.0), 0.0)
    weights[rng.random(weights.size) < 0.9] = 0.0
    scores = X @ weights + rng.normal(size=n)
    return sp.csr_array(X), (scores > np.quantile(scores, 2 / 3)).astype(int), np.arange(n) % N_QUERIES


def models(X, y, qid, shares=SHARES):
    """Yield the name of a case, its estimator, and whether that ranks queries."""
    groups = np.arange(X.shape[1]) // 5
    norms = {"group": GroupL2(groups)}
    for penalty in RANKSVM_PENALTIES:
        model = RankSVM(norms.get(penalty, penalty))
        smallest = model.C_zero_max(X, y, qid)
        for share in shares:
            yield f"RankSVM {penalty} {share}", model.set_params(C=smallest / share), True
    for penalty in InfinitePush.CHOICES["penalty"]:
        model = InfinitePush(norms.get(penalty, penalty))
        largest = model.alpha_max(X, y) or 1.0
        for share in shares:
            yield f"InfinitePush {penalty} {share}", model.set_params(alpha=share * largest), False
    for share in shares:
        yield f"TopPush {share}", TopPush(alpha=share), False
        yield f"FenchelRank {1 / share}", FenchelRank(radius=1.0 / share, max_iter=FRANK_WOLFE_STEPS), True
    columns = min(X.shape[1], N_COMPARED)
    for share in shares:
        model = FSMRank()
        yield f"FSMRank {share} of {columns}", model.set_params(beta=share * 0.1), True


def is_convex(name):
    """Whether the problem of a case is convex: it has one optimum, and a bound certifies it."""
    return not any(name.startswith(f"RankSVM {penalty} ") for penalty in NONCONVEX)


def fault_of(model, name, X, y, qid, ranks_queries):
    """Fit a model to CSR and dense rows; return what is wrong, or None, and the relative difference."""
    if name.startswith("FSMRank"):
        X = X[:, : int(name.split()[-1])]
    more = (qid,) if ranks_queries else ()
    certificates = []
    for rows in (X, X.toarray()):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                certificates.append(model.fit(rows, y, *more).certificate_)
        except Exception as error:
            kind = "CSR" if sp.issparse(rows) else "dense"
            return f"{kind}: {type(error).__name__}: {error}", np.nan
    first, second = certificates
    difference = abs(first.objective - second.objective) / (second.objective or 1.0)
    # Frank-Wolfe steps close a gap slowly: the cap on their number is published, and ends both fits alike
    proven = ("stopped", second.status) if name.startswith("FenchelRank") else ()
    if first.status not in ("certified", *proven):
        return f"CSR: {first.status} with a gap of {first.relative_gap}, dense {second.status}", difference
    if is_convex(name) and difference > AGREEMENT:
        return f"objectives differ by {difference:.1e}", difference
    return None, difference


def faults(X, y, qid, shares=SHARES):
    """Yield the name, the fault or None, and the difference of each case."""
    for name, model, ranks_queries in models(X, y, qid, shares):
        yield name, *fault_of(model, name, X, y, qid, ranks_queries)


def main(n_seeds=1, *kinds):
    """Fit all cases, print the faults, and return their number."""
    tried, failed, largest = Counter(), Counter(), 0.0
    for kind in kinds or KINDS:
        for seed in range(int(n_seeds)):
            for name, fault, difference in faults(*data(kind, seed)):
                tried[kind] += 1
                failed[kind] += fault is not None
                if fault:
                    print(f"{kind} {seed} {name}: {fault}", flush=True)
                if is_convex(name):
                    largest = max(largest, np.nan_to_num(difference))
            print(f"{kind} {seed}: {tried[kind]} tried, {failed[kind]} failed", flush=True)
    print(f"{tried.total()} tried, {failed.total()} failed; convex ones differ by {largest:.1e} at most")
    return failed.total()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) > 0)
