"""Figures 2 and 3 of K15: the followed iterates against the solvers themselves, the clocks, the words."""

import math
from types import SimpleNamespace

import cached_optima as references
import numpy as np
import pytest
from ranking_data import gaussians, solver_of, stack_classes, surrounded_positives, to_format
from sklearn.metrics import roc_auc_score, roc_curve
from studies import as_read, texts

from reproduction.fitting.feature_scaling import scale_features
from reproduction.papers import paper
from reproduction.papers.kadkhodaie2015.convergence import experiment as convergence
from reproduction.papers.kadkhodaie2015.convergence import figures as drawn
from reproduction.papers.kadkhodaie2015.convergence import trace_analysis as analysis
from reproduction.papers.kadkhodaie2015.convergence.split_problem import SplitProblem
from reproduction.plotting.style import draw_figure as draw_record
from reproduction.reporting.study_report import read_drawing
from toprank import TopPush
from toprank import clock as clock_module
from toprank.metrics import positives_at_top
from toprank.problems.top import TopRanking
from toprank.solvers import dual_gradient

X, Y = stack_classes(*gaussians(m=40, n=60, d=5))
X_TEST, Y_TEST = stack_classes(*gaussians(m=30, n=40, d=5, seed=5))
ALPHA, ITERATIONS, STRIDE = 0.1, 330, 50
RHO = {"admm": 0.1, "a2dm2": 0.01, "a2dm2_restart": 0.1}
SOLVER = {"toppush": "dual", "admm": "admm", "a2dm2": "a2dm2", "a2dm2_restart": "a2dm2-restart"}
OPTIONS = {method: {"rho": rho} for method, rho in RHO.items()} | {"toppush": {"stop": "published"}}
PERTURBATION = {"lambda1": 0.01, "lambda2": 0.01, "eta": 0.8}
NAMES = {"dataset": "overlap", "feature_scaling": "raw", "split": 0}


def followed(method, train=(X, Y), rho=None, iterations=ITERATIONS, feature_scaling="raw"):
    rho = RHO.get(method) if rho is None else rho
    X_train, X_test = scale_features(feature_scaling, train[0], X_TEST)
    case = SplitProblem((X_train, train[1]), (X_test, Y_TEST), ALPHA, PERTURBATION)
    return convergence.trace_method(case, method, iterations, STRIDE, rho)


@pytest.fixture(scope="module")
def runs():
    return {method: followed(method) for method in convergence.METHODS}


@pytest.fixture(scope="module")
def tables(runs):
    """Figure 2 and Figure 3."""
    return tuple(
        as_read([NAMES | row for run in runs.values() for row in run[i]], columns)
        for i, columns in enumerate((convergence.FIGURE2_COLUMNS, convergence.FIGURE3_COLUMNS))
    )


@pytest.mark.parametrize("method", ["toppush", "admm", "a2dm2", "a2dm2_restart"])
def test_the_rows_are_those_of_shorter_fits(runs, method):
    """A fit that is stopped after k iterations ends where the k-th row says."""
    by_iteration = {row["iteration"]: row for row in runs[method][0]}
    for k in (1, 10, 11, 100, 300, ITERATIONS):
        solver = solver_of(SOLVER[method], **OPTIONS[method])
        model = TopPush(ALPHA, solver=solver, tol=1e-300, max_iter=k).fit(X, Y)
        row = by_iteration[k]
        assert row["objective"] == pytest.approx(model.certificate_.objective, rel=1e-9)
        assert row["positives_at_top"] == positives_at_top(Y_TEST, model.decision_function(X_TEST))
        assert row["positives_at_top_train"] == positives_at_top(Y, model.decision_function(X))


@pytest.mark.parametrize("method", convergence.METHODS)
def test_what_is_measured_against_what(runs, method):
    reference, _ = references.top_ranking(X[Y > 0], X[Y <= 0], ALPHA)
    figure2, _ = runs[method]
    for row in figure2:
        assert row["optimum"] == pytest.approx(reference, rel=1e-7)
        assert row["suboptimality"] == pytest.approx(row["objective"] / reference - 1.0, abs=1e-6)
        assert row["suboptimality"] >= 0.0
    seconds = [row["seconds"] for row in figure2]
    assert min(seconds) > 0 and np.all(np.diff(seconds) > 0)
    assert set(figure2[0]) <= set(convergence.FIGURE2_COLUMNS)


def test_the_iterations_that_have_a_row(runs):
    iterations = [row["iteration"] for row in runs["admm"][0]]
    assert iterations == sorted(set(iterations)) and {*range(1, 101), 150, 200, 250, 300, ITERATIONS} <= set(
        iterations
    )
    assert [row["iteration"] for row in runs["exact"][0]] == list(range(1, len(runs["exact"][0]) + 1))


