"""The slips of R12: of its formulas, on small Gaussian classes against the conic solver, and of its Table 1.

Four slips are left out, since nothing fails by them. The index of G_i belongs to the negative. The index of
the iteration in line 19 is wrong. Line 8 takes the random start of the block descent as 0. The constant
−(μ/2)‖γ‖² of the scaled Lagrangian moves no minimiser. Two more are no slips: λ is inside Ω in (4), as
section 3.2 says, and a factor 29 in Table 1 is consistent with the 20 of the text.
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pandas as pd

from errata import AVAILABLE_TEXT_NOTE, Erratum
from reproduction.datasets import registry
from reproduction.papers.rakotomamonjy2012.dual import solve_conic, solve_dual
from reproduction.specs.published_values import pivot_by_method, read_published_values
from reproduction.verification import cvxpy_models
from toprank.problems.push import prox_max_hinge
from toprank.projections import project_l1_inf_ball

ALPHA = 0.2
MU = 0.1
ALL_IN_TOTAL = ("yeast", "sonar", "wpbc", "ionosphere", "spectf")
"""Sets of Table 1 whose second count counts all examples."""


def _clouds():
    random = np.random.default_rng(1)
    return random.normal(size=(8, 4)) + 0.8, random.normal(size=(6, 4))


def _pairs(positives, negatives):
    """R12's X: a row for each pair, all pairs of one positive together."""
    return (positives[:, None] - negatives).reshape(-1, positives.shape[1])


def _distance(solution, truth) -> float:
    return float(np.linalg.norm(solution - truth) / np.linalg.norm(truth))


def push_objective(w, positives, negatives, penalty) -> float:
    """R12 eq. (2) on all pairs, with the value of λΩ(w) given."""
    slack = 1 - (positives @ w)[:, None] + negatives @ w
    return penalty + float(np.maximum(slack, 0).mean(axis=0).max())


def ridge_iterates(positives, negatives, weight, n_iter, mu=MU):
    """Run Algorithm 1 for Ω = ½‖w‖², whose line 6 minimises ½‖Xw − s‖² + weight · Ω(w); return the last w."""
    m, n = len(positives), len(negatives)
    X = _pairs(positives, negatives)
    matrix = np.linalg.inv(X.T @ X + weight * np.eye(X.shape[1])) @ X.T
    a = multipliers = np.zeros(m * n)
    for _ in range(n_iter):
        w = matrix @ (1 - a - multipliers)
        slack = 1 - multipliers - X @ w
        a = prox_max_hinge(slack.reshape(m, n), 1 / (m * mu)).ravel()
        multipliers = a - slack
    return w


def inner_loops(s, radius, outer=200, inner=200):
    """Run lines 8 to 18 of Algorithm 1 with γ = η = 1; line 14 projects onto this radius."""
    upper = np.zeros_like(s)
    for _ in range(outer):
        lower = np.maximum(upper - s, 0)
        b, v = lower + s, np.zeros_like(s)
        for _ in range(inner):
            u = np.maximum(v + b, 0) / 2
            v = v + u - v - project_l1_inf_ball(2 * u - v, radius)
        upper = u
    return upper - lower


def _lambdas():
    positives, negatives = _clouds()
    problem = f"8 + 6 Gaussian rows in ℝ⁴, λ = {ALPHA}"
    _, dual = solve_dual(positives, negatives, ALPHA)
    squared_weight, plain_weight = (
        cvxpy_models.infinite_push(positives, negatives, a, "l2")[1] for a in (ALPHA**2, ALPHA)
    )
    yield Erratum(
        "lambda twice",
        "eq. (2) with the Ω of section 2.2",
        "λΩ(w) with Ω(w) = (λ/2)‖w‖², whose dual is (3)",
        "λΩ(w) with Ω(w) = ½‖w‖²",
        f"(2) and (3) by the conic solver, {problem}",
        "relative distance of the minimiser of (2) from the w of (3)",
        _distance(squared_weight, dual),
        _distance(plain_weight, dual),
        1e-3,
    )
    best, _ = cvxpy_models.infinite_push(positives, negatives, ALPHA, "l2")
    ends = [ridge_iterates(positives, negatives, weight, 4000) for weight in (ALPHA, ALPHA / MU)]
    yield Erratum(
        "mu in line 6",
        "Algorithm 1, line 6",
        "½‖Xw − s‖² + λΩ(w)",
        "½‖Xw − s‖² + (λ/μ)Ω(w); section 3.2 has (1/μ)Ω(w), with λ inside Ω",
        f"Algorithm 1 with Ω = ½‖w‖², μ = {MU}, 4000 iterations, {problem}",
        "relative excess on (2)",
        *(push_objective(w, positives, negatives, ALPHA / 2 * (w @ w)) / best - 1 for w in ends),
        1e-6,
    )
    X, s, w = _pairs(positives, negatives), np.random.default_rng(2).normal(size=48), cp.Variable(4)
    closed = np.linalg.solve(X.T @ X + ALPHA / MU * np.eye(4), X.T @ s)
    solutions = []
    for omega in (cp.norm(w), cp.sum_squares(w)):
        solve_conic(cp.sum_squares(X @ w - s) / 2 + ALPHA / (2 * MU) * omega)
        solutions.append(w.value)
    yield Erratum(
        "square of the ridge",
        f"section 3.2, {AVAILABLE_TEXT_NOTE}",
        "ridge regression for Ω(w) = (λ/2)‖w‖₂",
        "ridge regression for Ω(w) = (λ/2)‖w‖₂²",
        f"section 3.2's problem by the conic solver, μ = {MU}, Gaussian s, {problem}",
        "relative distance from section 3.2's closed form, (X'X + (λ/μ)I)⁻¹X's",
        *(_distance(solution, closed) for solution in solutions),
        1e-3,
    )


