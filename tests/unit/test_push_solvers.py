"""Infinite push: every solver against the conic solver on the pairs, and against each other."""

import warnings
from itertools import product

import cached_optima as references
import numpy as np
import pytest
from ranking_data import assert_certified, counts, gaussians, surrounded_positives, to_format, wdbc

from toprank.penalties import L1, GroupL2, SquaredL2
from toprank.problems import two_classes
from toprank.problems.push import PushRanking, prox_max_hinge
from toprank.solvers import pairs, push_admm, push_dual, push_exact, push_model
from toprank.solvers.regularisation_max import lambda_max
from toprank.solvers.solver_specs import PairADMM

PROBLEMS = {
    "overlap": gaussians(m=12, n=16),
    "surrounded": surrounded_positives(m=10, n=24),
    "counts": counts(m=15, n=22),
    "wdbc": wdbc(m=15, n=20),
    "small overlap": gaussians(m=8, n=10, d=3),
    "small counts": counts(m=10, n=12, d=6),
}
PENALTIES = ("l1", "l2", "group")


@pytest.fixture(autouse=True)
def sparse_stays_sparse(monkeypatch):
    """However small the data of these tests."""
    monkeypatch.setattr(two_classes, "DENSE_MAX_ENTRIES", 0)


def build(name, alpha, penalty, kind="dense"):
    """The problem, and the groups for the reference."""
    positives, negatives = PROBLEMS[name]
    d = positives.shape[1]
    groups = [list(range(first, min(first + 3, d))) for first in range(0, d, 3)]
    penalty = {"l1": L1(), "l2": SquaredL2(), "group": GroupL2.from_groups(groups, d)}[penalty]
    return PushRanking(*to_format(kind, positives, negatives), alpha, penalty), groups


#: name -> solver, its options, and the relative gap that it has to reach
SOLVERS = {
    "exact": (push_exact.solve, {}, 1e-8),
    "exact by 1": (push_exact.solve, {"rows_per_step": 1, "max_iter": 500}, 1e-8),
    "exact by 3": (push_exact.solve, {"rows_per_step": 3, "max_iter": 500}, 1e-8),
    "admm": (push_admm.solve, {"tol": 1e-6, "max_iter": 30_000}, 1e-6),
    "dual": (push_dual.solve, {"tol": 1e-6}, 1e-6),
}
RUNS = [
    *product(["exact"], PENALTIES, [1e-3, 0.05, 1.0], ["overlap", "surrounded", "counts", "wdbc"]),
    *product(["exact by 1", "exact by 3"], PENALTIES, [0.05], ["counts"]),
    *product(["admm"], PENALTIES, [0.1], ["small overlap", "small counts"]),
    *product(["dual"], ["l2"], [0.1], ["overlap", "surrounded", "counts"]),
]


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize(("solver", "penalty", "alpha", "name"), RUNS)
def test_every_solver_reaches_the_conic_solver(solver, penalty, alpha, name, kind):
    solve, options, gap = SOLVERS[solver]
    problem, groups = build(name, alpha, penalty, kind)
    reference, _ = references.infinite_push(*PROBLEMS[name], alpha, penalty, groups)
    w, certificate, _ = solve(problem, **options)
    assert certificate.objective == pytest.approx(problem.objective(w), rel=1e-12)
    assert_certified(certificate, reference, gap)


def test_exact_with_a_warm_start():
    problem, _ = build("wdbc", 0.05, "l1")
    w, expected, _ = push_exact.solve(problem)
    _, certificate, n_iter = push_exact.solve(problem, start=w)
    assert certificate.status == "certified" and n_iter <= 2
    assert certificate.objective == pytest.approx(expected.objective, rel=1e-8)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_exact_generates_columns(kind, monkeypatch):
    """Many more features than rows: only those worth a weight enter the models, if these go alone."""
    monkeypatch.setattr(push_exact, "COMPLETE_MODEL_MAX_D", 1200)
    positives, negatives = gaussians(m=15, n=20, d=1200, shift=6.0)
    alpha = 0.3 * lambda_max(positives, negatives) / 2
    problem = PushRanking(*to_format(kind, positives, negatives), alpha, L1())
    entered, solve_model = [], push_exact.PushModel.solve

    def spy(model, *arguments):
        entered.append(model.features.size)
        return solve_model(model, *arguments)

    monkeypatch.setattr(push_exact.PushModel, "solve", spy)
    w, certificate, _ = push_exact.solve(problem)
    assert certificate.status == "certified" and max(entered) < 1200
    monkeypatch.setattr(push_model, "COMPLETE_MODEL_MAX_D", 1200)
    _, expected, _ = push_exact.solve(problem)
    assert certificate.objective == pytest.approx(expected.objective, rel=1e-7)
    assert 0 < np.count_nonzero(w) <= 35  # a vertex has no more features than rows


@pytest.mark.parametrize("solve", [push_admm.solve, push_dual.solve])
def test_too_many_pairs_are_told(monkeypatch, solve):
    problem = PushRanking(*gaussians(m=15, n=20, d=3), 0.1, SquaredL2())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve(problem, max_iter=2)
    monkeypatch.setattr(pairs, "PAIRS_MAX", 299)
    message = "15 x 20 pairs, .* at most 299 pairs; take solver 'exact'"
    with pytest.warns(UserWarning, match=message) as caught:
        solve(problem, max_iter=2)
    assert len(caught) == 1


