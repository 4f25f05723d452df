"""A regularisation path: the weights against the strength of the penalty, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from reproduction.fitting.feature_scaling import standardise
from reproduction.fitting.fit_rows import suppress_convergence_warnings
from toprank.estimators.infinite_push import InfinitePush
from toprank.metrics import rate_at_top, selected_variables
from toprank.paths import path
from toprank.penalties import GroupL2

if TYPE_CHECKING:
    from reproduction.splits.split_data import SplitData

COLUMNS = (
    *("share", "alpha", "status", "relative_gap", "n_variables", "n_groups"),
    *("rate_at_top_train", "rate_at_top"),
)


def fit_regularisation_path(
    X_train: Any,
    y_train: np.ndarray,
    X_test: Any,
    y_test: np.ndarray,
    shares: Iterable[float],
    groups: np.ndarray | None = None,
) -> tuple[list[dict], np.ndarray]:
    """Fit the infinite push for falling regularisation, each fit starting from the last.

    Parameters
    ----------
    X_train, X_test : ndarray or csr_array of shape (n, d)
        Rows of the training and of the test part.
    y_train, y_test : ndarray of shape (n,)
        Their labels.
    shares : iterable of float
        Regularisation, over the smallest alpha at which w = 0.
    groups : ndarray of int of shape (d,), optional
        For the group norm, the group of each feature; by default the norm is ℓ₁.

    Returns
    -------
    points : list of dict
        With the keys `COLUMNS`, one a share, from the largest to the smallest.
    weights : ndarray of shape (n_shares, n_curves)
        Weight of each feature, or norm of the weights of each group.
    """
    model = InfinitePush("l1" if groups is None else GroupL2(groups))
    # from the strongest regularisation on, so that each fit starts near its solution
    shares, alpha_max = sorted(shares, reverse=True), model.alpha_max(X_train, y_train) or 1.0
    with suppress_convergence_warnings():
        models = path(model, X_train, y_train, values=[share * alpha_max for share in shares]).models
    points, weights = [], []
    for share, fitted in zip(shares, models, strict=True):
        coef, certificate = fitted.coef_, fitted.certificate_
        # The ℓ2 norm of each group, as in the penalty Σ_g ‖w_g‖.
        curve = coef if groups is None else np.sqrt(np.bincount(groups, weights=coef**2))
        points.append(
            {
                "share": share,
                "alpha": share * alpha_max,
                "status": certificate.status,
                "relative_gap": certificate.relative_gap,
                "n_variables": int(np.count_nonzero(selected_variables(coef))),
                "n_groups": int(np.count_nonzero(selected_variables(curve))),
                "rate_at_top_train": rate_at_top(y_train, fitted.decision_function(X_train)),
                "rate_at_top": rate_at_top(y_test, fitted.decision_function(X_test)),
            }
        )
        weights.append(curve)
    return points, np.array(weights)


def run_experiment(
    settings: Mapping, *, part: str, splits: Iterable[SplitData], **_: Any
) -> Iterator[tuple[str, dict]]:
    """Run the experiment ``paths``: the regularisation path of a data set on its first split.

    Parameters
    ----------
    settings : mapping
        ``penalty`` ("l1" or "group", then with ``group_size``), ``smallest`` share and number of ``points``.
    part : str
        Data set.
    splits : iterable of SplitData
        The first split.

    Yields
    ------
    (str, dict)
        Table and row: of "path_<data set>", with the keys `COLUMNS`; of "path_<data set>_weights", the share,
        and the weight of each feature or group by its number.
    """
    (split_data,) = splits
    if split_data.missing_data:
        return
    (train, y_train), (test, y_test) = split_data.train(), split_data.test()
    X_train, X_test = standardise(train, test)
    groups = None
    # neighbouring features of equal number form a group
    if settings["penalty"] == "group":
        groups = np.arange(X_train.shape[1]) // settings["group_size"]
    # weights of shape (n_shares, n_features or n_groups)
    shares = np.geomspace(settings["smallest"], 1.0, settings["points"])
    points, weights = fit_regularisation_path(X_train, y_train, X_test, y_test, shares, groups)
    for point, row in zip(points, weights, strict=True):
        yield f"path_{part}", point
        yield f"path_{part}_weights", {"share": point["share"], **dict(enumerate(row.tolist()))}