@pytest.mark.parametrize("method", ["toppush", "admm", "a2dm2", "a2dm2_restart"])
def test_the_published_stop_is_where_the_published_fit_ends(method):
    figure2, figure3 = followed(method, iterations=3000)
    solver = solver_of(SOLVER[method], **OPTIONS[method])
    model = TopPush(ALPHA, solver=solver).fit(X, Y)
    stop = figure2[0]["published_stop"]
    assert stop == model.n_iter_ and figure2[-1]["iteration"] == 3000
    (row,) = [row for row in figure2 if row["iteration"] == stop]
    assert row["objective"] == pytest.approx(model.certificate_.objective, rel=1e-12)
    scores = model.decision_function(X_TEST)
    curve = [row for row in figure3 if row.get("iterate") == "published stop"]
    points = [(row["false_positive_rate"], row["true_positive_rate"]) for row in curve]
    assert points == list(zip(*roc_curve(Y_TEST, scores)[:2], strict=True))
    residuals = [row for row in figure3 if row["kind"] == "residual"]
    assert bool(residuals) == (method != "toppush")
    stopped_at = [r["iteration"] for r in residuals if r["primal_residual"] + r["dual_residual"] < 1e-4]
    assert not residuals or min(k for k in stopped_at if k > 10) == stop


def test_a_rule_that_never_holds_is_no_stop(runs):
    assert runs["exact"][0][0]["published_stop"] is None
    figure2, _ = followed("admm", rho=1e-4, iterations=150)
    assert figure2[0]["published_stop"] is None and figure2[-1]["status"] == "max_iterations"


def test_the_limit_is_that_of_the_problem_that_is_minimised(runs):
    assert runs["admm"][0][0]["limit"] == runs["toppush"][0][0]["limit"] == runs["exact"][0][0]["optimum"]
    _, w = references.perturbed_top_ranking(X[Y > 0], X[Y <= 0], ALPHA)
    expected = TopRanking.from_labels(X, Y, ALPHA).objective(w)
    assert runs["a2dm2"][0][0]["limit"] == pytest.approx(expected, rel=1e-12)
    figure2, _ = followed("a2dm2_restart", iterations=3000)
    assert figure2[-1]["objective"] == pytest.approx(expected, rel=1e-5)
    assert expected > figure2[0]["optimum"] * 1.001


def test_the_largest_step_is_that_of_theorem_1(runs):
    rows = X[Y > 0], X[Y <= 0]
    A = np.vstack([np.insert(rows[0], 5, -1.0, axis=1), np.insert(-rows[1], 5, 1.0, axis=1)])
    largest = (0.01 * 0.01**2 / np.linalg.norm(A.T @ A, 2)) ** (1 / 3)
    assert runs["a2dm2"][0][0]["rho_bound"] == pytest.approx(largest, rel=1e-9)
    assert runs["admm"][0][0]["rho_bound"] is runs["exact"][0][0]["rho_bound"] is None


def test_a_diverging_run_has_rows_up_to_its_end():
    figure2, figure3 = followed("a2dm2", rho=100.0, iterations=5000)
    assert figure2[-1]["status"] == "diverged" and figure2[-1]["iteration"] < 5000
    assert all(math.isfinite(row["objective"]) for row in figure2[:10]) and figure3


def test_wide_rows_give_the_same_as_their_rotation():
    wide = np.hstack([X[:12], np.zeros((12, 20))])
    test = np.hstack([X_TEST, np.zeros((len(X_TEST), 20))])
    narrow, rotated = (
        convergence.trace_method(SplitProblem((train, Y[:12]), (part, Y_TEST), ALPHA), "admm", 60, 20, 0.1)[0]
        for train, part in ((X[:12], X_TEST), (wide, test))
    )
    for first, other in zip(narrow, rotated, strict=True):
        assert first["objective"] == pytest.approx(other["objective"], rel=1e-8)
        assert first["positives_at_top"] == other["positives_at_top"]


@pytest.mark.parametrize("method", convergence.METHODS)
def test_sparse_rows_give_the_same(runs, method):
    (sparse,) = to_format("csr", X)
    figure2, _ = followed(method, train=(sparse, Y))
    for first, other in zip(figure2, runs[method][0], strict=False):
        assert first["objective"] == pytest.approx(other["objective"], rel=1e-6)


def test_an_unknown_method_is_named():
    with pytest.raises(ValueError, match=r"\Aunknown method 'topush'; .* toppush, admm"):
        convergence.run_method(TopRanking.from_labels(X, Y, ALPHA), "topush", None)


class Clocked(TopRanking):
    """A problem whose objective takes 10 seconds of a clock that stands still otherwise."""

    def objective(self, *args):
        now[0] += 10.0
        return super().objective(*args)


now = [0.0]


@pytest.fixture
def watched(monkeypatch):
    """Steps that a callback sees, which takes a thousand seconds of a clock that stands still otherwise."""
    now[0], steps = 0.0, []
    monkeypatch.setattr(clock_module, "perf_counter", lambda: now[0])

    def visit(step):
        steps.append(step)
        now[0] += 1000.0

    return steps, visit


