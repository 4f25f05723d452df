"""Iterations and seconds to levels of suboptimality against a plain loop; profiles against brute force."""

import functools
import math

import cached_optima as references
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranking_data import gaussians, stack_classes, surrounded_positives
from studies import as_read, texts

from reproduction.papers.kadkhodaie2015.convergence import experiment as convergence
from reproduction.papers.kadkhodaie2015.convergence.split_problem import certify_optimum
from reproduction.papers.kadkhodaie2015.suboptimality import experiment as suboptimality
from reproduction.papers.kadkhodaie2015.suboptimality import profiles as shown
from toprank.problems.top import TopRanking

X, Y = stack_classes(*gaussians(m=40, n=60, d=5))
LEVELS = (1e-2, 1e-4, 1e-6)
RHO = {"admm": 0.1, "a2dm2": 0.01, "a2dm2_restart": 0.1}
NAMES = {"dataset": "overlap", "feature_scaling": "raw"}


@functools.cache
def reach_levels(method, alpha=0.1, levels=LEVELS, max_iter=3000, time_limit=60.0, rho=None):
    problem = TopRanking.from_labels(X, Y, alpha)
    optimum = certify_optimum(problem).objective
    rho = RHO.get(method) if rho is None else rho
    return suboptimality.run_to_levels(problem, optimum, method, levels, max_iter, time_limit, rho)


@pytest.mark.parametrize("method", convergence.METHODS)
def test_levels_are_reached_where_a_plain_loop_finds_them(method):
    reference, _ = references.top_ranking(X[Y > 0], X[Y <= 0], 0.1)
    problem, steps = TopRanking.from_labels(X, Y, 0.1), []
    options = {"max_iter": 30, "tol": 1e-12} if method == "exact" else {"max_iter": 3000}
    convergence.run_method(problem, method, steps.append, RHO.get(method), **options)
    excess = [problem.objective(step.w) / reference - 1 for step in steps]
    reached, summary = reach_levels(method)
    for costs in zip(*(reached[level] for level in LEVELS), strict=True):
        assert list(costs) == sorted(costs)  # smaller levels take no less
    for level in LEVELS:
        early_iterations = [k for k, value in enumerate(excess, 1) if value <= level + 1e-8]
        iterations, seconds = reached[level]
        if not early_iterations:
            assert iterations == seconds == math.inf
        elif early_iterations[0] <= suboptimality.N_LEADING_CHECKS:
            assert iterations == early_iterations[0] and seconds > 0
        else:  # looked at every hundredth part more: not before, and at the next look that is within
            assert iterations in early_iterations and iterations >= early_iterations[0]
    if reached[LEVELS[-1]][0] < math.inf:
        assert summary["status"] == "reached" and summary["last_iteration"] == reached[LEVELS[-1]][0]
        assert summary["smallest"] <= LEVELS[-1]


def test_the_exact_solver_and_admm_reach_all_levels():
    assert reach_levels("exact")[1]["status"] == reach_levels("admm")[1]["status"] == "reached"


def test_a_method_of_the_perturbed_problem_never_comes_to_the_optimum():
    """It comes to its own limit instead, and ends there."""
    reached, summary = reach_levels("a2dm2_restart", levels=(1e-6,), max_iter=100_000)
    assert reached == {1e-6: (math.inf, math.inf)}
    _, w = references.perturbed_top_ranking(X[Y > 0], X[Y <= 0], 0.1)
    problem = TopRanking.from_labels(X, Y, 0.1)
    optimum, _ = references.top_ranking(X[Y > 0], X[Y <= 0], 0.1)
    assert summary["status"] == "stopped" and summary["last_iteration"] < 100_000
    assert 0 < summary["smallest"] <= problem.objective(w) / optimum - 1 + 1e-6


@pytest.mark.parametrize(
    ("options", "status"), [({"max_iter": 5}, "max_iterations"), ({"time_limit": 0.0}, "time_limit")]
)
def test_a_run_that_is_cut_off_is_infinite(options, status):
    reached, summary = reach_levels("admm", **options)
    assert set(reached.values()) == {(math.inf, math.inf)} and summary["status"] == status
    assert summary["last_iteration"] <= 5 and summary["smallest"] > 1e-2


def test_a_diverging_run_is_infinite():
    reached, summary = reach_levels("a2dm2", rho=100.0)
    assert summary["status"] == "diverged" and reached[1e-6] == (math.inf, math.inf)


def rows_of(method, alphas=(0.1, 1.0), rhos=(0.1, 1.0), data=(X, Y), max_iter=2000):
    problem = TopRanking.from_labels(*data, 1.0)
    return list(suboptimality.measure_suboptimality(problem, method, alphas, LEVELS, rhos, max_iter, 60.0))


def table_of(rows, **names):
    return as_read([NAMES | names | row for row in rows], suboptimality.SUBOPTIMALITY_COLUMNS)


def test_rows_and_the_best_rho():
    rows = rows_of("admm")
    assert len(rows) == 2 * 2 * 3 and all(
        set(row) <= set(suboptimality.SUBOPTIMALITY_COLUMNS) for row in rows
    )
    table = table_of(rows)
    for _, block in table.groupby(["alpha", "level"]):
        assert block["best_rho"].sum() == 1
        assert block.loc[block["best_rho"], "iterations"].iloc[0] == block["iterations"].min()
        reference, _ = references.top_ranking(X[Y > 0], X[Y <= 0], block["alpha"].iloc[0])
        assert block["optimum"].tolist() == pytest.approx([reference] * 2, rel=1e-7)
        assert block["zero_suboptimality"].tolist() == pytest.approx([1 / reference - 1] * 2, rel=1e-6)
    assert [row["rho"] for row in rows_of("toppush")] == [None] * 6


