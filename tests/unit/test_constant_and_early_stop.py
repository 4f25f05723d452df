"""The published Lipschitz constant and FenchelRank's early stop: measured, against oracles."""

import numpy as np
import pandas as pd
import pytest

from reproduction.papers import paper
from reproduction.papers.laporte2014.constant import figure as block_figures
from reproduction.papers.laporte2014.constant.experiment import COLUMNS, measure_solvers, solve_to_level
from reproduction.papers.laporte2014.early_stop.experiment import COLUMNS as STOP_COLUMNS
from reproduction.papers.laporte2014.early_stop.experiment import (
    evaluate_on_ball,
    measure_early_stops,
    minimise_on_ball,
)
from reproduction.plotting import style
from reproduction.plotting.style import save_figure
from reproduction.specs.paper import import_object
from toprank import FenchelRank
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking
from toprank.solvers import fista, frank_wolfe, prox_newton


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(7)
    qid = np.repeat(np.arange(8), 9)
    X = random.normal(size=(qid.size, 6)) @ np.diag([1.0, 1.0, 1.0, 0.8, 0.5, 0.05])
    y = np.digitize(X[:, 0] + X[:, 1] + 2.0 * random.normal(size=qid.size), [0.0, 2.0])
    return X, y, qid


@pytest.fixture(scope="module")
def problem(data):
    return PairwiseRanking.from_data(*data, 1.0, L1())


@pytest.fixture(scope="module")
def cost_table(problem):
    rows = measure_solvers(problem, [0.01, 0.1], 1e-6, max_iter=5000, time_limit=60)
    return pd.DataFrame([{"dataset": "d", "split": 0} | row for row in rows], columns=list(COLUMNS))


@pytest.fixture(scope="module")
def stop_table(problem):
    rows = [{"dataset": "d", "split": 0} | row for row in measure_early_stops(problem, [4, 0.5, 64])]
    return pd.DataFrame(rows, columns=list(STOP_COLUMNS))


def test_the_constants_are_trace_and_largest_eigenvalue_over_the_pairs(data, cost_table):
    X, y, qid = data
    i, j = np.nonzero((qid[:, None] == qid[None, :]) & (y[:, None] > y[None, :]))
    gram = 2.0 * (X[i] - X[j]).T @ (X[i] - X[j])
    trace, exact = cost_table["constant"][:2]
    assert trace == pytest.approx(np.trace(gram), rel=1e-12)
    assert exact == pytest.approx(np.linalg.eigvalsh(gram)[-1], rel=1e-9)


def test_each_problem_is_solved_by_three_solvers_to_the_level(problem, cost_table):
    assert cost_table["solver"].tolist() == 2 * ["fista_trace", "fista_exact", "prox_newton"]
    assert cost_table["share"].tolist() == 3 * [0.1] + 3 * [0.01]
    assert cost_table["reached"].all() and (cost_table["status"] == "reached").all()
    assert (cost_table["excess"] <= 1e-6).all() and (cost_table["relative_gap"] <= 1.1e-6).all()
    by_solver = dict(list(cost_table.groupby("solver")))
    trace, exact, newton = (by_solver[name] for name in block_figures.SOLVER_STYLES)
    assert (trace["iterations"].to_numpy() > exact["iterations"].to_numpy()).all()
    assert (exact["iterations"].to_numpy() > newton["iterations"].to_numpy()).all()
    assert (exact["ratio"] == 1).all() and (trace["ratio"] > 1).all() and newton["ratio"].isna().all()
    for row in cost_table.itertuples():
        certificate = prox_newton.solve(problem.with_alpha(row.alpha), tol=1e-12).certificate
        assert row.optimum == pytest.approx(certificate.objective, rel=1e-9)
        assert row.lower_bound <= certificate.objective * (1 + 1e-12)


def test_a_run_that_is_stopped_says_so_and_is_no_faster_than_it_was(problem):
    rows = list(measure_solvers(problem, [0.001], 1e-9, max_iter=20, time_limit=60))
    slow = [row for row in rows if row["solver"] != "prox_newton"]
    assert [(row["status"], row["reached"]) for row in slow] == 2 * [("max_iterations", False)]
    assert all(row["iterations"] == 20 and row["excess"] > 1e-9 for row in slow)


