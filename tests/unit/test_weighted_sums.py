"""Sums of weighted rows, and the bounds that are made of them, beside exact sums."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from toprank import InfinitePush
from toprank.problems.rows import SelectedRows
from toprank.problems.weighted_sums import sum_weighted_rows

FORMATS = {"dense": np.asarray, "fortran": np.asfortranarray, "csr": sp.csr_array}


def draw_binary_rows(n, d):
    """Rows of features that are 1 with other probabilities, and which of them are relevant."""
    random = np.random.default_rng(0)
    X = (random.random((n, d)) < random.uniform(0.05, 0.95, size=d)).astype(float)
    score = X @ random.normal(size=d)
    return X, (score > np.quantile(score, 0.3)) | (random.random(n) < 0.05)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("n", [0, 1, 511, 512, 513, 40_000])
def test_sum_is_exact_to_rounding(name, n):
    X, _ = draw_binary_rows(max(n, 1), 5)
    X, v = X[:n], np.full(n, 1.0 / 37155.0)
    v[::7] *= 3.0
    exact = [math.fsum(column * v) for column in X.T]
    assert np.allclose(sum_weighted_rows(FORMATS[name](X), v), exact, rtol=3e-14, atol=0.0)


def test_sparse_blocks_of_wide_rows():
    random = np.random.default_rng(1)
    X = sp.random_array((2000, 900), density=0.002, rng=random, format="csr")
    v = random.normal(size=2000) * (random.random(2000) < 0.5)
    assert np.allclose(sum_weighted_rows(X, v), X.toarray().T @ v, rtol=1e-12, atol=1e-15)


def test_selected_rows():
    X = np.random.default_rng(2).normal(size=(900, 4))
    v = np.arange(600.0)
    assert np.allclose(sum_weighted_rows(SelectedRows(X, np.arange(600)), v), X[:600].T @ v, rtol=1e-12)


@pytest.mark.parametrize("name", ["dense", "csr"])
def test_weak_penalty_of_many_binary_rows_is_certified(name):
    """Rounded sums of 40 000 equal weights leave a gap of 1e-8 and more beside so small an alpha."""
    X, relevant = draw_binary_rows(40_000, 15)
    X = FORMATS[name](X)
    model = InfinitePush(alpha=1e-6 * InfinitePush().alpha_max(X, relevant), tol=2e-9)
    certificate = model.fit(X, relevant).certificate_
    assert certificate.status == "certified", certificate
