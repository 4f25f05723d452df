"""The slips of K15, each shown by running the published form beside the corrected one.

Four slips are left out, since nothing fails by them. Algorithm 3 uses t (line 7) and γ⁰
(line 8) before it sets them, where Algorithm 2 says what is meant. The proof takes a₁ = 1 although Algorithm
2 has a₀ = 1; (4) holds with k counted from 0 and the first λ̂, once ŷ starts as line 7 would have it. (21)
writes the half step of k where it means k + 1. d_k lacks a factor τ, but it is a definition.

Section 5.2 is right about times: it counts orders of magnitude by decimal exponents, as the marks do. By them
A2DM2 is one order faster on spambase, and slower on diabetes and a9a only, where its Pos@Top is higher.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from functools import cache

import numpy as np
import pandas as pd
from reference_admm import Published, Quadratics, ranking_iterates

from errata import AVAILABLE_TEXT_NOTE, Erratum
from reproduction.papers.kadkhodaie2015.table1 import PUBLISHED_MARKS, assign_marks, published_table1
from reproduction.specs.published_values import read_published_values
from reproduction.verification import cvxpy_models
from toprank.problems.top import TopRanking

ITERATIONS = 4000
ALPHA = 0.05
RHO = {"admm": 0.1, "a2dm2": 0.01, "a2dm2-restart": 0.01}


def worst_of_bound(problem, tau, n_iter=200) -> float:
    """Largest quotient of the two sides of K15 eq. (4) in n_iter iterations; Theorem 1 says at most 1.

    k counts from 0, as in Algorithm 2, and λ̂ belongs to the start.
    """
    best = problem.best_multipliers
    allowed = 2 * float(best @ best) / tau
    return max(
        (problem.dual(best) - problem.dual(iterate.multipliers)) * (k + 2) ** 2 / allowed
        for k, iterate in enumerate(problem.iterates(tau, n_iter))
    )


def _clouds(m, n, d=4):
    random = np.random.default_rng(0)
    return random.normal(size=(m, d)) + 3.0 / math.sqrt(d), random.normal(size=(n, d))


def _blocks(sigma_x, sigma_y):
    """Quadratics with Gaussian matrices of spectral norm 1."""
    random = np.random.default_rng(0)
    A, B = random.normal(size=(4, 6)), random.normal(size=(4, 5))
    return Quadratics(
        A / np.linalg.norm(A, 2), B / np.linalg.norm(B, 2), random.normal(size=4), sigma_x, sigma_y
    )


@cache
def _excess(variant, published) -> float:
    """Relative excess after `ITERATIONS` over the minimum of what a variant minimises, eq. (11) or (13)."""
    positives, negatives = _clouds(30, 30)  # as many of each: otherwise the stray "+ s" fits no γ₂
    with np.errstate(over="ignore", invalid="ignore"):
        *_, (w, _, _) = ranking_iterates(
            positives, negatives, ALPHA, variant, RHO[variant], ITERATIONS, published
        )
    if not np.isfinite(w).all():
        return math.inf
    if variant == "admm":
        best, _ = cvxpy_models.top_ranking(positives, negatives, ALPHA)
        value = TopRanking(positives, negatives, ALPHA).objective(w)
    else:
        best, _ = cvxpy_models.perturbed_top_ranking(positives, negatives, ALPHA)
        value = cvxpy_models.perturbed_objective(w, positives, negatives, ALPHA)
    return abs(value / best - 1)


def _forbidden(published, n_iter=10) -> int:
    """Count the iterations that end at arrays whose shapes disagree, on 30 positives and 45 negatives."""
    n_done = 0
    with suppress(ValueError):  # numpy's word on operands that cannot be broadcast
        for _ in ranking_iterates(*_clouds(30, 45), ALPHA, "a2dm2", RHO["a2dm2"], n_iter, published):
            n_done += 1
    return n_iter - n_done


def _updates():
    slips = (
        (
            "gamma2",
            "stray + s",
            "step 3 and Algorithm 3, line 6",
            "γ₂ + ρ(b − a1 + s + X⁺w)",
            "γ₂ + ρ(b − a1 + X⁺w)",
        ),
        (
            "step2",
            "sign of X⁺w",
            "step 2",
            "min over b of … (ρ/2)‖b − a1 − X⁺w‖²",
            "min over b of … (ρ/2)‖b − a1 + X⁺w‖²",
        ),
        (
            "pieces_of_b",
            "boundary of b",
            "Algorithm 3, line 5",
            "pieces meet at c = −1",
            "pieces meet at c = −(1 + λ₂/ρ)",
        ),
        (
            "b_hat",
            "minus of b̂",
            f"Algorithm 3, line 10, {AVAILABLE_TEXT_NOTE}",
            "b̂ = (γ̂₂ + 2/m)/(λ₂ + 2/m)",
            "b̂ = −(γ̂₂ + 2/m)/(λ₂ + 2/m)",
        ),
    )
    for name, erratum, *words in slips:
        for variant in ("admm", "a2dm2") if name in ("gamma2", "step2") else ("a2dm2", "a2dm2-restart"):
            yield Erratum(
                f"{erratum} ({variant})",
                *words,
                f"{variant}, 30 + 30 Gaussian rows, λ = {ALPHA}, ρ = {RHO[variant]}, {ITERATIONS} iterations",
                f"relative distance from the minimum of eq. ({11 if variant == 'admm' else 13})",
                *(_excess(variant, form) for form in (Published(**{name: True}), Published())),
                1e-3,
            )
    for name, erratum, *words in (
        (
            "ones_of_c",
            "length of 1",
            f"Algorithm 3, line 4, {AVAILABLE_TEXT_NOTE}",
            "c = a1_n − X⁺w − γ̂₂/ρ",
            "c = a1_m − X⁺w − γ̂₂/ρ",
        ),
        slips[0],
    ):
        yield Erratum(
            f"{erratum} (shape)",
            *words,
            "a2dm2, 30 positives and 45 negatives, 10 iterations",
            "iterations that the shapes forbid",
            *(_forbidden(form) for form in (Published(**{name: True}), Published())),
            0,
        )


def _steps():
    strong, weak = _blocks(10.0, 10.0), _blocks(0.01, 0.01)
    norm_A, norm_B = (float(np.linalg.norm(matrix, 2)) for matrix in (strong.A, strong.B))
    coupling = norm_A**2 * norm_B**4
    measured = "largest quotient of the sides of (4) in 200 iterations"
    # to the letter, (σ²/2)‖x − x'‖² gives σ the value √.01 here
    literal = math.cbrt(math.sqrt(weak.sigma_x) * weak.sigma_y / coupling)
    cubes = [problem.sigma_x * problem.sigma_y**2 / coupling for problem in (strong, weak)]
    yield Erratum(
        "cube of tau",
        f"appendix, before (19), {AVAILABLE_TEXT_NOTE}",
        "τ ≤ σ₁σ₂²/(ρ²(A)ρ⁴(B))",
        "τ³ ≤ σ₁σ₂²/(ρ²(A)ρ⁴(B)), as Theorem 1 says",
        "Algorithm 2, f₁ = 5‖x‖², f₂ = 5‖y‖², random A (4 × 6) and B (4 × 5) of norm 1",
        measured,
        *(worst_of_bound(strong, tau) for tau in (cubes[0], math.cbrt(cubes[0]))),
        1.0,
    )
    yield Erratum(
        "square of sigma",
        "section 2, definition of strong convexity",
        "f(x) − f(x') ≥ ⟨g, x − x'⟩ + (σ²/2)‖x − x'‖²",
        "f(x) − f(x') ≥ ⟨g, x − x'⟩ + (σ/2)‖x − x'‖²",
        "Algorithm 2, f₁ = .005‖x‖², f₂ = .005‖y‖², random A (4 × 6) and B (4 × 5) of norm 1",
        measured,
        *(worst_of_bound(weak, tau) for tau in (literal, math.cbrt(cubes[1]))),
        1.0,
    )


def _identities():
    """Rows of what the text says that every iterate satisfies."""
    problem = _blocks(1.0, 0.5)
    A, B, c, tau = problem.A, problem.B, problem.c, 0.25
    iterate = list(problem.iterates(tau, 5))[-1]
    residual = A @ iterate.x + B @ iterate.y - c
    gradient = problem.sigma_x * iterate.x  # of f₁
    step = iterate.multipliers - iterate.multipliers_hat
    with_y, with_y_hat = (
        iterate.multipliers_hat + tau * (c - A @ iterate.x - B @ y) for y in (iterate.y, iterate.y_hat)
    )
    optimum = list(problem.iterates(0.5, 2000))[-1]
    rows = (
        (
            "tau in r_k",
            "section 2",
            "r_k = c − Ax_k − By_k = λ_k − λ̂_k",
            "r_k = (λ_k − λ̂_k)/τ",
            (-residual, step, step / tau),
        ),
        (
            "hat of y in (16)",
            f"appendix, before (16), {AVAILABLE_TEXT_NOTE}",
            "λ_k^½ = λ̂_k + τ(c − Ax_k − By_k)",
            "λ_k^½ = λ̂_k + τ(c − Ax_k − Bŷ_k), for which ∇f₁(x_k) = A'λ_k^½",
            (gradient, A.T @ with_y, A.T @ with_y_hat),
        ),
    )
    for *words, (truth, *forms) in rows:
        yield Erratum(
            *words,
            "Algorithm 2, f₁ = ½‖x‖², f₂ = ¼‖y‖², τ = 1/4, k = 4",
            "relative error of the equation",
            *(float(np.linalg.norm(form - truth) / np.linalg.norm(truth)) for form in forms),
            1e-6,
        )
    forms = (optimum.x @ A.T - c - B @ optimum.y, optimum.x @ A.T - c + B @ optimum.y)
    yield Erratum(
        "sign of y in Figure 1",
        "section 4, residual of Figure 1 (a)",
        "‖Ax_k − b − y_k‖",
        "‖Ax_k + y_k − b‖",
        "Algorithm 2, f₁ = ½‖x‖², f₂ = ¼‖y‖², τ = 1/2, 2000 iterations",
        "residual over ‖b‖ at the optimum",
        *(float(np.linalg.norm(form) / np.linalg.norm(c)) for form in forms),
        1e-6,
    )


def _inequalities():
    """Rows of the appendix's (19) and (21), on scalars for which the right-hand sides are tight."""
    identity = np.eye(1)
    problem = Quadratics(identity, identity, np.array([10.0]), 1.0, 1.0)
    iterate = next(problem.iterates(tau := 1.0, 1))  # the largest of Theorem 1
    multipliers_half = iterate.multipliers_hat + tau * (problem.c - iterate.x - iterate.y_hat)
    step = float(np.linalg.norm(iterate.multipliers - iterate.multipliers_hat))
    # (19) at γ = λ^½, with f₁* = ½‖·‖²; (21) at the γ that maximises the difference of its sides
    conjugates = (multipliers_half @ multipliers_half - iterate.multipliers @ iterate.multipliers) / 2
    linear = (multipliers_half - iterate.multipliers) @ multipliers_half
    gamma = (multipliers_half + iterate.multipliers) / 2
    slope = multipliers_half + iterate.multipliers - problem.c
    difference = problem.dual(iterate.multipliers) - problem.dual(gamma)
    for erratum, place, left, right in (
        ("square in (19)", f"appendix, (19), {AVAILABLE_TEXT_NOTE}", conjugates, linear),
        (
            "square in (21)",
            f"appendix, (21), {AVAILABLE_TEXT_NOTE}",
            difference,
            (gamma - iterate.multipliers) @ slope,
        ),
    ):
        yield Erratum(
            erratum,
            place,
            "… − ‖λ_{k+1} − λ̂_{k+1}‖/(2τ)",
            "… − ‖λ_{k+1} − λ̂_{k+1}‖²/(2τ)",
            "Algorithm 2, f₁ = ½x², f₂ = ½y², x + y = 10, τ = 1, first iteration",
            "right-hand side less left-hand side, which is at most 0",
            *(float(right - norm / (2 * tau) - left) for norm in (step, step**2)),
            1e-9,
        )


