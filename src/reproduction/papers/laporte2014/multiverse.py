"""Multiverse analysis of L14: the choices that the paper leaves open, and the outcomes of each specification.

Each specification selects anew among the fits of the search, so that no fit is made for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.fitting.tie_breaking import select_best
from reproduction.papers.laporte2014.significance import select_best_method
from reproduction.papers.laporte2014.tables import METRIC_TABLES
from reproduction.specs.multiverse import Choice, Specifications

METRICS = ("map", "ndcg10", "sparsity_ratio")
OUTCOME_COLUMNS = ("specification", "changes", "dataset", "method", "split", *METRICS, "zero_model", "status")

WHOLE_GRID = "all"
"""Of the grid: nothing is cut off."""

SCORE_TOL = 0.002
"""Of the validation metric: candidates within it of the best one are hardly told apart."""

TIE_RULE_TEXTS = {
    "fewest": "the one with the fewest variables",
    "middle": "the middle one in the order of the grid",
    "strongest": "the one of the strongest regularisation",
    "weakest": "the one of the weakest regularisation",
}

CHOICES = (
    Choice(
        "smallest_share",
        "Where the grid of C ends",
        "Section V-C takes C from a grid that it does not print.",
        WHOLE_GRID,
    ),
    Choice(
        "ties",
        "Ties on the validation part",
        "Section V-C gives no rule for values of C with the same validation score.",
        "fewest",
        TIE_RULE_TEXTS,
    ),
    Choice(
        "validation",
        "Metric of the validation",
        "Section V-C validates by MAP, also where NDCG@10 is reported.",
        "map",
        {"map": "mean average precision", "ndcg10": "NDCG@10"},
    ),
    Choice(
        "slack",
        "Candidates with nearly the same score",
        "Section V-C takes the best value, even by a small lead.",
        "none",
        {
            "none": "the best candidate",
            "fewest": f"of those within {SCORE_TOL} of the best, the one with the fewest variables",
            "most": f"of those within {SCORE_TOL} of the best, the one with the most variables",
        },
    ),
    Choice(
        "unit",
        "What the t-test pairs",
        "Section V-C names a paired one-sided Student test, but not the pairs.",
        "folds",
        {"folds": "the means of the five folds", "queries": "the queries of all test parts"},
    ),
)


def build_outcomes(study: Study) -> pd.DataFrame:
    """Select anew among the fits of every search; the unit of the test selects nothing.

    Parameters
    ----------
    study : Study
        A study of L14, with all fits of its searches.

    Returns
    -------
    DataFrame
        The columns of `OUTCOME_COLUMNS`, and the decrease from the best method in each metric, in per cent.
    """
    specifications = Specifications(CHOICES, study.settings)
    combinations = [
        (options, tuple(specifications.identify(options).values()))
        for options in specifications.cross_options("smallest_share", "ties", "validation", "slack")
        # the tie rule and the tolerance both select a candidate: one is varied at a time
        if specifications.defaults["slack"] == options["slack"]
        or specifications.defaults["ties"] == options["ties"]
    ]
    search = study.fits[(study.fits["role"] == "search") & study.fits["map"].notna()]
    rows = []
    for (dataset, method, split), fits in search.groupby(["dataset", "method", "split"], sort=True):
        candidates = _sort_candidates(fits)
        for options, specification in combinations:
            fit = candidates.iloc[_choose_candidate(candidates, options)]
            outcome = int(fit["n_variables"] == 0), fit["status"]
            rows.append((*specification, dataset, method, int(split), *fit[list(METRICS)], *outcome))
    outcomes_table = pd.DataFrame(rows, columns=list(OUTCOME_COLUMNS))
    return outcomes_table.assign(
        **{
            f"{metric}_decrease": _compute_decreases(outcomes_table, metric)
            for metric in METRIC_TABLES.values()
        }
    )


def _compute_decreases(outcomes_table: pd.DataFrame, metric: str) -> pd.Series:
    """Compute by how many per cent of the best mean each fold lies below the best method."""
    decreases = pd.Series(np.nan, index=outcomes_table.index)
    for _, rows in outcomes_table.groupby(["specification", "dataset"], sort=False):
        best = select_best_method(rows, metric)
        if best is not None:
            best_values = rows[rows["method"] == best].set_index("split")[metric]
            deficit = rows["split"].map(best_values) - rows[metric]
            decreases[rows.index] = 100 * deficit / best_values.mean() if best_values.mean() > 0 else np.nan
    return decreases


def _sort_candidates(fits: pd.DataFrame) -> pd.DataFrame:
    """Sort candidates from the weakest to the strongest regularisation, with their share."""
    params = [json.loads(text) for text in fits["params"]]
    fits = fits.assign(
        share=[values.get("share", np.inf) for values in params],
        # a larger share, or a smaller radius of the ball, regularises more
        strength=[values.get("share", -values.get("radius", 0.0)) for values in params],
    )
    return fits.sort_values("strength", kind="stable")


def _choose_candidate(candidates: pd.DataFrame, options: Mapping[str, str]) -> int:
    """Return the position of the candidate that a specification selects.

    One that scores all documents alike is selected only where all do, as in the search.
    """
    quality = candidates[f"validation_{options['validation']}"].to_numpy(dtype=float)
    variables = candidates["n_variables"].to_numpy(dtype=float)
    # a grid that ends earlier; of one that would have no candidate left the strongest stays
    shares = candidates["share"].to_numpy()
    if options["smallest_share"] != WHOLE_GRID:
        smallest = min(float(options["smallest_share"]), shares.max())
        quality = np.where(shares >= smallest * (1 - 1e-9), quality, np.nan)
    if options["slack"] == "none":
        return select_best(quality, variables, options["ties"])
    # the tolerance: all candidates close to the best tie, and their sparsity decides
    is_near_best = quality >= np.nanmax(np.where(variables == 0, np.nan, quality)) - SCORE_TOL
    return select_best(
        np.where(is_near_best, 1.0, np.where(np.isnan(quality), np.nan, 0.0)), variables, options["slack"]
    )
