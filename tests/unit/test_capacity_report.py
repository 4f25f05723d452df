"""The report of a fixed capacity: chance by permutations, intervals by simulated lists, bad input."""

import json
import math
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import untied_metrics as untied
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ranking_data import raises_one_sentence
from scipy.stats import hypergeom

from toprank.metrics import capacity_report, enrichment_factor, precision_at_k, recall_at_k, resampling
from toprank.metrics.resampling import draw_hits, find_cut_off, merge_distant_groups
from toprank.metrics.tie_groups import group_ties

#: Rows, capacity, prevalence, distance of the classes in standard deviations, unit of rounded scores.
POPULATIONS = {
    "some hits": (400, 20, 0.1, 1.5, None),
    "as many positives as rows that are taken": (400, 40, 0.1, 6.0, None),
    "hits alone": (200, 10, 0.3, 3.0, None),
    "few hits": (1000, 25, 0.01, 1.0, None),
    "ties": (400, 40, 0.2, 1.5, 1.0),
    "random scores": (400, 40, 0.2, 0.0, None),
}


def draw_list(random, n_rows, k, prevalence, distance, unit):
    """Draw labels and scores of a population."""
    y = random.random(n_rows) < prevalence
    y[:2] = [True, False]
    scores = random.normal(size=n_rows) + distance * y
    return y, scores if unit is None else np.round(scores / unit) * unit


def count_hits(random, y, scores, k):
    """Count the positives among the first k rows, in a random order of equal scores."""
    return y[np.lexsort((random.random(y.size), -scores))[:k]].sum()