def _splitting():
    """Rows of the prox of the loss, and of what makes the methods converge."""
    random = np.random.default_rng(3)
    s, step = random.normal(size=(6, 5)) + 0.5, 1 / (6 * 0.4)
    a = cp.Variable(s.shape)
    solve_conic(step * cp.max(cp.sum(cp.pos(a), axis=0)) + cp.sum_squares(a - s) / 2)
    yield Erratum(
        "radius in line 14",
        f"Algorithm 1, line 14, {AVAILABLE_TEXT_NOTE}",
        "Π over ‖·‖₁,∞ (2uₙ − vₙ), without a radius (taken as 1)",
        "Π over ‖·‖₁,∞ ≤ γ/(mμ), as in (14)",
        "lines 8 to 18, γ = η = 1, μ = .4, 6 × 5 Gaussian slacks, 200 × 200 iterations",
        "relative distance from the prox (9) of the conic solver",
        *(_distance(inner_loops(s, radius).ravel(), a.value.ravel()) for radius in (1.0, step)),
        1e-3,
    )
    far = np.full(s.shape, 1e6)
    smooth = [np.sum((upper - upper - s) ** 2) / 2 for upper in (0 * s, far)]
    losses = [step * np.maximum(upper, 0).sum(axis=0).max() for upper in (0 * s, far)]
    yield Erratum(
        "coercive f0",
        "proof of Proposition 2",
        "f₀ is coercive",
        "f₀ + f₁ + f₂ is coercive",
        "the functions of Proposition 2 at a⁺ = a⁻ = 0 and at a⁺ = a⁻ = 10⁶ · 1",
        "value at 0 over the value far away, which is near 0 for a coercive function",
        float(smooth[0] / smooth[1]),
        float((smooth[0] + losses[0]) / (smooth[1] + losses[1])),
        1e-3,
    )
    missing = [
        d - int(np.linalg.matrix_rank(_pairs(*(random.normal(size=(10, d)) for _ in range(2)))))
        for d in (99, 19)
    ]
    yield Erratum(
        "full column rank",
        "section 3.4",
        "X has full column rank in most non-degenerate problems with d < m·n",
        "… with d < m + n",
        "X of 10 + 10 Gaussian rows, at the largest d that is allowed (99; 19)",
        "columns that X lacks to full rank",
        *missing,
        0,
    )


def _words():
    """Row of what section 4.1 says of precision, by counting."""
    relevant, small, large = 10, (5, 0), (8, 2)  # relevant and irrelevant features of two selections
    yield Erratum(
        "precision for recall",
        "section 4.1, on Figure 2",
        "“a better precision: more relevant variables are selected at the expense of selecting some "
        "irrelevant ones”",
        "a better recall: more relevant variables …",
        "10 relevant features; 5 of them are selected, then 8 of them and 2 irrelevant ones",
        "what the metric loses from the first selection to the second",
        small[0] / sum(small) - large[0] / sum(large),
        small[0] / relevant - large[0] / relevant,
        0,
    )


def table_errata(published: str) -> list[Erratum]:
    """Check the published Table 1 against its caption and the text."""
    table = pivot_by_method(read_published_values(published), "table1")
    sets = table.drop_duplicates("dataset").set_index("dataset").loc[list(ALL_IN_TOTAL)]
    rows = pd.Series({name: registry.get(name).expected["rows"] for name in ALL_IN_TOTAL})
    return [
        Erratum(
            "train-test counts",
            "caption of Table 1",
            "“Number in parenthesis depicts the number of training and testing examples”",
            f"the number of training and of all examples of {', '.join(ALL_IN_TOTAL)}",
            "the published counts of these five sets and the rows of their files",
            "examples in parentheses that the files do not have",
            int((sets["first_count"] + sets["second_count"] - rows).clip(lower=0).sum()),
            int((sets[["first_count", "second_count"]].max(axis=1) - rows).clip(lower=0).sum()),
            0,
        )
    ]


def errata(published: str | None = None) -> list[Erratum]:
    """Run every published form beside the corrected one; checks of the table need its published numbers."""
    return [*_lambdas(), *_splitting(), *_words(), *(table_errata(published) if published else ())]
