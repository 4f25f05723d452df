"""Small ranking problems with a known property, for the tests of the solvers and of all that uses them."""

from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer

from toprank import TopPush
from toprank.problems.rows import SelectedRows

SINGLE_LINE = r"\A[^\n]+\Z"


@contextmanager
def raises_one_sentence(match, kind=ValueError):
    """Expect an error whose message is one sentence on one line."""
    with pytest.raises(kind, match=match) as caught:
        yield
    caught.match(SINGLE_LINE)


def assert_certified(certificate, optimum, gap=1e-8):
    """Assert that a relative gap of `gap` is proven, about this value of the conic solver."""
    assert certificate.status == "certified" and -1e-13 <= certificate.relative_gap <= gap
    assert certificate.objective == pytest.approx(optimum, rel=1e-7 + gap)
    assert certificate.lower_bound <= optimum * (1 + 1e-8)


def gaussians(m=20, n=30, d=4, shift=3.0, seed=0):
    """Two Gaussian classes that overlap: positives (m, d) and negatives (n, d)."""
    random = np.random.default_rng(seed)
    return random.normal(size=(m, d)) + shift / np.sqrt(d), random.normal(size=(n, d))


def surrounded_positives(m=20, n=60, d=3, seed=0):
    """The positives lie in the midst of the negatives: w = 0 is optimal at every alpha."""
    random = np.random.default_rng(seed)
    inner, outer = 0.3 * random.normal(size=(m, d)), 3 * random.normal(size=(n - 2 * d, d))
    return inner, np.vstack([outer, 4 * np.eye(d), -4 * np.eye(d)])


def wdbc(m=30, n=50):
    """The first positives (malignant) and negatives of a real data set, standardised: (m, 30), (n, 30)."""
    data = load_breast_cancer()
    X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    return X[data.target == 0][:m], X[data.target == 1][:n]


def counts(m=25, n=40, d=12, seed=0):
    """Sparse counts: a third of the entries is not zero, and the positives have more of the first half."""
    random = np.random.default_rng(seed)
    rate = np.full((m + n, d), 0.3)
    rate[:m, : d // 2] = 0.6
    X = random.poisson(rate).astype(float)
    return X[:m], X[m:]


def stack_classes(positives, negatives):
    """X and y with the classes mixed."""
    X = np.vstack([positives, negatives])
    y = np.repeat([1, 0], [len(positives), len(negatives)])
    order = np.random.default_rng(1).permutation(y.size)
    return X[order], y[order]


def to_format(kind, *matrices):
    """The same matrices as "dense" or "csr" arrays, or rows read in place of "stored" or "single" ones."""
    if kind == "single":
        matrices = [matrix.astype(np.float32) for matrix in matrices]
    make = {"dense": np.asarray, "csr": sp.csr_array}.get(kind, SelectedRows)
    return [make(matrix) for matrix in matrices]


def solver_of(name, **options):
    """Return a solver of TopPush with those of the options that it has."""
    solver = TopPush.CHOICES["solver"][name]()
    return solver.set_params(**{name: options[name] for name in solver.get_params() if name in options})