@st.composite
def lists(draw):
    """Labels of both classes, scores with ties, and a capacity."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=4, max_size=8))
    y, scores = np.array(rows).T
    assume(0 < y.sum() < y.size)
    return y, scores.astype(float), draw(st.integers(1, len(rows)))


@settings(max_examples=60)
@given(lists())
def test_hits_and_chance_by_permutations(case):
    y, scores, k = case
    report = capacity_report(y, scores, k, n_resamples=100)
    hits = [sum(labels[:k]) for labels in untied.order_ties(y, scores)]
    assert report.hits == pytest.approx(np.mean(hits)) and report.hits_range == (min(hits), max(hits))
    cut_score = np.sort(scores)[-k]
    is_divided = np.count_nonzero(scores >= cut_score) > k
    assert report.ties_at_cutoff == is_divided * np.count_nonzero(scores == cut_score)
    # the labels permuted over the rows, whose ties stay
    values = []
    for positives in combinations(range(y.size), int(y.sum())):
        permuted = np.isin(np.arange(y.size), positives)
        values.append(k * precision_at_k(permuted, scores, k))
    assert report.p_value == pytest.approx(np.mean(np.array(values) >= report.hits - 1e-9))
    chance = hypergeom(y.size, y.sum(), k)
    low, high = report.hits_by_chance
    assert chance.cdf(low - 1) <= 0.025 < chance.cdf(low) and chance.sf(high) <= 0.025 < chance.sf(high - 1)


@pytest.mark.parametrize(("n_leaders", "n_tied", "k"), [(30, 30, 50), (8, 50, 50), (45, 10, 48), (0, 90, 40)])
def test_a_tiny_p_value_with_a_tie_at_the_cutoff_is_exact(n_leaders, n_tied, k):
    """Compare with a sum of products of binomial coefficients, as a fraction."""
    n, n_positives, n_above = 400, 40, k - n_leaders
    n_others = n - n_leaders - n_tied
    y, scores = np.arange(n) < n_positives, np.zeros(n)
    scores[:n_leaders], scores[n_leaders : n_leaders + n_tied] = 2.0 + np.arange(n_leaders), 1.0
    p_value = capacity_report(y, scores, k, n_resamples=100).p_value
    tied_hits = n_positives - min(n_leaders, n_positives)
    hits = Fraction(min(n_leaders, n_positives)) + Fraction(n_above * tied_hits, n_tied)
    n_choices = sum(
        math.comb(n_leaders, c) * math.comb(n_tied, r) * math.comb(n_others, n_positives - c - r)
        for c in range(min(n_leaders, n_positives) + 1)
        for r in range(min(n_tied, n_positives - c) + 1)
        if c + Fraction(n_above * r, n_tied) >= hits
    )
    assert 0.0 < p_value < 1e-20
    assert p_value == pytest.approx(float(Fraction(n_choices, math.comb(n, n_positives))), rel=1e-12)


def test_the_parts_agree_with_the_metrics():
    random = np.random.default_rng(0)
    y, scores = draw_list(random, *POPULATIONS["ties"])
    report = capacity_report(y, scores, 40)
    assert (report.k, report.n_rows, report.n_positives) == (40, 400, y.sum())
    assert report.prevalence == pytest.approx(y.mean())
    assert report.precision == pytest.approx(precision_at_k(y, scores, 40))
    assert report.recall == pytest.approx(recall_at_k(y, scores, 40))
    assert report.lift == pytest.approx(enrichment_factor(y, scores, 40))
    assert report.precision_gain == pytest.approx(report.precision - report.prevalence)
    assert report.hits_range[0] == pytest.approx(40 * precision_at_k(y, scores, 40, ties="pessimistic"))
    assert report.hits_by_chance == hypergeom(400, y.sum(), 40).interval(0.95)
    for lift, hits in zip(report.lift_by_chance, report.hits_by_chance, strict=True):
        assert lift == pytest.approx(hits / (40 * y.mean()))
    assert report.expected_hits == report.hits
    low, high = report.expected_hits_interval
    next_low, next_high = report.next_hits_interval
    assert next_low < low < report.hits < high < next_high
    assert "bootstrap" in report.interval_method and "exact" in report.interval_method


def test_a_report_is_frozen_and_can_be_written():
    y, scores = draw_list(np.random.default_rng(0), *POPULATIONS["ties"])
    report = capacity_report(y, scores, 40)
    values = json.loads(json.dumps(report.to_dict()))
    assert list(values) == [field.name for field in fields(report)] and values["k"] == 40
    with pytest.raises(FrozenInstanceError):
        report.k = 3
    text = str(report)
    assert len(text.splitlines()) == 6 and max(map(len, text.splitlines())) <= 110
    assert f"{report.hits:.4g} (precision" in text and f"{report.ties_at_cutoff} equal scores" in text
    assert "none at the cut-off" in str(capacity_report(y, scores, y.size))


def test_a_report_depends_on_its_seed_and_not_on_the_order_of_the_rows():
    random = np.random.default_rng(0)
    y, scores = draw_list(random, 400, 100, 0.2, 2.0, 0.1)
    report, rows = capacity_report(y, scores, 100), random.permutation(y.size)
    assert capacity_report(y[rows], scores[rows], 100) == report
    assert capacity_report(y, scores, 100, random_state=np.random.default_rng(0)) == report
    assert capacity_report(y, scores, 100, random_state=1) != report
    assert capacity_report(y, scores, 100, random_state=None) != report


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_intervals_cover(name):
    """The hits of other lists and their mean; either of the two methods alone fails somewhere."""
    population, random = POPULATIONS[name], np.random.default_rng(0)
    k = population[1]
    next_hits = np.array([count_hits(random, *draw_list(random, *population), k) for _ in range(1500)])
    coverage, mean_coverage = [], []
    for seed in range(150):
        y, scores = draw_list(random, *population)
        report = capacity_report(y, scores, k, n_resamples=300, random_state=seed)
        low, high = report.next_hits_interval
        coverage.append(np.mean((low <= next_hits) & (next_hits <= high)))
        low, high = report.expected_hits_interval
        mean_coverage.append(low <= next_hits.mean() <= high)
    assert np.mean(coverage) >= 0.95 - 0.01
    assert np.mean(mean_coverage) >= 0.95 - 2 * math.sqrt(0.05 * 0.95 / 150)


def test_hits_alone_leave_a_doubt():
    y, scores = np.arange(100) < 30, -np.arange(100.0)
    report = capacity_report(y, scores, 10)
    assert report.hits == report.next_hits_interval[1] == report.expected_hits_interval[1] == 10
    # 10 hits of 10: (1/40)^(1/10) by Clopper and Pearson, and at least 6 of the next 10
    assert report.expected_hits_interval[0] == pytest.approx(10 * 0.025**0.1)
    assert report.next_hits_interval[0] == 6
    assert hypergeom.sf(9, 20, 15, 10) < 0.025 < hypergeom.sf(9, 20, 16, 10)
    flipped = capacity_report(~y, scores, 10)
    assert flipped.hits == flipped.next_hits_interval[0] == 0 and flipped.next_hits_interval[1] == 4


def test_a_higher_confidence_has_wider_intervals():
    y, scores = draw_list(np.random.default_rng(0), *POPULATIONS["some hits"])
    reports = [capacity_report(y, scores, 20, confidence=level) for level in (0.5, 0.9, 0.99)]
    for name in ("expected_hits_interval", "next_hits_interval", "hits_by_chance", "lift_by_chance"):
        widths = [np.diff(getattr(report, name))[0] for report in reports]
        assert widths == sorted(widths) and widths[0] < widths[2]


def test_a_constant_scorer_is_a_random_order():
    report = capacity_report(np.arange(100) < 20, np.zeros(100), 10)
    assert report.hits == 2.0 and report.lift == 1.0 and report.p_value == 1.0
    assert report.ties_at_cutoff == 100 and report.hits_range == (0, 10)


def test_resampled_hits_have_the_moments_of_the_draws():
    """All rows are tied: the hits are k times the share of positives; those of a next list are drawn."""
    sizes, positives, k = np.array([500]), np.array([100]), 50
    resampled, next_hits = draw_hits(sizes, positives, k, 20_000, np.random.default_rng(0))
    assert resampled.mean() == pytest.approx(10.0, abs=0.03)
    assert resampled.var() == pytest.approx(k**2 * 0.2 * 0.8 / 500, rel=0.05)
    assert next_hits.mean() == pytest.approx(10.0, abs=0.1)
    # a binomial draw of k, at a rate that is known by 500 rows
    assert next_hits.var() == pytest.approx(k * 0.16 + k * (k - 1) * 0.16 / 500, rel=0.05)


@pytest.mark.parametrize("k", [1, 30, 700, 4000, 10_000])
def test_merged_groups_have_the_same_cut_off(k):
    random = np.random.default_rng(0)
    scores = np.round(random.normal(size=10_000), 4)
    sizes, positives = group_ties(random.random(10_000) < 0.3, scores)
    merged = merge_distant_groups(sizes, positives, k)
    assert [counts.sum() for counts in merged] == [sizes.sum(), positives.sum()]
    assert merged[0].size <= 24 * math.sqrt(k) + 28
    assert find_cut_off(*merged, k) == find_cut_off(sizes, positives, k)


def test_many_resamples_are_drawn_in_chunks(monkeypatch):
    sizes, positives = group_ties(np.arange(300) % 3 == 0, np.arange(300.0))
    expected = draw_hits(sizes, positives, 20, 5000, np.random.default_rng(0))
    monkeypatch.setattr(resampling, "MAX_CELLS", 1000)
    for values, other_values in zip(
        expected, draw_hits(sizes, positives, 20, 5000, np.random.default_rng(1)), strict=True
    ):
        assert values.shape == other_values.shape == (5000,)
        assert values.mean() == pytest.approx(other_values.mean(), abs=0.2)
        assert values.std() == pytest.approx(other_values.std(), rel=0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 5}, "k = 5 is above the 4 rows of the list; choose a smaller k"),
        ({"k": 0}, "k must be a whole number of rows from 1; got 0"),
        ({"k": 0.5}, "k must be a whole number of rows from 1; got 0.5"),
        ({"k": np.nan}, "k must be a whole number of rows from 1; got nan"),
        ({"k": True}, "k must be a whole number of rows from 1; got True"),
        ({"y_true": [0, 0, 0, 0]}, r"y has one class only \(\[0\]\)"),
        ({"y_true": [1, 1, 1, 1]}, r"y has one class only \(\[1\]\)"),
        ({"y_true": [1, 0, np.nan, 0]}, "whole numbers from 0 .* but y holds nan"),
        ({"y_score": [1.0, np.nan, 2.0, 3.0]}, "1 scores are NaN or infinite; check the model"),
        ({"y_score": [1.0]}, r"of one length; got \(4,\) and \(1,\)"),
        ({"confidence": 95}, "confidence must be a number between 0 and 1, such as 0.95; got 95"),
        ({"confidence": np.nan}, "confidence must be a number between 0 and 1, such as 0.95; got nan"),
        ({"n_resamples": 10}, "n_resamples must be a whole number from 100; got 10"),
        ({"n_resamples": 1e3}, "n_resamples must be a whole number from 100; got 1000.0"),
        ({"random_state": "seed"}, "random_state must be a whole number from 0, .* or None; got 'seed'"),
        ({"random_state": -1}, "random_state must be a whole number from 0, .* or None; got -1"),
    ],
)
def test_bad_input(change, message):
    arguments = {"y_true": [1, 0, 1, 0], "y_score": [4.0, 3.0, 2.0, 1.0], "k": 2}
    capacity_report(**arguments)
    with raises_one_sentence(message):
        capacity_report(**arguments | change)
