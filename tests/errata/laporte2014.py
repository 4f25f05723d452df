"""The slips of L14's formulas, on small generated problems.

Two slips are left out, since nothing fails by them: the index of the sum in (13), and w₁ for w₂ in the second
case of the proof of Proposition 1. The τ of section II-B is no slip: it is (1 + τ)/2 over unordered pairs and
orders features alike. In our text the constant of one term in that proof may be a norm or its square.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from errata import AVAILABLE_TEXT_NOTE, Erratum
from errata.laporte2014_tables import table_errata
from reproduction.verification import cvxpy_models

GAMMA, LAMBDA = 2.0, 0.5


def gradient(w, rows):
    """∇J₁(w) of Proposition 1; a row of `rows` is an x̃_p."""
    return -2 * rows.T @ np.maximum(1 - rows @ w, 0)


def fista(rows, lam, lipschitz, n_iter):
    """Run Algorithm 1 for J₁ + λ‖w‖₁ from w = 0, in the names of the paper."""
    w = z = np.zeros(rows.shape[1])
    t = 1.0
    for _ in range(n_iter):
        before, moved = w, z - gradient(z, rows) / lipschitz
        w = np.sign(moved) * np.maximum(np.abs(moved) - lam / lipschitz, 0)
        following = (1 + math.sqrt(1 + 4 * t**2)) / 2
        z = w + (t - 1) / following * (w - before)
        t = following
    return w


def _preferences(n_documents, d):
    """Return the x̃_p of one query whose documents all differ in relevance."""
    documents = np.random.default_rng(0).normal(size=(n_documents, d))
    return np.array([documents[s] - documents[t] for s, t in combinations(range(n_documents), 2)])


def _quotient(rows, lipschitz) -> float:
    """Largest quotient of the sides of ‖∇J₁(w₁) − ∇J₁(w₂)‖ ≤ L‖w₁ − w₂‖, where no hinge is at rest."""
    size = 1e-3 / np.abs(rows).max()  # so near to 0 that every margin is below 1
    pairs = [(size * v, -size * v) for v in np.linalg.svd(rows)[2]]
    return max(
        float(np.linalg.norm(gradient(a, rows) - gradient(b, rows)) / (lipschitz * np.linalg.norm(a - b)))
        for a, b in pairs
    )


def _lipschitz():
    measured = "largest quotient of the two sides of the Lipschitz inequality"
    rows = _preferences(6, 1)
    total = float(np.sum(rows**2))
    yield Erratum(
        "factor 2 of L",
        "proof of Proposition 1, the constant of ∇J₁",
        "L = Σᵢ ‖x̃ᵢ‖₂²",
        "L = 2 Σᵢ ‖x̃ᵢ‖₂², since ∇J₁ = −2 Σ …",
        "the 15 preferences of 6 documents of different relevance, one Gaussian feature",
        measured,
        *(_quotient(rows, constant) for constant in (total, 2 * total)),
        1 + 1e-9,
    )
    yield Erratum(
        "range of the sum in L",
        f"proof of Proposition 1, the constant of ∇J₁, {AVAILABLE_TEXT_NOTE}",
        "Σ over i = 1, …, n, the documents",
        "Σ over p = 1, …, P, the preferences",
        "the same, P = 15 and n = 6, with the factor 2",
        measured,
        _quotient(rows, 2 * float(np.sum(rows[:6] ** 2))),
        _quotient(rows, 2 * total),
        1 + 1e-9,
    )
    lam = 0.1 * float(np.abs(gradient(np.zeros(1), rows)).max())
    best, _ = cvxpy_models.ranksvm(rows, np.zeros_like(rows), 1 / lam)
    ends = [fista(rows, lam, constant, 2000) for constant in (total, 2 * total)]
    values = [np.sum(np.maximum(1 - rows @ w, 0) ** 2) / lam + np.abs(w).sum() for w in ends]
    yield Erratum(
        "factor 2 of L (Algorithm 1)",
        "Algorithm 1, line 2, with the L of Proposition 1",
        "L = Σᵢ ‖x̃ᵢ‖₂²",
        "L = 2 Σᵢ ‖x̃ᵢ‖₂²",
        "the same 15 preferences, λ = λ_max/10, 2000 iterations",
        "relative excess over the minimum of the conic solver",
        *(float(value / best - 1) for value in values),
        1e-6,
    )


def _definitions():
    w, step = np.linspace(0.05, 1.5 * GAMMA * LAMBDA, 29), 1e-6

    def mcp(size):
        quadratic_part = LAMBDA * size - size**2 / (2 * GAMMA)
        return np.where(size <= GAMMA * LAMBDA, quadratic_part, GAMMA * LAMBDA**2 / 2)

    truth = (mcp(w + step) - mcp(w - step)) / (2 * step)
    published = np.maximum(1 - w / (GAMMA * LAMBDA), 0)
    yield Erratum(
        "derivative of MCP",
        "Table II",
        "g'(|w|) = max(1 − |w|/(γλ), 0)",
        "g'(|w|) = λ max(1 − |w|/(γλ), 0), or g of Figure 1 divided by λ",
        f"g of Figure 1 at 29 weights, γ = {GAMMA:g}, λ = {LAMBDA:g}, central differences",
        "largest difference from the slope of g, over its largest slope",
        *(float(np.abs(form - truth).max() / truth.max()) for form in (published, LAMBDA * published)),
        1e-4,
    )
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 8))
    least_squares = np.linalg.lstsq(X, X @ random.normal(size=8) + random.normal(size=40), rcond=None)[0]
    yield Erratum(
        "sign of the adaptive weights",
        f"section II-D, {AVAILABLE_TEXT_NOTE}",
        "β_j = 1/w_j^LS",
        "β_j = 1/|w_j^LS|",
        "least squares on 40 Gaussian rows in ℝ⁸",
        "weights that are not positive, where the text asks for β_j > 0",
        *(int(np.count_nonzero(1 / form <= 0)) for form in (least_squares, np.abs(least_squares))),
        0,
    )


def errata(published: str | None = None) -> list[Erratum]:
    """Run every published form beside the corrected one; checks of tables need their published numbers."""
    return [*_lipschitz(), *_definitions(), *(table_errata(published) if published else ())]
