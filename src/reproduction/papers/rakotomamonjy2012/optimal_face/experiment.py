"""How many variables the optima of each l1 problem of R12 use, at all regularisations of the study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pandas as pd

from reproduction.fitting.feature_scaling import scale_features
from reproduction.papers.rakotomamonjy2012.optimal_face.faces import find_push_face, find_ranksvm_face
from toprank.estimators.infinite_push import InfinitePush
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking

if TYPE_CHECKING:
    from reproduction.splits.split_data import SplitData

COLUMNS = (
    *("dataset", "method", "share", "splits", "unique", "variables_mean", "fewest_mean", "most_mean"),
    *("certified", "relative_gap_max"),
)
"""A row a data set, method and share: on how many splits the optimum is unique, the mean number of variables
of the optimum at hand, of those that every optimum uses, and of those that some optimum uses."""


def run_experiment(
    settings: Mapping, *, part: str, splits: Iterable[SplitData], **_: Any
) -> Iterator[tuple[str, dict]]:
    """Run the experiment ``optimal_face`` on all splits of a data set.

    Parameters
    ----------
    settings : mapping
        ``methods``, ``shares``, ``time_limit`` and ``feature_scaling``.
    part : str
        Data set.
    splits : iterable of SplitData
        Splits, of which the training parts are fitted.

    Yields
    ------
    (str, dict)
        "faces", and a row a split, method and share; none of a data set that was not obtained.
    """
    for split_data in splits:
        if split_data.missing_data:
            return
        X, y = split_data.train()
        # Only the training part enters: faces are about the fit, and no score is measured.
        (X,) = scale_features(settings["feature_scaling"], X)
        # of 0, w = 0 is optimal whatever the regularisation, and the fits take 1 for it
        alpha_max = InfinitePush("l1").alpha_max(X, y) or 1.0
        # one evaluation of the pairs serves all shares: only the weight of the penalty changes
        problem = PairwiseRanking.from_data(X, y, None, 1.0, L1())
        lambda_max = problem.lambda_max() or 1.0
        for method in settings["methods"]:
            for share in settings["shares"]:
                started = perf_counter()
                if method == "l1_infinite_push":
                    face = find_push_face(X, y, share * alpha_max)
                else:
                    scaled_problem = problem.with_alpha(share * lambda_max)
                    face = find_ranksvm_face(scaled_problem, y, settings["time_limit"])
                row = {"dataset": part, "method": method, "split": split_data.split, "share": share}
                row |= face.count_variables()
                row |= {"status": face.status, "relative_gap": face.relative_gap}
                yield "faces", row | {"seconds": perf_counter() - started}


def summarise_faces(rows: list[dict]) -> pd.DataFrame:
    """Average the numbers of variables over the splits.

    Parameters
    ----------
    rows : list of dict
        Of the table "faces".

    Returns
    -------
    DataFrame
        The columns `COLUMNS`.
    """
    if not rows:
        return pd.DataFrame(columns=list(COLUMNS))
    faces = pd.DataFrame(rows)
    # no freedom: the only move that keeps all active rows is none, so that the optimum is unique
    faces = faces.assign(is_unique=faces["freedom"] == 0, is_certified=faces["status"] == "certified")
    table = faces.groupby(["dataset", "method", "share"], sort=False).agg(
        splits=("split", "size"),
        unique=("is_unique", "sum"),
        variables_mean=("variables", "mean"),
        fewest_mean=("fewest", "mean"),
        most_mean=("most", "mean"),
        certified=("is_certified", "sum"),
        relative_gap_max=("relative_gap", "max"),
    )
    return table.reset_index()[list(COLUMNS)]
