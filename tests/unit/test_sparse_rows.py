"""The quick products with sparse rows: scipy's, bit for bit."""

import numpy as np
import pytest
import scipy.sparse as sp

from toprank.problems.top import TopRanking
from toprank.solvers import dual_gradient
from toprank.solvers.sparse_rows import quick_rows


@pytest.mark.parametrize("share", [0.0, 0.03, 1.0])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_the_products_are_those_of_scipy(share, index):
    random = np.random.default_rng(0)
    X = sp.random_array((200, 30), density=0.2, format="csr", rng=random)
    X = sp.csr_array((X.data, X.indices.astype(index), X.indptr.astype(index)), X.shape)
    w, v = random.normal(size=30), random.normal(size=200) * (random.random(200) < share)
    rows = quick_rows(X)
    np.testing.assert_array_equal(rows @ w, X @ w)
    np.testing.assert_array_equal(rows.T @ v, X.T @ v)
    assert rows.shape == X.shape


def test_dense_rows_stay_as_they_are():
    X = np.eye(3)
    assert quick_rows(X) is X


def test_the_iterates_are_those_of_dense_rows():
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 12)) * (random.random((80, 12)) < 0.3)
    relevant = X[:, 0] + random.normal(size=80) > 0.5
    solutions = [
        dual_gradient.solve(TopRanking(kind(X[relevant]), kind(X[~relevant]), 0.01))
        for kind in (np.asarray, sp.csr_array)
    ]
    assert solutions[0].n_iter == solutions[1].n_iter
    np.testing.assert_allclose(solutions[0].w, solutions[1].w, rtol=0, atol=1e-9)
