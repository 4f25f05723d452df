"""Rows read in place, and sparse ones: against numpy and scipy; every solver on them against a copy."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ranking_data import gaussians, raises_one_sentence, solver_of, stack_classes

from reproduction.fitting.cross_validation import CrossValidation
from reproduction.fitting.feature_scaling import standardise
from reproduction.fitting.fit_rows import warm_up
from reproduction.fitting.method import Method
from reproduction.splits.splits import draw_random_splits
from toprank import RankSVM, TopPush
from toprank.problems.rows import ROWS_PER_CHUNK, SelectedRows, take_rows
from toprank.problems.sparse_rows import make_fast_rows
from toprank.solvers import admm_sweeps

RANDOM = np.random.default_rng(0)
X, Y = stack_classes(
    *gaussians(m=3 * admm_sweeps.STORED_ROWS_PER_BLOCK, n=2 * admm_sweeps.STORED_ROWS_PER_BLOCK + 3, d=5)
)
TYPES = [np.float32, np.float64]


def make_mapped_rows(folder, array):
    """The array as a read-only file map."""
    np.save(folder / "X.npy", array)
    return np.load(folder / "X.npy", mmap_mode="r")


@pytest.fixture
def file(tmp_path):
    return make_mapped_rows(tmp_path, X.astype(np.float32))


@st.composite
def selections(draw):
    """A matrix and positions of its rows: few, many, none, again and again."""
    n, d = draw(st.integers(1, 30)), draw(st.integers(1, 40))
    dtype = draw(st.sampled_from(TYPES))
    width = 32 if dtype == np.float32 else 64
    entries = st.floats(-1e3, 1e3, width=width)
    matrix = draw(arrays(dtype, (n, d), elements=entries))
    return matrix, draw(st.lists(st.integers(0, n - 1), max_size=25)), draw(st.integers(0, 2**16))


@given(selections())
def test_products_are_those_of_the_copy_in_double_precision(selection):
    matrix, index, seed = selection
    rows, copy = SelectedRows(matrix, np.array(index, dtype=int)), matrix.astype(float)[index]
    random = np.random.default_rng(seed)
    w, v = random.normal(size=matrix.shape[1]), random.normal(size=len(index))
    v *= random.integers(0, 2, len(index))
    assert rows.shape == copy.shape and len(rows) == len(copy) and rows.dtype == matrix.dtype
    scores, sums = rows @ w, rows.T @ v
    assert scores.dtype == sums.dtype == np.float64
    # as exact as sums in double precision are: in units of their terms
    np.testing.assert_array_less(np.abs(scores - copy @ w), 1e-13 * (np.abs(copy) @ np.abs(w) + 1e-300))
    np.testing.assert_array_less(np.abs(sums - copy.T @ v), 1e-13 * (np.abs(copy).T @ np.abs(v) + 1e-300))
    np.testing.assert_array_equal(np.asarray(rows), matrix[index])
    np.testing.assert_allclose(rows.gram(), copy.T @ copy, rtol=1e-12, atol=1e-8)


@given(selections(), st.data())
def test_a_selection_of_a_selection(selection, data):
    matrix, index, _ = selection
    outer = SelectedRows(matrix, np.array(index, dtype=int))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(index), max_size=len(index))), dtype=bool)
    inner = take_rows(outer, mask)
    assert isinstance(inner, SelectedRows) and np.shares_memory(inner.stored, matrix)
    np.testing.assert_array_equal(np.asarray(inner), matrix[index][mask])
    np.testing.assert_array_equal(inner[: len(inner)], matrix[index][mask])
    np.testing.assert_array_equal(np.asarray(SelectedRows(inner)), matrix[index][mask])


@pytest.mark.parametrize("dtype", TYPES)
def test_moments_and_gram_over_more_than_one_chunk(dtype):
    matrix = (RANDOM.normal(size=(ROWS_PER_CHUNK + 70, 3)) + 100.0).astype(dtype)
    index = np.flatnonzero(np.arange(len(matrix)) % 50)
    rows, copy = SelectedRows(matrix, index), matrix.astype(float)[index]
    np.testing.assert_allclose(rows.mean(axis=0), copy.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(rows.var(axis=0), copy.var(axis=0), rtol=1e-12)
    np.testing.assert_allclose(rows.gram(), copy.T @ copy, rtol=1e-13)
    np.testing.assert_array_equal(rows.min(axis=0), copy.min(axis=0))
    np.testing.assert_array_equal(rows.max(axis=0), copy.max(axis=0))


def test_the_sums_are_in_double_precision():
    """A million times 0.1 in float32 would be off by a percent."""
    column, weights = np.full((10**6, 1), 0.1, dtype=np.float32), np.ones(10**6)
    for total in (SelectedRows(column).T @ weights, SelectedRows(column.T.copy()) @ weights):
        assert total == pytest.approx(1e6 * float(np.float32(0.1)), rel=1e-12)


def test_nothing_is_copied(file):
    for rows in (SelectedRows(file), SelectedRows(X), take_rows(file, Y > 0), SelectedRows(X[5:30], [0, 3])):
        assert np.shares_memory(rows.stored, file) or np.shares_memory(rows.stored, X)
        assert not rows.stored.flags.writeable
    assert X.flags.writeable
    assert isinstance(take_rows(X, Y > 0), np.ndarray) and sp.issparse(take_rows(sp.csr_array(X), Y > 0))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ([83], "there is no row 83 among 83; positions count from 0"),
        ([0, -1], "there is no row -1 among 83"),
        (np.ones(82, dtype=bool), r"a mask of 83 rows needs as many entries; got shape \(82,\)"),
        ([0.0, 1.0], "rows are selected by whole numbers or a mask; got float64"),
        ([[0], [1]], r"whole numbers or a mask; got int64 of shape \(2, 1\)"),
    ],
)
def test_rows_that_are_not_there(index, message):
    with raises_one_sentence(message, IndexError):
        SelectedRows(X, index)


OTHER_TYPES = (X.astype(">f4"), X.astype(np.float16), X.astype(int), X.tolist(), sp.csr_array(X))


@pytest.mark.parametrize("strange", [X.T, X[:, ::2], X[::2], X[0], *OTHER_TYPES])
def test_arrays_that_cannot_be_read_in_place(strange):
    with raises_one_sentence("rows are read in place from a"):
        SelectedRows(strange)


def test_vectors_of_another_size():
    rows = SelectedRows(X, [1, 2, 3])
    for product, size in ((lambda: rows @ np.ones(4), "5 features"), (lambda: rows.T @ np.ones(5), "3 rows")):
        with raises_one_sentence(f"needs a vector of {size}; got shape"):
            product()
    with pytest.raises(ValueError, match="axis 0; got axis 1"):
        rows.mean(axis=1)
    with pytest.raises(ValueError, match="without a copy"):
        np.array(rows, copy=False)


@pytest.mark.parametrize("share", [0.0, 0.03, 1.0])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_the_products_of_sparse_rows_are_those_of_scipy(share, index):
    """Bit for bit."""
    random = np.random.default_rng(0)
    X = sp.random_array((200, 30), density=0.2, format="csr", rng=random)
    X = sp.csr_array((X.data, X.indices.astype(index), X.indptr.astype(index)), X.shape)
    w, v = random.normal(size=30), random.normal(size=200) * (random.random(200) < share)
    rows = make_fast_rows(X)
    np.testing.assert_array_equal(rows @ w, X @ w)
    np.testing.assert_array_equal(rows.T @ v, X.T @ v)
    assert rows.shape == X.shape


def test_quick_rows_leaves_dense_ones_alone():
    X = np.eye(3)
    assert make_fast_rows(X) is X


# --- the solvers


@pytest.mark.parametrize("kind", ["float32", "float32 map", "float64 map", "float32 selection"])
@pytest.mark.parametrize("solver", TopPush.SOLVERS)
def test_a_fit_is_that_of_the_copy_in_double_precision(tmp_path, solver, kind):
    single = X.astype(np.float32)
    data = single if kind == "float32" else make_mapped_rows(tmp_path, single.astype(kind.split()[0]))
    if kind == "float32 selection":
        data = SelectedRows(make_mapped_rows(tmp_path, np.vstack([single, single])), np.arange(len(X)))
    options = {"alpha": 0.1, "solver": solver_of(solver, rho=0.01), "max_iter": 300}
    model = TopPush(**options).fit(data, Y)
    copy = single.astype(float)
    expected = TopPush(**options).fit(copy, Y)
    assert model.n_features_in_ == 5 and model.certificate_.status == expected.certificate_.status
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=0, atol=1e-6)
    assert model.certificate_.objective == pytest.approx(expected.certificate_.objective, rel=1e-8)
    scores = model.decision_function(data)
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, copy @ model.coef_, rtol=0, atol=1e-12)


def test_the_matrix_is_never_copied(tmp_path, monkeypatch):
    """No product of a fit asks for more than a few rows of it."""
    mapped_rows = make_mapped_rows(tmp_path, RANDOM.normal(size=(3 * ROWS_PER_CHUNK, 4)).astype(np.float32))
    y = np.arange(len(mapped_rows)) % 2
    indices, copy = [], SelectedRows.__getitem__

    def record_index(self, index):
        indices.append(len(copy(self, index)))
        return copy(self, index)

    monkeypatch.setattr(SelectedRows, "__getitem__", record_index)
    monkeypatch.setattr(SelectedRows, "__array__", lambda *_, **__: pytest.fail("all rows were copied"))
    for solver in ("dual", "admm"):
        model = TopPush(alpha=1.0, solver=solver, max_iter=5).fit(mapped_rows, y)
        assert model.decision_function(take_rows(mapped_rows, y == 1)).shape == (np.count_nonzero(y),)
    assert indices and max(indices) <= ROWS_PER_CHUNK


@pytest.mark.parametrize("wrap", [lambda X: X, SelectedRows])
@pytest.mark.parametrize(
    ("value", "message"), [(np.nan, "Input X contains NaN"), (-np.inf, "Input X contains infinity")]
)
def test_features_that_are_not_finite(wrap, value, message):
    data = X.astype(np.float32)
    data[70, 1] = value
    with raises_one_sentence(message):
        TopPush().fit(wrap(data), Y)
    with raises_one_sentence(message):
        TopPush().fit(X, Y).decision_function(wrap(data))
    assert SelectedRows(np.full((3, 4), 1e308)).find_nonfinite_rows() is None, "large is not infinite"


def test_bad_data_of_selected_rows():
    rows = SelectedRows(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        TopPush().fit(rows, Y[:-1])
    with pytest.raises(ValueError, match="X has 3 features, but TopPush is expecting 5 features"):
        TopPush().fit(rows, Y).decision_function(SelectedRows(np.ones((2, 3))))


def test_more_features_than_rows():
    data, y = stack_classes(*gaussians(m=8, n=10, d=40, shift=4.0))
    single = data.astype(np.float32)
    model, expected = (TopPush(alpha=0.1, tol=1e-10).fit(rows, y) for rows in (single, single.astype(float)))
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=0, atol=1e-9)
    assert model.decision_function(SelectedRows(single, [3])).shape == (1,)


def test_other_estimators_take_a_copy(file):
    expected = RankSVM().fit(X.astype(np.float32).astype(float), Y)
    for rows in (file, take_rows(file, np.arange(len(file)))):
        model = RankSVM().fit(rows, Y)
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        np.testing.assert_allclose(model.decision_function(rows), file @ model.coef_, rtol=1e-5, atol=1e-9)


# --- the protocol


def test_a_split_of_a_mapped_set_is_never_copied(file, monkeypatch):
    splits = draw_random_splits(len(X), 1, 1 / 3, 3, 7)
    method = Method("toprank.TopPush", {"solver": "dual"}, {"alpha": [0.1, 1.0]})
    expected = CrossValidation(method, np.array(file, dtype=float), Y, splits).run_split(0)
    monkeypatch.setattr(SelectedRows, "__array__", lambda *_, **__: pytest.fail("all rows were copied"))
    warm_up(method, file, "raw")
    rows = CrossValidation(method, file, Y, splits).run_split(0)
    assert [row["status"] for row in rows] == ["certified"] * 7
    for ours, theirs in zip(rows, expected, strict=True):
        assert ours["objective"] == pytest.approx(theirs["objective"], rel=1e-6)
        assert ours["positives_at_top"] == theirs["positives_at_top"]


def test_a_mapped_set_is_not_standardised(file):
    with raises_one_sentence("that is mapped from a file are not standardised"):
        standardise(take_rows(file, [0, 1]))
    method = Method("toprank.TopPush", grid={"alpha": [1.0]})
    (row,) = CrossValidation(method, file, Y, None, feature_scaling="standardised").run_split(3)
    assert (row["split"], row["role"], row["status"]) == (3, "chosen", "failed")
    assert "not standardised" in row["message"]