def test_where_no_rho_reaches_a_level_the_nearest_is_the_best():
    table = table_of(rows_of("a2dm2", rhos=(1e-4, 0.01), max_iter=50))
    for _, block in table[table["level"] == 1e-6].groupby("alpha"):
        assert np.isinf(block["iterations"]).all()
        assert block.loc[block["best_rho"], "smallest"].iloc[0] == block["smallest"].min()


@pytest.mark.parametrize("method", convergence.METHODS)
def test_where_zero_is_optimal_nothing_runs(method):
    rows = rows_of(method, data=stack_classes(*surrounded_positives()))
    assert {row["status"] for row in rows} == {"zero"}
    assert {(row["iterations"], row["seconds"], row["last_iteration"]) for row in rows} == {(0, 0.0, 0)}


def test_an_error_is_a_row():
    rows = rows_of("admm", rhos=("none",))
    assert {row["status"] for row in rows} == {"failed"} and all("\n" not in row["message"] for row in rows)
    assert {row["iterations"] for row in rows} == {math.inf}


COST = st.one_of(st.just(math.inf), st.floats(1e-3, 1e3))


@given(st.lists(st.tuples(COST, COST, COST), min_size=1, max_size=8), st.floats(1.0, 1e6))
def test_a_profile_is_its_definition(costs, factor):
    names = ["a", "b", "c"]
    profile = shown.compute_ratios(pd.DataFrame(costs, columns=names))
    for j, name in enumerate(names):
        solved = [c for c in costs if c[j] < math.inf and c[j] / min(c) <= factor]
        assert np.mean(profile[name] <= factor) == pytest.approx(len(solved) / len(costs))
        assert np.isinf(profile[name]).sum() == sum(c[j] == math.inf for c in costs)
        assert list(profile[name]) == sorted(profile[name])


@pytest.fixture(scope="module")
def table():
    """Two data sets that were run, one on which w = 0 is optimal, one that was not obtained."""
    parts = []
    for method in convergence.METHODS:
        rows = rows_of(method)
        parts.append(table_of(rows))
        parts.append(table_of(rows, dataset="other", feature_scaling="standardised"))
        parts.append(table_of(rows_of(method, data=stack_classes(*surrounded_positives())), dataset="hull"))
        missing = {"method": method, "status": "not obtained", "message": "no file"}
        parts.append(table_of([missing], dataset="w8a"))
    return pd.concat(parts, ignore_index=True)


def test_costs_are_those_of_the_best_rho_without_the_trivial_problems(table):
    for level in LEVELS:
        costs = shown.pivot_costs(table, level, "iterations")
        cases = (("other", "standardised"), ("overlap", "raw"))
        assert sorted(costs.index) == [(*case, alpha) for case in cases for alpha in (0.1, 1.0)]
        assert set(costs.columns) == set(convergence.METHODS)
        ran = table[(table["level"] == level) & (table["dataset"] == "overlap") & (table["method"] == "admm")]
        for alpha, block in ran.groupby("alpha"):
            assert costs.loc[("overlap", "raw", alpha), "admm"] == block["iterations"].min()


def test_the_figure_is_the_profile(table):
    figure = shown.draw_suboptimality(table)
    assert len(figure.axes) == len(LEVELS)
    expected = shown.compute_ratios(shown.pivot_costs(table, 1e-2, "seconds"))
    ends = {tuple(line.get_ydata())[-1] for line in figure.axes[0].lines}
    assert ends == {np.mean(np.isfinite(ratios)) for ratios in expected.values()} - {0.0}
    words = set(texts(figure))
    assert {"TopPush", "Exact"} <= words and "A2DM2" not in words, "whose curve is not there"
    assert any(word.endswith("\nnever: A2DM2, A2DM2 + restart") for word in words)


def test_the_summary_has_a_cell_a_level(table):
    summary = shown.summarise_levels(table)
    assert [*summary] == [
        *("dataset", "feature_scaling", "alpha", "method", "note"),
        "1e-02",
        "1e-04",
        "1e-06",
    ]
    exact = summary[(summary["dataset"] == "overlap") & (summary["method"] == "Exact")].iloc[0]
    rows = table[(table["dataset"] == "overlap") & (table["method"] == "exact") & (table["alpha"] == 0.1)]
    row = rows[rows["level"] == 1e-6].iloc[0]
    assert exact["1e-06"].text == f"{row['iterations']:.0f} / {row['seconds']:.2g} s"
    restart = summary[(summary["dataset"] == "overlap") & (summary["method"] == "A2DM2 + restart")]
    assert {cell.text for cell in restart["1e-06"]} == {"∞"}
    notes = summary.set_index("dataset")["note"]
    assert set(notes["hull"]) == {"w = 0 is optimal"} and notes["w8a"] == "not obtained: no file"


def test_the_words_say_how_many_problems_are_solved(table):
    words = shown.describe(table)
    assert "to 1e-06, of 4: " in words and "Exact 4 (median" in words and "A2DM2 0" in words


def test_with_trivial_problems_alone_there_is_no_profile(table):
    trivial = table[table["dataset"].isin(["hull", "w8a"])]
    assert shown.describe(trivial) == "Performance profiles, a panel a level, in seconds."
    assert shown.draw_suboptimality(trivial).texts
    assert list(shown.summarise_levels(trivial)["note"]) == ["w = 0 is optimal"] * 2 + [
        "not obtained: no file"
    ]
