"""Rows of a large array that are read without a gap: bit for bit the products of the selected rows alone."""

import itertools

import numpy as np
import pytest

from toprank import TopPush
from toprank.problems import rows as rows_module
from toprank.problems.row_kernels import MIN_GROUPED_BYTES
from toprank.problems.rows import MIN_SPAN_SHARE, SelectedRows
from toprank.solvers import paired_rows

N = 401
RANDOM = np.random.default_rng(5)
INDEX = np.flatnonzero(RANDOM.random(N) < 0.6)
W, V = RANDOM.normal(size=54), RANDOM.normal(size=INDEX.size)


def make_rows(dtype=np.float32, index=INDEX, n_features=54):
    return SelectedRows(np.random.default_rng(6).normal(size=(N, n_features)).astype(dtype), index)


@pytest.fixture
def no_array_fits_a_cache(monkeypatch):
    monkeypatch.setattr(rows_module, "MIN_SPAN_BYTES", 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 7, 8, 22, 54])
def test_products_are_those_of_the_selected_rows_bit_for_bit(dtype, n_features, no_array_fits_a_cache):
    spanned, alone = make_rows(dtype, n_features=n_features), make_rows(dtype, n_features=n_features)
    alone.__dict__["span"] = None
    assert spanned.span == slice(INDEX[0], INDEX[-1] + 1)
    np.testing.assert_array_equal(spanned @ W[:n_features], alone @ W[:n_features])
    np.testing.assert_array_equal(spanned.T @ V, alone.T @ V)
    sparse_weights = np.where(np.arange(V.size) % 7 == 0, V, 0.0)
    np.testing.assert_array_equal(spanned.T @ sparse_weights, alone.T @ sparse_weights)


def test_rows_that_are_not_selected_may_hold_anything(no_array_fits_a_cache):
    rows = make_rows()
    expected = rows.T @ V, rows @ W
    spoilt = rows.stored.copy()
    unselected = np.setdiff1d(np.arange(INDEX[0], INDEX[-1]), INDEX)
    spoilt[unselected[::2]], spoilt[unselected[1::2]] = np.nan, np.inf
    rows = SelectedRows(spoilt, INDEX)
    assert rows.span is not None
    np.testing.assert_array_equal(rows.T @ V, expected[0])
    np.testing.assert_array_equal(rows @ W, expected[1])


@pytest.mark.parametrize(
    "index",
    [INDEX[::-1], np.repeat(INDEX, 2), [], np.arange(0, N, int(1 / MIN_SPAN_SHARE) + 1)],
    ids=["descending", "repeated", "none", "few"],
)
def test_other_selections_are_read_row_by_row(index, no_array_fits_a_cache):
    rows = make_rows(index=np.array(index, dtype=int))
    assert rows.span is None
    v, w = RANDOM.normal(size=len(rows)), W
    copy = rows.stored.astype(float)[rows.index]
    np.testing.assert_allclose(rows @ w, copy @ w, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(rows.T @ v, copy.T @ v, rtol=1e-12, atol=1e-12)


def test_only_short_rows_of_a_large_array_are_a_span(monkeypatch):
    assert make_rows().span is None, "small"
    monkeypatch.setattr(rows_module, "MIN_SPAN_BYTES", 0)
    assert make_rows(n_features=MIN_GROUPED_BYTES // 4).span is None, "wide"
    assert make_rows(n_features=MIN_GROUPED_BYTES // 4 - 1).span is not None


def fit(solver, monkeypatch, **limits):
    """TopPush on the rows, with other limits on the sizes of spans and segments."""
    for module, name, value in limits.values():
        monkeypatch.setattr(module, name, value)
    rows = make_rows()
    y = (rows @ W + np.random.default_rng(7).normal(size=len(rows)) > 2.0).astype(int)
    return TopPush(0.1, solver=solver, max_iter=30).fit(rows, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["dual", "exact"])
def test_a_fit_is_the_same_bit_for_bit(solver, monkeypatch):
    alone = fit(solver, monkeypatch).coef_
    spanned = fit(solver, monkeypatch, span=(rows_module, "MIN_SPAN_BYTES", 0)).coef_
    assert np.any(alone)
    np.testing.assert_array_equal(alone, spanned)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("segment_bytes", [1, 20 * 54 * 4, 10**6], ids=["one row", "twenty rows", "all rows"])
@pytest.mark.parametrize("solver", ["admm", "a2dm2", "a2dm2-restart"])
def test_a_sweep_by_segments_is_the_sweep(solver, segment_bytes, monkeypatch):
    """The sums over segments round differently, which few iterations keep small: A2DM2 diverges here."""
    separate = fit(solver, monkeypatch)
    segments = fit(
        solver,
        monkeypatch,
        span=(rows_module, "MIN_SPAN_BYTES", 0),
        segment=(paired_rows, "SEGMENT_BYTES", segment_bytes),
    )
    np.testing.assert_allclose(segments.coef_, separate.coef_, rtol=1e-8, atol=1e-10)
    # the bound comes from the multipliers of all rows
    bounds = segments.certificate_.lower_bound, separate.certificate_.lower_bound
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-8) and (bounds[1] > 0 or solver != "admm")


def test_segments_hold_every_row_once(no_array_fits_a_cache, monkeypatch):
    monkeypatch.setattr(paired_rows, "SEGMENT_BYTES", 30 * 54 * 4)
    rows, y = make_rows(), RANDOM.random(INDEX.size) < 0.3
    classes = SelectedRows(rows, y), SelectedRows(rows, ~y)
    segments = paired_rows.split_segments(*classes)
    assert [len(segment.lines) for segment in segments[:-1]] == [30] * (len(segments) - 1)
    assert sum(len(segment.lines) for segment in segments) == INDEX[-1] + 1 - INDEX[0]
    for k, selected in enumerate(classes):
        ranges = [segment[1 + k] for segment in segments]
        assert ranges[0][0] == 0 and ranges[-1][1] == len(selected)
        assert all(end == start for (_, end), (start, _) in itertools.pairwise(ranges))
        for segment, (start, end) in zip(segments, ranges, strict=True):
            held = {row.tobytes() for row in segment.lines}
            assert all(row.tobytes() in held for row in selected[start:end])


def test_other_rows_have_no_segments(no_array_fits_a_cache):
    rows, y = make_rows(), RANDOM.random(INDEX.size) < 0.3
    positives, negatives = SelectedRows(rows, y), SelectedRows(rows, ~y)
    assert paired_rows.split_segments(positives, negatives)
    assert not paired_rows.split_segments(positives, SelectedRows(rows.stored.copy(), negatives.index))
    assert not paired_rows.split_segments(positives, SelectedRows(rows.stored, negatives.index[::-1]))
    assert not paired_rows.split_segments(np.asarray(positives), np.asarray(negatives))