RANDOM = np.random.default_rng(4)
A, B = RANDOM.normal(size=(25, 8)) + 0.4, RANDOM.normal(size=(30, 8))
#: classes on which a simplex method may stall, or that have more features than rows
DEGENERATE = {
    "wide": (RANDOM.normal(size=(9, 150)) + 0.1, RANDOM.normal(size=(11, 150))),
    "duplicates": (A[RANDOM.integers(0, 6, 25)], np.vstack([A[:2], B[:3]]).repeat(4, axis=0)),
    "bits": ((A > 0).astype(float), (B > 0).astype(float)),
    "integers": (np.round(A), np.round(B)),
    "one of each": (A[:1], B[:1]),
}


@pytest.mark.parametrize("share", [1.0001, 0.9999, 0.5, 0.03, 1e-3])
@pytest.mark.parametrize("kind", DEGENERATE)
def test_exact_on_degenerate_data(kind, share):
    positives, negatives = DEGENERATE[kind]
    alpha = share * (lambda_max(positives, negatives) / 2 or 1.0)
    reference, _ = references.infinite_push(positives, negatives, alpha)
    problem = PushRanking(positives, negatives, alpha, L1())
    for rows_per_step in (2, None):
        w, certificate, _ = push_exact.solve(problem, rows_per_step=rows_per_step)
        assert_certified(certificate, reference)
        assert np.array_equal(w, push_exact.solve(problem, rows_per_step=rows_per_step).w)


def test_exact_certifies_zero_at_a_small_alpha():
    """The mean of the positives lies among the negatives: the weights must balance to a fraction of alpha."""
    random = np.random.default_rng(8)
    positives, negatives = random.normal(size=(2000, 60)), random.normal(size=(3000, 60))
    positives[:, :10] += 0.3
    w, certificate, _ = push_exact.solve(PushRanking(positives, negatives, 1e-5, L1()))
    assert not w.any() and certificate.status == "certified" and certificate.relative_gap <= 1e-8


def test_small_sparse_data_are_dense(monkeypatch):
    sparse, _ = build("counts", 0.05, "l1", "csr")
    entries = (15 + 22) * sparse.n_features
    monkeypatch.setattr(two_classes, "DENSE_MAX_ENTRIES", entries - 1)
    assert sparse.dense_if_small() is sparse
    w, certificate, _ = push_exact.solve(sparse)
    assert certificate.status == "certified"
    monkeypatch.setattr(two_classes, "DENSE_MAX_ENTRIES", entries)
    dense = sparse.dense_if_small()
    assert isinstance(dense.positives, np.ndarray) and dense.penalty is sparse.penalty
    assert np.array_equal(dense.negatives, sparse.negatives.toarray())
    np.testing.assert_allclose(w, push_exact.solve(sparse).w, atol=1e-9)


def test_exact_on_raw_features():
    """An id near 1e7 and a tiny unit: the optimum is that of the same problem in sane units."""
    positives, negatives = wdbc()
    unit, shift = np.logspace(-4, 4, 30), np.append(1e7, np.zeros(29))
    raw = PushRanking(unit * positives + shift, unit * negatives + shift, 1e-6, SquaredL2())
    _, certificate, _ = push_exact.solve(raw, tol=1e-6)
    assert certificate.status == "certified"
    reference, _ = references.infinite_push(unit * positives, unit * negatives, 1e-6, "l2")
    assert certificate.objective == pytest.approx(reference, rel=1e-4)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_the_pairs_that_are_never_stored(kind):
    positives, negatives = PROBLEMS["counts"]
    problem, _ = build("counts", 1.0, "l1", kind)
    rows = (positives[:, None] - negatives[None]).reshape(-1, positives.shape[1])
    random = np.random.default_rng(0)
    w, weights = random.normal(size=rows.shape[1]), random.normal(size=(len(positives), len(negatives)))
    np.testing.assert_allclose(pairs.compute_gram(problem), rows.T @ rows, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(
        pairs.sum_weighted_pairs(problem, weights), rows.T @ weights.ravel(), atol=1e-10
    )
    np.testing.assert_allclose(
        pairs.compute_score_differences(*problem.scores(w)).ravel(), rows @ w, atol=1e-12
    )


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (5, 6)])
@pytest.mark.parametrize("step", [0.2, 1.0, 8.0])
def test_the_papers_loops_reach_the_closed_form(shape, step):
    s = 2 * np.random.default_rng(sum(shape)).normal(size=shape) + 0.5
    loops = push_admm._compute_prox_douglas_rachford(s, step, tol=1e-10)
    np.testing.assert_allclose(loops, prox_max_hinge(s, step), atol=1e-6)


def test_admm_with_the_papers_loops_takes_the_same_way():
    problem, _ = build("small overlap", 0.1, "l1")
    ways = {"douglas-rachford": [], "exact": []}
    for prox, steps in ways.items():
        options = {"method": PairADMM(prox), "prox_tol": 1e-10, "tol": 1e-12, "max_iter": 15}
        push_admm.solve(problem, callback=steps.append, **options)
    np.testing.assert_allclose(*([step.w for step in steps] for steps in ways.values()), atol=1e-6)


def test_the_dual_of_a_norm_is_refused():
    with pytest.raises(ValueError, match="needs the ridge"):
        push_dual.solve(build("overlap", 0.1, "l1")[0])
