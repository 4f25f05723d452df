"""Sparse data: a fit of CSR rows is that of the dense ones, however the rows are stored."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import sparse_fits

from toprank import FenchelRank, FSMRank, InfinitePush, RankSVM, TopPush
from toprank.estimators.rfe import RFEInfinitePush
from toprank.problems import two_classes
from toprank.solvers.scaling import Scaling

CASES = Path(__file__).resolve().parents[3] / "shared/review/cases"
MODELS = (
    RankSVM(C=0.1),
    RankSVM("l2", C=0.1, solver="fista"),
    RankSVM("mcp", C=0.1, solver="monotone-fista"),
    InfinitePush(alpha=0.05),
    InfinitePush("l2", alpha=0.05),
    InfinitePush("l2", alpha=0.05, solver="dual"),
    InfinitePush(alpha=0.05, solver="admm", tol=1e-4, max_iter=20_000),
    TopPush(alpha=0.1),
    TopPush(alpha=0.1, solver="dual", tol=1e-5),
    TopPush(alpha=0.1, solver="a2dm2", tol=1e-3),
    FenchelRank(),
    FSMRank(),
    RFEInfinitePush(),
)


@pytest.fixture(autouse=True)
def sparse_stays_sparse(monkeypatch):
    monkeypatch.setattr(two_classes, "DENSE_MAX_ENTRIES", 0)


@pytest.mark.parametrize("kind", sparse_fits.KINDS)
def test_a_fit_of_sparse_rows_is_that_of_the_dense_ones(kind):
    X, y, qid = sparse_fits.data(kind, n=48, d=60)
    cases = list(sparse_fits.faults(X, y, qid, shares=(0.1, 0.01)))
    assert len(cases) >= 25
    assert [case for case in cases if case[1]] == []


def split_parts(X):
    """Each entry stored as two that add up to it, which scipy allows."""
    repeated = np.repeat(np.arange(X.nnz), 2)
    values = X.data[repeated] * np.tile([0.25, 0.75], X.nnz)
    return sp.csr_array((values, X.indices[repeated], 2 * X.indptr), shape=X.shape)


def with_long_indices(X):
    """Indices of 64 bits, which scipy makes of large matrices, and joblib's memory maps cannot be written."""
    X = X.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


STORED_FORMS = {
    "long csr": with_long_indices,
    "long csr_matrix": lambda X: with_long_indices(sp.csr_matrix(X)),
    "long csc": lambda X: with_long_indices(sp.csc_array(X)),
    "coo": sp.coo_array,
    "in parts": split_parts,
    "unsorted": lambda X: sp.csr_array(X[:, ::-1].toarray())[:, ::-1],
}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{type(model).__name__}-{model.get_params()}")
def test_the_way_of_storing_does_not_matter(model):
    X, y, qid = sparse_fits.data("counts", n=60, d=20)
    X.data = np.log1p(X.data)
    queries = (qid,) if model._ranks_queries else ()
    first = next((name for name in ("C_zero_max", "alpha_max", "beta_max") if hasattr(model, name)), None)

    def results(rows):
        certificate = getattr(model.fit(rows, y, *queries), "certificate_", None)
        values = [getattr(model, first)(rows, y, *queries)] if first else []
        values += [certificate.objective] if certificate else []
        return np.append(values, model.score(rows, y, *queries)), model.predict(rows)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values, scores = results(X.toarray())
        for name, stored in STORED_FORMS.items():
            rows = stored(X)
            before = rows.nnz, rows.data.copy()
            for ours, dense in zip(results(rows), (values, scores), strict=True):
                np.testing.assert_allclose(ours, dense, rtol=2e-4, atol=2e-3, err_msg=name)
            assert rows.nnz == before[0] and np.array_equal(rows.data, before[1]), f"{name}: changed"


@pytest.mark.parametrize("value", [1.0, 0.1, 0.3, 1e-5, 7.7e6])
@pytest.mark.parametrize("n", [3, 10, 49])
def test_a_constant_column_has_no_spread(value, n):
    """Its spread is the distance of the other rows: E x² − (E x)² would leave 1e-8 of it."""
    positives = np.column_stack([np.full(n, value), np.arange(n) % 3, np.zeros(n)])
    negatives = np.array([[0.0, 1.0, 0.0], [2.0 * value, 0.0, 5.0]])
    dense = Scaling.from_rows(positives, negatives)
    ours = Scaling.from_rows(sp.csr_array(positives), sp.csr_array(negatives))
    np.testing.assert_allclose(ours.scale, dense.scale, rtol=1e-12)
    np.testing.assert_allclose(ours.scale[[0, 2]], [value, 5.0], rtol=1e-12)


def test_rounding_errors_in_one_class_are_no_spread():
    """Rotated rows have such coordinates: divided by a spread of 1e-17 they drown the others in the model."""
    rng = np.random.default_rng(0)
    noise = 1e-17 * rng.normal(size=8)
    positives, negatives = np.column_stack([rng.normal(size=8), noise]), np.array([[0.0, 3.0], [1.0, -2.0]])
    for kind in (np.asarray, sp.csr_array):
        np.testing.assert_allclose(Scaling.from_rows(kind(positives), kind(negatives)).scale[1], 3.0)
    X, y, _ = sparse_fits.data("fingerprints", n=48, d=60)
    model = InfinitePush("l2", alpha=0.000625).fit(X, y)
    assert model.certificate_.status == "certified" and model.coef_.any()


def test_a_conic_model_solved_again_is_regularised_less():
    """Columns repeated in other units: with the first run's regularisation the gap stays at 2e-6."""
    X, y, _ = sparse_fits.data("repeated_columns", seed=1)
    weights = np.ones(X.shape[1])
    weights[0] = 0.0  # with a feature that is not penalised the models are conic
    model = InfinitePush("l2", penalty_weights=weights)
    model.set_params(alpha=0.001 * model.alpha_max(X, y)).fit(X, y)
    assert model.certificate_.status == "certified"


def real_case(name):
    """Fingerprints of a data set of molecules, and their labels."""
    if not (CASES / f"{name}_train.npz").is_file():
        pytest.skip(f"no {name}_train.npz beside the project: real molecules, which are not committed")
    return sp.load_npz(CASES / f"{name}_train.npz"), np.load(CASES / f"{name}_y.npy")


@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_infinite_push_on_real_fingerprints(alpha):
    X, y = real_case("muv466")
    ours, dense = (InfinitePush(alpha=alpha).fit(rows, y).certificate_ for rows in (X, X.toarray()))
    assert ours.status == dense.status == "certified"
    assert ours.objective == pytest.approx(dense.objective, rel=1e-8)


def test_ranksvm_on_real_fingerprints():
    X, y = real_case("hivrt")
    ours = RankSVM(C=1.0).fit(X, y).certificate_
    assert ours.status == "certified" and ours.objective == pytest.approx(6.500929676806, rel=1e-8)
