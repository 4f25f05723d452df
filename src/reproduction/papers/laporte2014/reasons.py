"""Why a number of L14 differs from ours: small functions of the facts of one number, asked in order.

Each says one sentence, or nothing where it does not apply; what it says is read from the tables of the study.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from reproduction.labels import method_label
from reproduction.papers.laporte2014.significance import WORSE
from reproduction.papers.laporte2014.tables import NEAR
from reproduction.papers.laporte2014.views import small_p, with_sign

CERTIFIED = 1e-5
"""Relative gap from which an optimum is not called certified here."""


@dataclass(frozen=True)
class Facts:
    """What the reasons may look at for one printed number.

    Attributes
    ----------
    quantity : str
        As it stands in the comparison.
    row : pandas.Series
        The row of the table that holds the number.
    ratios : pandas.Series
        The row of Table IV of the same data set and method: how firm the choice was.
    printed, ours, spread : float
        The printed number, ours, and its standard deviation over the folds.
    """

    quantity: str
    row: pd.Series
    ratios: pd.Series
    printed: float
    ours: float
    spread: float


def reconstructed_data(facts: Facts) -> str:
    """Repeat what is special about the files of the data set."""
    return "" if facts.row["note"] == "none" else facts.row["note"].rstrip(".")


def reconstructed_method(facts: Facts) -> str:
    """Say that FSMRank is our reading of its papers."""
    if facts.row["method"] != "fsmrank":
        return ""
    return "FSMRank is reconstructed from its papers, its code and its grid are not public"


def failed_folds(facts: Facts) -> str:
    """Say how many folds gave no number."""
    row = facts.row
    lacking = row["splits"] - row["splits_used"]
    return "" if not lacking > 0 else f"{lacking:.0f} of {row['splits']:.0f} folds gave no number"


def fold_spread(facts: Facts) -> str:
    """Say that the distance is at most two standard deviations over the folds."""
    distance = abs(facts.ours - facts.printed)
    if not (facts.spread > 0 and distance <= 2 * facts.spread):
        return ""
    return (
        f"the distance is {distance / facts.spread:.2g} standard deviations of ours over the folds "
        f"({facts.spread:.2g}), and none is printed"
    )


def flat_validation(facts: Facts) -> str:
    """Say how many candidates are as good on the validation part, and which ratios they have."""
    row = facts.ratios
    if not row["near_mean"] > 1.0:
        return ""
    low, high = row["near_ratio_min"], row["near_ratio_max"]
    among = ""
    if facts.quantity == "sparsity_ratio":
        among = f", {'with' if low <= facts.printed <= high else 'without'} the printed {facts.printed:.3g}"
    return (
        f"{row['near_mean']:.2g} candidates (mean over the folds) are within {NEAR:g} of the best MAP on the "
        f"validation part, with sparsity ratios from {low:.2f} to {high:.2f}{among}"
    )


def end_of_grid(facts: Facts) -> str:
    """Say that the paper prints no grid, and on how many folds ours was exhausted."""
    count = facts.ratios["edge_splits"]
    if not count > 0:
        return ""
    folds = f"{count:.0f} of {facts.ratios['splits']:.0f} folds"
    return f"the paper prints no grid: on {folds} the choice is an end of ours"


def local_optimum(facts: Facts) -> str:
    """Say, of a nonconvex penalty, that ours is one stationary point of several."""
    row = facts.ratios
    if math.isnan(row["kkt_max"]) or not math.isnan(row["relative_gap_max"]):
        return ""
    return (
        "the objective is not convex: ours is stationary (largest violation of the optimality conditions "
        f"{row['kkt_max']:.1e}), and another start or stop may give another such point"
    )


def certified(facts: Facts) -> str:
    """Say that ours is the certified optimum: the difference lies in the choice or in a looser stop."""
    gap = facts.ratios["relative_gap_max"]
    if not gap <= CERTIFIED:
        return ""
    return (
        f"ours is the optimum of each C (largest relative gap {gap:.1e}): what can differ is the C that was "
        "chosen or a looser published stop"
    )


def loose_stop(facts: Facts) -> str:
    """Say how far the iterate of a published stop is from its optimum."""
    gap = facts.ratios["relative_gap_median"]
    if not gap > CERTIFIED:
        return ""
    return f"the iterate at the published stop is not the optimum (median relative gap {gap:.1e})"


def other_test(facts: Facts) -> str:
    """Say what the test on the folds gives, where it decides otherwise than that on the queries."""
    row = facts.row
    if row["relation_by_folds"] == "none" or (row["relation_by_folds"] == WORSE) == bool(facts.ours):
        return ""
    return (
        f"the paper does not say what its test pairs: on the {row['splits_used']:.0f} folds p "
        f"{with_sign(small_p(row['t_p_by_folds']))}, which is as printed"
    )


def test_on_folds(facts: Facts) -> str:
    """Say what the test gives on the folds, where it is nearer to the printed p-value."""
    p_value = facts.row["t_p_by_folds"]
    printed = abs(facts.printed)
    if math.isnan(p_value) or abs(p_value - printed) >= abs(facts.ours - printed):
        return ""
    return (
        f"the paper does not say what its test pairs: on the {facts.row['splits_used']:.0f} folds p "
        f"{with_sign(small_p(p_value))}, which is nearer"
    )


def other_best(facts: Facts) -> str:
    """Say that another method is the best here."""
    if facts.row["best"] in ("none", facts.row["printed_best"]):
        return ""
    return (
        f"the best method here is {method_label(facts.row['best'])}, the printed one "
        f"{method_label(facts.row['printed_best'])}"
    )


_VALUE = (
    failed_folds,
    reconstructed_data,
    reconstructed_method,
    fold_spread,
    flat_validation,
    end_of_grid,
    loose_stop,
    local_optimum,
    certified,
)
REASONS: dict[str, tuple[Callable[[Facts], str], ...]] = {
    "sparsity_ratio": _VALUE,
    "value": _VALUE,
    "decrease": (
        failed_folds,
        reconstructed_data,
        reconstructed_method,
        other_best,
        flat_validation,
        fold_spread,
    ),
    "relation": (
        failed_folds,
        reconstructed_data,
        reconstructed_method,
        other_best,
        other_test,
        flat_validation,
    ),
    "best_method": (failed_folds, reconstructed_data, reconstructed_method, flat_validation),
    "p_value": (
        failed_folds,
        reconstructed_data,
        reconstructed_method,
        other_best,
        test_on_folds,
        flat_validation,
    ),
}
"""What is asked of a number that differs, in this order; all that apply are said."""

CAVEATS = (failed_folds, reconstructed_data, reconstructed_method)
"""What is said even of a number that agrees."""
