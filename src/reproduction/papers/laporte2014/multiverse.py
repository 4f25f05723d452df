"""Multiverse analysis of L14: the choices that the paper leaves open, and the outcomes of each specification.

Each specification selects anew among the fits of a search, its own or that on an absolute grid of C.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd

from reproduction.fitting.tie_breaking import select_best
from reproduction.papers.laporte2014.significance import select_best_method
from reproduction.papers.laporte2014.tables import METRIC_TABLES
from reproduction.specs.multiverse import Choice, Specifications, complete_specifications
from reproduction.specs.study_results import Study

METRICS = ("map", "ndcg10", "sparsity_ratio")
OUTCOME_COLUMNS = ("specification", "changes", "dataset", "method", "split", *METRICS, "zero_model", "status")

WHOLE_GRID = "all"
"""Of a grid: nothing is cut off."""

RELATIVE_GRID = "relative"
"""Of C: shares of the regularisation at which w = 0 becomes optimal, which depends on data set and fold."""

LOG_METHOD, TUNED_LOG_METHOD = "log_ranksvm", "log_ranksvm_tuned"
"""RankSVM with the log penalty, and the method whose search has the log penalty with other values of ε."""

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
        "largest_radius",
        "Where FenchelRank's grid of radii ends",
        "Section V-C takes the radius from a grid that it does not print.",
        WHOLE_GRID,
    ),
    Choice(
        "epsilon",
        "The constant ε of the log penalty",
        "Section V-C fixes ε = 0.1, but ε is relative to weights whose scale it does not fix.",
        0.1,
    ),
    Choice(
        "largest_C",
        "Where an absolute grid of C ends",
        "Section V-C takes C from a grid that it does not print; it may be the same on all data sets.",
        RELATIVE_GRID,
        reuses_fits=False,
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
    search = study.fits[(study.fits["role"] == "search") & study.fits["map"].notna()]
    searches = {RELATIVE_GRID: _group_candidates(search), "absolute": {}}
    if specifications.alternatives("largest_C") and study.settings.get("absolute_grid"):
        searches["absolute"] = _group_candidates(
            pd.DataFrame(study.read_experiment("absolute_grid", "fits")).dropna(subset=["map"])
        )
    rows = []
    # No fit is made here: each specification is another choice among the same candidates.
    for dataset, method, split in searches[RELATIVE_GRID]:
        for options, specification in _list_combinations(specifications):
            table = _select_candidates(searches, (dataset, method, split), options, specifications)
            if table is None or table.empty:
                continue
            fit = table.iloc[_choose_candidate(table, options)]
            outcome = int(fit["n_variables"] == 0), fit["status"]
            rows.append((*specification, dataset, method, int(split), *fit[list(METRICS)], *outcome))
    outcomes_table = pd.DataFrame(rows, columns=list(OUTCOME_COLUMNS))
    return outcomes_table.assign(
        **{
            f"{metric}_decrease": _compute_decreases(outcomes_table, metric)
            for metric in METRIC_TABLES.values()
        }
    )


def _group_candidates(fits: pd.DataFrame) -> dict[tuple, pd.DataFrame]:
    """Sort the candidates of each data set, method and fold."""
    return {
        key: _sort_candidates(rows) for key, rows in fits.groupby(["dataset", "method", "split"], sort=True)
    }


def _select_candidates(
    searches: Mapping[str, Mapping], key: tuple, options: Mapping[str, str], specifications: Specifications
) -> pd.DataFrame | None:
    """Return the candidates of a data set, method and fold; None where the options have no search of it."""
    dataset, method, split = key
    is_other = method == LOG_METHOD and options["epsilon"] != specifications.defaults["epsilon"]
    if options["largest_C"] != RELATIVE_GRID:
        table = searches["absolute"].get(key)
    else:  # the method's own search has the default ε alone
        table = searches[RELATIVE_GRID].get((dataset, TUNED_LOG_METHOD if is_other else method, split))
    if table is None or table["epsilon"].isna().all() or method == TUNED_LOG_METHOD:
        return table
    return table[table["epsilon"] == float(options["epsilon"])]


def _list_combinations(specifications: Specifications) -> list[tuple[dict[str, str], tuple]]:
    """List the combinations of options, and name and number of changes of each.

    The ends of FenchelRank's grid and ε, which one method has each, and the absolute grid of C are combined
    with one other change at most, and the two grids of C not with one another.
    """
    combinations = []
    for options in specifications.cross_options(
        "smallest_share", "ties", "validation", "largest_radius", "epsilon", "largest_C"
    ):
        name, changes = specifications.identify(options).values()
        changed = {choice for choice, option in options.items() if option != specifications.defaults[choice]}
        # Both cut the same grid, one in shares and the other in values of C: they exclude each other.
        if changed >= {"smallest_share", "largest_C"}:
            continue
        # Choices of one method are combined with one other at most; what concerns all methods (grid, ties,
        # validation) is crossed fully, since it reuses the fits.
        if changes <= 2 or not changed & {"largest_radius", "epsilon", "largest_C"}:
            combinations.append((options, (name, changes)))
    return combinations


def _compute_decreases(outcomes_table: pd.DataFrame, metric: str) -> pd.Series:
    """Compute by how many per cent of the best mean each fold lies below the best method."""
    # Fold by fold, over the mean of the best: its average over the folds is the decrease of the means.
    decreases = pd.Series(np.nan, index=outcomes_table.index)
    complete = complete_specifications(outcomes_table)
    for (specification, name), rows in outcomes_table.groupby(["specification", "dataset"], sort=False):
        # the best of all methods, also of those that the specification does not concern
        all_rows = complete[specification].loc[lambda table, name=name: table["dataset"] == name]
        best = select_best_method(all_rows, metric)
        if best is not None:
            best_values = all_rows[all_rows["method"] == best].set_index("split")[metric]
            deficit = rows["split"].map(best_values) - rows[metric]
            decreases[rows.index] = 100 * deficit / best_values.mean() if best_values.mean() > 0 else np.nan
    return decreases


def _sort_candidates(fits: pd.DataFrame) -> pd.DataFrame:
    """Sort candidates from the weakest to the strongest regularisation, with their share."""
    params = [json.loads(text) for text in fits["params"]]
    fits = fits.assign(
        share=[values.get("share", np.inf) for values in params],
        radius=[values.get("radius", 0.0) for values in params],
        C=[values.get("C", np.nan) for values in params],
        epsilon=[values.get("epsilon", np.nan) for values in params],
        # a larger share, a smaller radius of the ball, or a smaller C regularises more
        strength=[values.get("share", -values.get("radius", values.get("C", 0.0))) for values in params],
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
        # NaN takes a candidate out of the choice; the factor is for shares that went through JSON and a power
        # of ten.
        quality = np.where(shares >= smallest * (1 - 1e-9), quality, np.nan)
    if options["largest_radius"] != WHOLE_GRID:
        radii = candidates["radius"].to_numpy()
        largest = max(float(options["largest_radius"]), radii.min())
        quality = np.where(radii <= largest * (1 + 1e-9), quality, np.nan)
    if options["largest_C"] != RELATIVE_GRID:
        largest = max(float(options["largest_C"]), candidates["C"].min())
        quality = np.where(candidates["C"] <= largest * (1 + 1e-9), quality, np.nan)
    return select_best(quality, variables, options["ties"])
