"""Margins: how far our number may lie from a published one, declared for each quantity in advance."""

import math
from dataclasses import dataclass

from reproduction.core.formatting import format_percent
from reproduction.core.results import ResultsError


@dataclass(frozen=True)
class Margin:
    """A margin, in the unit of its quantity.

    Attributes
    ----------
    value : float
        The margin, or the share.
    relative_to : {"", "published", "features", "best"}
        What it is a share of: nothing; the published number; the features of the data; "best": a margin of a
        metric, for a decrease in per cent of the best published value of this metric.
    """

    value: float
    relative_to: str = ""


MARGINS = {
    "rate_at_top": Margin(0.05),
    "pos_at_top": Margin(0.1, "published"),
    "variables": Margin(0.1, "features"),
    "map": Margin(0.0025),
    "ndcg10": Margin(0.0025),
    "map_decrease": Margin(0.0025, "best"),
    "ndcg10_decrease": Margin(0.0025, "best"),
    "sparsity_ratio": Margin(0.05),
}
"""Quantity -> its margin."""

FEATURE_QUANTITIES = tuple(name for name, margin in MARGINS.items() if margin.relative_to == "features")
"""Quantities whose margin is a share of the features of the data."""

_SHARE_TEXTS = {"published": "of the published value", "features": "of the features of the data"}


def format_margin(margin: Margin) -> str:
    """Write a margin.

    Parameters
    ----------
    margin : Margin
        The margin.

    Returns
    -------
    str
        The number, or the share and what it is a share of.

    Examples
    --------
    >>> format_margin(MARGINS["map"]), format_margin(MARGINS["variables"])
    ('0.0025', '10 % of the features of the data')
    """
    if margin.relative_to in _SHARE_TEXTS:
        return f"{format_percent(margin.value)} {_SHARE_TEXTS[margin.relative_to]}"
    return f"{margin.value:g}" + (" of the metric that decreases" if margin.relative_to else "")


def look_up_margin(
    quantity: str, published: float, features: float = math.nan, best_published: float = math.nan
) -> float:
    """Look up the margin of a published number.

    Parameters
    ----------
    quantity : str
        Name of the quantity.
    published : float
        The published number.
    features : float, optional
        Number of features of the data; NaN if not known.
    best_published : float, optional
        The best published value of the metric of a decrease.

    Returns
    -------
    float
        The margin; NaN if the quantity of which it is a share is not known.

    Raises
    ------
    ResultsError
        If the quantity has no declared margin.

    Examples
    --------
    >>> look_up_margin("rate_at_top", 0.4), look_up_margin("variables", 68.2, 2000)
    (0.05, 200.0)
    """
    if quantity not in MARGINS:
        raise ResultsError(
            f"The published quantity {quantity!r} has no declared margin: declare one in "
            f"reproduction.comparison.tolerances.MARGINS (known are {', '.join(MARGINS)})."
        )
    margin = MARGINS[quantity]
    # "best": a decrease d in per cent of the best value b is b d / 100 in the metric's own unit, so that a
    # margin of the metric is 100 / b times as large in per cent.
    scale = {"": 1.0, "published": abs(published), "features": features, "best": 100 / best_published}[
        margin.relative_to
    ]
    # .1 × 57 is 5.7000000000000002: without rounding, the last bit would stand in the table.
    return round(margin.value * scale, 12)