@pytest.mark.parametrize("method", convergence.METHODS)
def test_what_is_watched_is_not_counted(watched, method):
    steps, visit = watched
    problem = (Clocked if method == "toppush" else TopRanking)(X[Y > 0], X[Y <= 0], ALPHA)
    convergence.run_method(problem, method, visit, RHO.get(method), PERTURBATION, max_iter=4, time_limit=5.0)
    assert [step.seconds for step in steps] == [0.0] * 4
    for step in steps:
        assert math.isnan(step.primal) == (method not in convergence.SOLVER_VARIANTS) == math.isnan(step.dual)


def test_the_objective_counts_where_the_rule_needs_it(watched):
    steps, visit = watched
    options = {"stop": "gap", "callback": visit, "tol": -1.0, "max_iter": 20}
    solution = dual_gradient.solve(Clocked(X[Y > 0], X[Y <= 0], ALPHA), **options)
    assert [step.seconds for step in steps] == [10.0 * k for k in range(1, 21)]
    assert solution.certificate.status == "max_iterations"


def test_a_negative_tolerance_never_stops_toppush():
    surrounded = TopRanking(*surrounded_positives(), 10.0)
    assert dual_gradient.solve(surrounded, max_iter=4000, tol=-1.0).n_iter == 4000
    assert dual_gradient.solve(surrounded, max_iter=4000, tol=1e-4).n_iter < 4000


def test_the_figures_are_complete(tables):
    for draw, table in zip((drawn.draw_figure2, drawn.draw_figure3), tables, strict=True):
        words = set(texts(draw(table)))
        assert {"TopPush", "ADMM (ρ = 0.1)", "A2DM2 (ρ = 0.01)", "Exact", "published stop (open)"} <= words
    objective = {tuple(line.get_xdata()) for line in drawn.draw_figure2(tables[0]).axes[0].lines}
    iterations = tables[0][tables[0]["method"] == "toppush"]["iteration"]
    assert tuple(iterations) in objective


def test_the_figures_say_the_same_in_words(tables):
    figure2, figure3 = tables
    last = figure2[figure2["method"] == "exact"].iloc[-1]
    assert f"Exact ends {last['suboptimality']:.1e} above" in drawn.describe_figure2(figure2)
    model = TopPush(ALPHA, solver="exact", tol=convergence.CERTIFIED_GAP).fit(X, Y)
    area = roc_auc_score(Y_TEST, model.decision_function(X_TEST))
    assert f"Exact {area:.3f}" in drawn.describe_figure3(figure3)


def test_an_objective_settles_where_it_stays_near_its_limit(tables):
    figure2 = tables[0].copy()
    is_admm, is_late = figure2["method"] == "admm", figure2["iteration"] > 100
    figure2.loc[is_admm, "objective"] = figure2["optimum"].iloc[0] * (1.0 + 5 * analysis.CONVERGENCE_TOL)
    figure2.loc[is_admm & is_late, "objective"] = figure2["optimum"].iloc[0] * (
        1.0 + analysis.CONVERGENCE_TOL / 2
    )
    first = figure2[is_admm & is_late]["iteration"].iloc[0]
    assert analysis.find_convergence(figure2)["admm"]["iteration"] == first
    never = figure2.assign(objective=figure2["objective"].where(~(is_admm & is_late), 2.0))
    assert "iteration" not in analysis.find_convergence(never)["admm"]


def test_changes_of_the_top_are_those_of_the_rows(tables):
    figure2 = tables[0].assign(positives_at_top=np.arange(len(tables[0])))
    changes = analysis.find_last_changes(figure2)["toppush"]
    assert changes["last_change"] == changes["first_highest"] == ITERATIONS
    assert changes["highest"] == changes["final"]
    flat = analysis.find_last_changes(tables[0].assign(positives_at_top=3))["toppush"]
    assert (flat["last_change"], flat["highest"]) == (1, 3)


def test_residuals_stop_where_the_rows_say(tables):
    figure3 = tables[1].copy()
    for method, stop in {"admm": 90, "a2dm2": 40, "a2dm2_restart": math.nan}.items():
        figure3.loc[figure3["method"] == method, "published_stop"] = stop
    stops = {method: row["stop"] for method, row in analysis.find_residual_stops(figure3).items()}
    assert stops == {"admm": 90, "a2dm2": 40, "a2dm2_restart": None}


def test_a_set_that_was_not_obtained_says_so(tmp_path):
    row = NAMES | {"method": "admm", "status": "not obtained", "message": "no file"}
    column_lists = (convergence.FIGURE2_COLUMNS, convergence.FIGURE3_COLUMNS)
    figure2, figure3 = (as_read([row], columns) for columns in column_lists)
    (tmp_path / "drawn.svg").write_text("<svg/>", encoding="utf-8")
    figures = paper("kadkhodaie2015").experiment("convergence").figures
    for figure, table in zip(figures, (figure2, figure3), strict=True):
        assert "no file" in draw_record(figure, [table]).texts[0].get_text()
        study = SimpleNamespace(table={figure.name: table}.get, file=lambda name: tmp_path / "drawn.svg")
        assert read_drawing(study, figure).description == "Not obtained: no file"