def factor_marks(values: Mapping[str, float], lower_is_better: bool) -> dict[str, bool]:
    """Mark as the caption says: the best methods, if each is at least ten times better than the rest."""
    ranked = sorted(
        values, key=lambda method: (values[method] if lower_is_better else -values[method], method)
    )
    for i in range(1, len(ranked)):
        good, bad = values[ranked[i - 1]], values[ranked[i]]
        if good != bad and (bad >= 10 * good if lower_is_better else good >= 10 * bad):
            return {method: method in ranked[:i] for method in values}
    return dict.fromkeys(values, False)


def marks_reproduced(published: pd.DataFrame) -> pd.DataFrame:
    """Ask of both readings of the caption whether they reproduce all published marks.

    `published`: rows of `published_table1`. Returns: a row for each data set and mark, with the columns
    exponent_rule and factor_rule.
    """
    rows = []
    for dataset, of_set in published.set_index("method").groupby("dataset", sort=False):
        for quantity, column, lower in PUBLISHED_MARKS:
            values, published = of_set[quantity].to_dict(), of_set[column].astype(bool).to_dict()
            rules = {"exponent_rule": assign_marks, "factor_rule": factor_marks}
            holds = {name: rule(values, lower) == published for name, rule in rules.items()}
            rows.append({"dataset": dataset, "mark": column} | holds)
    return pd.DataFrame(rows)


def _table_errata(published: str) -> list[Erratum]:
    """Rows of the marks of the published Table 1, beside its caption."""
    marks, slips = marks_reproduced(published_table1(read_published_values(published))), []
    for sign, mark, words in (
        ("●", "pos_at_top_mark", "“at least 10 times greater than the Pos@Top achieved by the rest”"),
        ("★", "seconds_mark", "“at least an order of magnitude faster compared to the remaining ones”"),
    ):
        wrong = ~marks.loc[marks["mark"] == mark, ["factor_rule", "exponent_rule"]].astype(bool)
        slips.append(
            Erratum(
                f"rule of {sign}",
                "caption of Table 1",
                f"{sign}: {words}",
                f"{sign}: the decimal exponent of the mean is better than the others",
                "the published means and marks of the eleven data sets",
                "data sets whose marks contradict the rule",
                *(int(wrong[rule].sum()) for rule in ("factor_rule", "exponent_rule")),
                0,
            )
        )
    return slips


def errata(published: str | None = None) -> list[Erratum]:
    """Run every published form beside the corrected one; checks of the table need its published numbers."""
    of_formulas = [*_updates(), *_steps(), *_identities(), *_inequalities()]
    return [*of_formulas, *(_table_errata(published) if published else ())]
