"""Rows of two classes of one file, read in its order: the same products as from the classes apart."""

import numpy as np
import pytest
import scipy.sparse as sp

from toprank import TopPush
from toprank.problems.row_kernels import MIN_GROUPED_BYTES
from toprank.problems.rows import SelectedRows
from toprank.problems.top import TopRanking
from toprank.solvers import dual_gradient
from toprank.solvers.paired_rows import MergedRows, SeparateRows, pair_rows

N, D = 203, 7
RANDOM = np.random.default_rng(3)
Y = RANDOM.permutation(np.arange(N) % 3 == 0).astype(int)
X = (RANDOM.normal(size=(N, D)) + 0.8 * Y[:, None]).astype(np.float32)


def select_classes(stored, y=Y, part=None):
    index = np.arange(len(y)) if part is None else part
    rows = SelectedRows(stored, index)
    return SelectedRows(rows, y[index] == 1), SelectedRows(rows, y[index] == 0)


@pytest.mark.parametrize("part", [None, RANDOM.permutation(N)[:91]], ids=["all", "scattered"])
def test_products_are_those_of_each_class(part):
    positives, negatives = select_classes(X, part=part)
    rows = pair_rows(positives, negatives)
    assert isinstance(rows, MergedRows)
    w = RANDOM.normal(size=D)
    a, b = RANDOM.normal(size=len(positives)), RANDOM.normal(size=len(negatives))
    a[::3], b[::2] = 0.0, 0.0
    dense = [np.asarray(side.stored[side.index], dtype=float) for side in (positives, negatives)]
    for scores, expected in zip(rows.compute_scores(w), (dense[0] @ w, dense[1] @ w), strict=True):
        np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    expected = dense[0].T @ a - dense[1].T @ b
    np.testing.assert_allclose(rows.combine(a, b), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(rows.combine(0 * a, 0 * b), np.zeros(D))


def test_only_short_rows_of_one_array_are_merged():
    wide = np.zeros((N, MIN_GROUPED_BYTES // 4), dtype=np.float32)
    positives, negatives = select_classes(X)
    for pair in (
        select_classes(wide),
        (positives, SelectedRows(X.copy(), negatives.index)),
        (X[Y == 1].astype(float), X[Y == 0].astype(float)),
        (sp.csr_array(X[Y == 1]), sp.csr_array(X[Y == 0])),
    ):
        assert isinstance(pair_rows(*pair), SeparateRows)


@pytest.mark.parametrize("n_features", [D, MIN_GROUPED_BYTES // 4 + 1])
def test_a_fit_of_mapped_rows_is_that_of_a_copy(n_features):
    stored = np.hstack([X, np.zeros((N, n_features - D), dtype=np.float32)])
    problems = [TopRanking(*select_classes(stored), 0.1)]
    problems.append(TopRanking.from_labels(stored.astype(float), Y, 0.1))
    merged, copy = (dual_gradient.solve(problem, max_iter=200) for problem in problems)
    np.testing.assert_allclose(merged.w, copy.w, rtol=1e-7, atol=1e-9)
    assert merged.certificate.objective == pytest.approx(copy.certificate.objective, rel=1e-9)
    reference = TopPush(0.1, solver="exact").fit(stored.astype(float), Y).certificate_.objective
    assert merged.certificate.lower_bound <= reference * (1 + 1e-9)