def test_the_first_look_within_the_level_ends_a_run(problem):
    weighted = problem.with_alpha(0.1 * problem.lambda_max())
    optimum = prox_newton.solve(weighted, tol=1e-12).certificate.objective
    _, n_iter, w, objective = solve_to_level(fista.solve, weighted, optimum, 1e-3, max_iter=5000)
    assert objective == pytest.approx(weighted.objective(w), rel=1e-12) and objective <= 1.001 * optimum
    iterations = []
    fista.solve(weighted, max_iter=n_iter, tol=0.0, callback=lambda step: iterations.append(step.objective))
    assert all(value > 1.001 * optimum for value in iterations[:-1]) and iterations[-1] == pytest.approx(
        objective
    )


@pytest.mark.parametrize("radius", [0.05, 0.5, 3.0])
def test_the_optimum_in_the_ball_is_that_of_many_frank_wolfe_steps(problem, radius):
    w, share = minimise_on_ball(problem, radius)
    objective, gap = evaluate_on_ball(problem, w, radius)
    assert np.abs(w).sum() <= radius * (1 + 1e-12) and 0.0 < share < 1.0
    assert gap <= 1e-7 * objective
    other = frank_wolfe.solve(problem, radius=radius, tol=1e-4, max_iter=20_000).certificate
    assert objective <= other.objective * (1 + 1e-9) and other.lower_bound <= objective * (1 + 1e-12)
    assert other.objective - objective <= 2e-4


def test_a_ball_that_holds_the_minimiser_does_not_bind(problem):
    w, share = minimise_on_ball(problem, 1e4)
    assert share == pytest.approx(1e-8) and np.abs(w).sum() < 1e4
    loss = problem.loss(problem.X @ w)
    assert np.abs(problem.gradient(loss)).max() <= 1e-7 * problem.lambda_max()


def test_early_stops_are_those_of_the_estimator(data, stop_table):
    assert stop_table["radius"].tolist() == [0.5, 4, 64]
    for row in stop_table.itertuples():
        model = FenchelRank(radius=row.radius).fit(*data)
        assert row.iterations == model.n_iter_ and row.status == model.certificate_.status
        assert row.variables == np.count_nonzero(model.coef_)
    assert (stop_table["excess"] >= -1e-9).all() and (stop_table["optimum_gap"] <= 1e-5).all()
    gap = stop_table["relative_gap"]
    assert (stop_table["excess"] <= gap / (1 - gap) + 1e-9).all()
    smaller_counts = stop_table[["variables", "optimum_variables"]].min(axis=1)
    assert (stop_table["shared_variables"] <= smaller_counts).all()


@pytest.mark.parametrize("name", ["constant", "early_stop"])
def test_the_figures_are_drawn_and_described(name, cost_table, stop_table, tmp_path):
    table = cost_table if name == "constant" else stop_table
    (figure,) = paper("laporte2014").experiment(name).figures
    save_figure(style.draw_figure(figure, [table]), [tmp_path / f"{name}.svg"])
    assert (tmp_path / f"{name}.svg").read_text(encoding="utf-8").count("<path") > 10
    label = "d: FISTA, published L " if name == "constant" else f"{table.iloc[-1]['optimum_variables']:.0f}"
    alt_text = import_object(figure.alt_text)(table)
    assert label in alt_text and "d" in alt_text
    missing = pd.DataFrame([{"dataset": "d", "status": "not obtained", "message": "lacks a file."}])
    figure_drawn = style.draw_figure(figure, [missing.reindex(columns=table.columns)])
    assert figure_drawn.texts[0].get_text() == "not obtained: lacks a file."


def test_beside_a_set_that_was_not_obtained_truth_values_stay(cost_table, tmp_path):
    missing = pd.DataFrame([{"dataset": "e", "status": "not obtained", "message": "lacks a file."}])
    pd.concat([cost_table, missing]).to_csv(tmp_path / "constant.csv", index=False)
    obtained = block_figures.select_obtained(pd.read_csv(tmp_path / "constant.csv"))
    assert obtained["reached"].dtype == bool and set(obtained["dataset"]) == set(cost_table["dataset"])
