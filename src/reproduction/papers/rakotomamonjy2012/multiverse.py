"""What R12 leaves open: its axes, what has to be fitted anew for them, and the rows of every universe."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.datasets import registry
from reproduction.datasets.toy_names import EASY, toy_covariance, toy_name, toy_size
from reproduction.fitting import tie_breaking as ties
from reproduction.papers.rakotomamonjy2012.toy.generate import VARIANCES
from reproduction.specs.multiverse import Axis, Universes, refuse_missing

COLUMNS = (
    *("universe", "changes", "dataset", "method", "split"),
    *("rate_at_top", "variables", "zero_model", "status"),
)
CERTIFIED = "certified"
FIRST_ORDER = {
    "l1_infinite_push": ("toprank.InfinitePush", {"penalty": "l1", "solver": "admm"}, (10, 30, 100)),
    "l1_ranksvm": (
        "toprank.RankSVM",
        {"penalty": "l1", "solver": "fista", "solver__restart": False},
        (10, 30, 100, 1000),
    ),
}
"""Method -> its estimator, the first-order solver that is stopped early (Algorithm 1, and FISTA without
restart), and after how many iterations: 1000 of Algorithm 1 would take a quarter of an hour on a data set."""

WIDE = 100
"""Features beyond which Algorithm 1 is not stopped early: its inner Lasso takes half a minute a fit there."""

AXES = (
    Axis(
        "ties",
        "Ties on the validation part",
        "Section 4 gives no rule for regularisations with the same validation score; most of a grid has the "
        "same.",
        "middle",
        ties.TIE_RULES,
    ),
    Axis(
        "positive",
        "Positive class",
        "Table 1 names no positive class.",
        "documented",
        {
            "documented": "the reading of the data set's own documentation",
            "other": "the other class",
            "tca": "the class TCA of yeast against the rest",
            "respiration": "the class respiration of yeast against the rest",
            "proteasome": "the class proteasome of yeast against the rest",
            "histone": "the class histone of yeast against the rest",
        },
        reuses=False,
    ),
    Axis(
        "stop",
        "Stop of the solver",
        "Section 3 gives neither a tolerance nor a number of iterations.",
        CERTIFIED,
        {CERTIFIED: "the certified optimum"}
        | {str(n): f"Algorithm 1 and FISTA after {n} iterations" for n in (10, 30, 100)}
        | {"1000": "FISTA after 1000 iterations, the infinite push certified"},
        reuses=False,
    ),
    Axis(
        "threshold",
        "When a variable counts as used",
        "Section 4.2 counts variables without saying from which weight on.",
        1e-6,
    ),
    Axis(
        "covariance",
        "Covariance of the toy problem",
        "Section 4.1 draws it from a Wishart distribution of unstated degrees of freedom and scale.",
        EASY,
        {
            name: f"r + 2 degrees of freedom, a mean variance of {variance:g}"
            for name, variance in VARIANCES.items()
        },
        reuses=False,
    ),
)


def reading_of(dataset: str) -> tuple[str, dict[str, str]]:
    """Return the data set whose printed numbers this one stands beside, and the levels that it changes."""
    if size := toy_size(dataset):
        return toy_name(*size), {"covariance": toy_covariance(dataset)}
    spec = registry.get(dataset)
    return spec.reading_of or dataset, spec.reading


def readings(study: Study) -> pd.DataFrame:
    """Rows of every universe: each level of ``ties`` and ``threshold`` of each fit, and the early stops.

    Returns: the columns of `COLUMNS`. A method that no early stop concerns keeps its numbers there.
    """
    universes = Universes(AXES, study.settings)
    fits = study.fits[study.fits["role"].isin(["chosen", "alternative"])]
    fits = fits[fits["status"] != "not obtained"].to_dict("records")
    if study.settings.get("multiverse"):
        fits += study.read_experiment("multiverse", "fits")
    _refuse_missing(fits, universes)
    axes = list(universes.axes)
    rows = [row for fit in fits for row in _of_fit(fit, universes)]
    rows = pd.DataFrame(rows, columns=[*COLUMNS[2:], "toy", *axes])
    rows = pd.concat([rows, *_kept_at_other_stops(rows, universes)], ignore_index=True)
    combinations = rows[axes].drop_duplicates(ignore_index=True)
    named = pd.DataFrame(map(universes.named, combinations.to_dict("records")), columns=COLUMNS[:2])
    return rows.merge(combinations.join(named), on=axes, how="left")[list(COLUMNS)]


def _refuse_missing(fits: list[Mapping], universes: Universes) -> None:
    """Raise a ResultsError where a level of ``ties`` chose nothing of a search that chose something."""
    identity = ("dataset", "method", "split")
    found = [
        (*(fit[name] for name in identity), fit.get("stop", CERTIFIED), level)
        for fit in fits
        for level in _chosen_by(fit, universes)
    ]
    searches = dict.fromkeys(case[:-1] for case in found)
    wanted = [(*case, level) for case in searches for level in universes.levels["ties"]]
    refuse_missing(found, wanted, "fits.csv, or a file of the block multiverse,")


def _chosen_by(fit: Mapping, universes: Universes) -> list[str]:
    """Levels of ``ties`` that choose a fit: all of them where nothing was searched, or nothing was found."""
    return (fit["ties"] if isinstance(fit["ties"], str) else "").split() or universes.levels["ties"]


def _of_fit(fit: Mapping, universes: Universes) -> Iterator[dict]:
    """Rows of one fit: one a level of ``ties`` that chooses it, and a threshold."""
    base, levels = reading_of(fit["dataset"])
    row = {"dataset": base, "split": int(fit["split"]), "zero_model": int(fit["n_variables"] == 0)}
    row |= {name: fit[name] for name in ("method", "rate_at_top", "status")}
    row |= universes.defaults | levels | {"stop": fit.get("stop", CERTIFIED)}
    row["toy"] = toy_size(base) is not None
    counts = {universes.defaults["threshold"]: fit["n_variables"]}
    # the figures of the toy problem show rates, and what is retrieved at the default
    if not row["toy"] and isinstance(fit["variables_at"], str):
        counts |= json.loads(fit["variables_at"] or "{}")
    for level, (threshold, count) in product(_chosen_by(fit, universes), counts.items()):
        yield row | {"ties": level, "threshold": threshold, "variables": count}


def _kept_at_other_stops(rows: pd.DataFrame, universes: Universes) -> Iterator[pd.DataFrame]:
    """Certified rows stand for a method and data set that were not stopped at a level."""
    case = ["dataset", "method", "positive"]
    certified = rows[(rows["stop"] == CERTIFIED) & ~rows["toy"]]
    for level in universes.others("stop"):
        stopped = pd.MultiIndex.from_frame(rows.loc[rows["stop"] == level, case])
        yield certified[~pd.MultiIndex.from_frame(certified[case]).isin(stopped)].assign(stop=level)


def refitted(settings: Mapping) -> list[str]:
    """List the data sets on which a first-order solver is stopped early; none where no such stop is named."""
    own = [name for name in settings["datasets"] if not registry.get(name).reading_of]
    return own if Universes(AXES, settings).others("stop") else []


def asks(settings: Mapping, dataset: str) -> dict:
    """All that the early stops on a data set depend on."""
    universes = Universes(AXES, settings)
    return {
        "methods": [name for name in settings["methods"] if name in FIRST_ORDER],
        "stops": universes.others("stop"),
        "ties": [universes.defaults["ties"], *universes.others("ties")],
        "thresholds": universes.levels["threshold"],
        "shares": settings["shares"],
        "features": settings["datasets"][dataset][0],
    }


def measure(settings, *, part, folds, **_):
    """Measure the block ``multiverse``: a data set with first-order solvers that are stopped early.

    Yields: (table, row): rows of the chosen fits, as in the table of fits, with the level ``stop``; and what
    all fits took.
    """
    from reproduction.fitting.cross_validation import run_split
    from reproduction.fitting.method import Method, warm_up
    from reproduction.splits.splits import Splits

    cost, features = Counter(), settings["features"]
    for fold, name, stop in product(folds, settings["methods"], settings["stops"]):
        if fold.missing_data:
            return
        (estimator, fixed, stops), prepared = FIRST_ORDER[name], fold.data
        is_slow = name == "l1_infinite_push" and prepared.X.shape[1] > WIDE
        if is_slow or int(stop) not in stops:
            continue
        method = Method(estimator, fixed | {"max_iter": int(stop)}, {"share": settings["shares"]})
        warm_up(method, prepared.X, features)
        given = prepared.X, prepared.y, Splits.load(fold.splits), fold.split, features
        rows = run_split(method, *given, ties=settings["ties"], thresholds=settings["thresholds"])
        cost.update(fits=len(rows), seconds=sum(row.get("seconds", 0.0) for row in rows))
        for row in (row for row in rows if row["role"] != "search"):
            kept = {key: row.get(key) for key in _KEPT}
            yield "fits", {"dataset": part, "method": name, "stop": stop} | kept
    yield "cost", {"part": part, **cost}


_KEPT = ("split", "ties", "params", "status", "seconds", "rate_at_top", "n_variables", "variables_at")
