"""Multiverse analysis of R12: the choices that the paper leaves open, their new fits, and the outcomes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import pandas as pd

from reproduction.datasets import registry
from reproduction.fitting import tie_breaking as ties
from reproduction.papers.rakotomamonjy2012.optimal_face.outcomes import count_other_optima
from reproduction.papers.rakotomamonjy2012.toy.generate import MEAN_VARIANCES
from reproduction.papers.rakotomamonjy2012.toy.names import (
    DEFAULT_COVARIANCE,
    toy_covariance,
    toy_name,
    toy_size,
)
from reproduction.specs.multiverse import Choice, Specifications, option_text, require_specifications
from reproduction.specs.study_results import Study

if TYPE_CHECKING:
    from reproduction.fitting.method import Method
    from reproduction.splits.split_data import SplitData

OUTCOME_COLUMNS = (
    *("specification", "changes", "dataset", "method", "split"),
    *("rate_at_top", "variables", "zero_model", "status"),
)
CERTIFIED_STOP = "certified"
FIRST_ORDER_SOLVERS = {
    "l1_infinite_push": ("toprank.InfinitePush", {"penalty": "l1", "solver": "admm"}, (10, 30, 100)),
    "l1_ranksvm": (
        "toprank.RankSVM",
        {"penalty": "l1", "solver": "fista", "solver__restart": False},
        (10, 30, 100, 1000),
    ),
}
"""Method -> its estimator, the first-order solver that is stopped early (Algorithm 1, and FISTA without
restart), and after how many iterations: 1000 of Algorithm 1 would take a quarter of an hour on a data set."""

CERTIFIED_SOLVERS = {"l1_infinite_push": "exact", "l1_ranksvm": "prox-newton"}
"""Solver of each method that certifies its optimum."""

MAX_ADMM_FEATURES = 100
"""Features beyond which Algorithm 1 is not stopped early: its inner Lasso takes half a minute a fit there."""

VALIDATED_SHARE, COMPUTED_OPTIMUM = "validated", "computed"
CHOICES = (
    Choice(
        "ties",
        "Ties on the validation part",
        "Section 4 gives no rule for regularisations with the same validation score; most of a grid has the "
        "same.",
        "middle",
        ties.TIE_RULES,
    ),
    Choice(
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
        reuses_fits=False,
    ),
    Choice(
        "stop",
        "Stop of the solver",
        "Section 3 gives neither a tolerance nor a number of iterations.",
        CERTIFIED_STOP,
        {CERTIFIED_STOP: "the certified optimum"}
        | {str(n): f"Algorithm 1 and FISTA after {n} iterations" for n in (10, 30, 100)}
        | {"1000": "FISTA after 1000 iterations, the infinite push certified"},
        reuses_fits=False,
    ),
    Choice(
        "share",
        "Regularisation, as a share of lambda_max",
        "Section 4.2 selects it on a validation part, from a grid that it does not print.",
        VALIDATED_SHARE,
    ),
    Choice(
        "threshold",
        "When a variable counts as used",
        "Section 4.2 counts variables without saying from which weight on.",
        1e-6,
    ),
    Choice(
        "optimum",
        "Which optimum is counted",
        "Section 4.2 counts the variables of one solution, but an l1 optimum need not be unique.",
        COMPUTED_OPTIMUM,
        {
            COMPUTED_OPTIMUM: "the one that the solver ended with",
            "fewest": "the variables that every optimum uses",
            "most": "the variables that some optimum uses",
        },
        reuses_fits=False,
    ),
    Choice(
        "covariance",
        "Covariance of the toy problem",
        "Section 4.1 draws it from a Wishart distribution of unstated degrees of freedom and scale.",
        DEFAULT_COVARIANCE,
        {
            name: f"r + 2 degrees of freedom, a mean variance of {variance:g}"
            for name, variance in MEAN_VARIANCES.items()
        },
        reuses_fits=False,
    ),
)


def _resolve_variant(dataset: str) -> tuple[str, dict[str, str]]:
    """Return the data set whose published numbers this one stands beside, and the options that it changes."""
    if size := toy_size(dataset):
        return toy_name(*size), {"covariance": toy_covariance(dataset)}
    spec = registry.get(dataset)
    return spec.variant_of or dataset, spec.variant


def build_outcomes(study: Study) -> pd.DataFrame:
    """Build the outcomes of each specification.

    Options of ``ties`` and ``threshold`` reuse the fits; early stops have fits of their own.

    A method that no early stop concerns keeps its numbers there.

    Parameters
    ----------
    study : Study
        A study of R12.

    Returns
    -------
    DataFrame
        The columns of `OUTCOME_COLUMNS`.
    """
    specifications = Specifications(CHOICES, study.settings)
    fits = study.fits[study.fits["role"].isin(["chosen", "alternative"])]
    fits = fits[fits["status"] != "not obtained"].to_dict("records")
    # the study's own fits, and the new ones of early stops and fixed shares
    if study.settings.get("multiverse"):
        fits += study.read_experiment("multiverse", "fits")
    _require_fits(fits, specifications)
    # A row a fit and combination of options; identical combinations are named once below.
    choices = list(specifications.choices)
    rows = [row for fit in fits for row in _build_fit_outcomes(fit, specifications)]
    if specifications.alternatives("optimum") and study.settings.get("optimal_face"):
        faces = study.read_experiment("optimal_face", "faces")
        rows += count_other_optima(rows, faces, specifications)
    rows = pd.DataFrame(rows, columns=[*OUTCOME_COLUMNS[2:], "toy", *choices])
    rows = pd.concat([rows, *_repeat_certified_rows(rows, specifications)], ignore_index=True)
    # a specification is named by its changes, once for each distinct combination
    combinations = rows[choices].drop_duplicates(ignore_index=True)
    identities = pd.DataFrame(
        map(specifications.identify, combinations.to_dict("records")), columns=OUTCOME_COLUMNS[:2]
    )
    return rows.merge(combinations.join(identities), on=choices, how="left")[list(OUTCOME_COLUMNS)]


def _require_fits(fits: list[Mapping], specifications: Specifications) -> None:
    """Raise a ResultsError where an option of ``ties`` has no fit of a search that others have."""
    identity = ("dataset", "method", "split")
    present = [
        (*(fit[name] for name in identity), fit.get("stop", CERTIFIED_STOP), option)
        for fit in fits
        for option in _list_tie_options(fit, specifications)
        if "share" not in fit
    ]
    # a search is the same data set, method, split and stop; each rule for ties must have selected in it
    searches = dict.fromkeys(case[:-1] for case in present)
    required = [(*case, option) for case in searches for option in specifications.options["ties"]]
    require_specifications(present, required, "fits.csv, or a file of the block multiverse,")


def _list_tie_options(fit: Mapping, specifications: Specifications) -> list[str]:
    """List the options of ``ties`` that select a fit: all where the search had no result."""
    if "share" in fit:  # there was no search
        return [specifications.defaults["ties"]]
    return (fit["ties"] if isinstance(fit["ties"], str) else "").split() or specifications.options["ties"]


def _build_fit_outcomes(fit: Mapping, specifications: Specifications) -> Iterator[dict]:
    """Yield the rows of one fit: one for each option of ``ties`` that selects it, and each threshold."""
    original, options = _resolve_variant(fit["dataset"])
    # w = 0 is a model without variables, whatever the threshold
    row = {"dataset": original, "split": int(fit["split"]), "zero_model": int(fit["n_variables"] == 0)}
    row |= {name: fit[name] for name in ("method", "rate_at_top", "status")}
    row |= specifications.defaults | options | {"stop": fit.get("stop", CERTIFIED_STOP)}
    row["share"] = fit.get("share", VALIDATED_SHARE)
    row |= {"fitted_dataset": fit["dataset"], "params": fit["params"]}
    row["toy"] = toy_size(original) is not None
    # the number at the default threshold is that of the fit; those at others were counted with it
    counts = {specifications.defaults["threshold"]: fit["n_variables"]}
    # the figures of the toy problem show rates, and what is retrieved at the default
    if not row["toy"] and isinstance(fit["variables_at"], str):
        counts |= json.loads(fit["variables_at"] or "{}")
    for option, (threshold, count) in product(_list_tie_options(fit, specifications), counts.items()):
        yield row | {"ties": option, "threshold": threshold, "variables": count}


def _repeat_certified_rows(rows: pd.DataFrame, specifications: Specifications) -> Iterator[pd.DataFrame]:
    """Yield certified rows that stand for a method and data set without an early stop, for each stop."""
    case = ["dataset", "method", "positive"]
    is_searched = (rows["share"] == VALIDATED_SHARE) & (rows["optimum"] == COMPUTED_OPTIMUM)
    # early stops are fitted to the documented classes alone: certified numbers of others show nothing of them
    is_searched &= rows["positive"] == specifications.defaults["positive"]
    certified = rows[(rows["stop"] == CERTIFIED_STOP) & is_searched & ~rows["toy"]]
    for option in specifications.alternatives("stop"):
        stopped = pd.MultiIndex.from_frame(rows.loc[rows["stop"] == option, case])
        # The ridge infinite push and RFE have no early stop, and Algorithm 1 has none on wide data: in a
        # comparison of the methods under an early stop, their certified numbers stand.
        yield certified[~pd.MultiIndex.from_frame(certified[case]).isin(stopped)].assign(stop=option)


def list_parts(settings: Mapping) -> list[str]:
    """List the data sets with new fits: those with early stops or without a search.

    Parameters
    ----------
    settings : mapping
        Settings of the study.

    Returns
    -------
    list of str
        Empty where the study names no such option; only originals if all that it names are early stops.
    """
    specifications = Specifications(CHOICES, settings)
    if specifications.alternatives("share"):
        # fixed shares are fitted on every reading of the classes, early stops on the documented one only
        return list(settings["datasets"])
    originals = [name for name in settings["datasets"] if not registry.get(name).variant_of]
    return originals if specifications.alternatives("stop") else []


def build_experiment_settings(settings: Mapping, dataset: str) -> dict:
    """List all that the early stops on a data set depend on.

    Parameters
    ----------
    settings : mapping
        Settings of the study.
    dataset : str
        Part of the experiment.

    Returns
    -------
    dict
        Settings of the experiment.
    """
    specifications = Specifications(CHOICES, settings)
    return {
        "methods": [name for name in settings["methods"] if name in FIRST_ORDER_SOLVERS],
        # a data set in another reading of its classes would change two choices already
        "stops": [] if registry.get(dataset).variant_of else specifications.alternatives("stop"),
        "fixed_shares": specifications.alternatives("share"),
        "ties": [specifications.defaults["ties"], *specifications.alternatives("ties")],
        "thresholds": specifications.options["threshold"],
        "shares": settings["shares"],
        "feature_scaling": settings["datasets"][dataset][0],
    }


def run_experiment(
    settings: Mapping, *, part: str, splits: Iterable[SplitData], **_: Any
) -> Iterator[tuple[str, dict]]:
    """Run the experiment ``multiverse``: a data set with solvers that are stopped early, or without a search.

    Parameters
    ----------
    settings : mapping
        As `build_experiment_settings` builds them.
    part : str
        Data set.
    splits : iterable of SplitData
        Splits to fit.

    Yields
    ------
    (str, dict)
        Table and row: of "fits", the selected fits, as in the table of fits, with the option ``stop``, and
        those without a search, with the option ``share``; of "cost", what all fits took.
    """
    from reproduction.fitting.cross_validation import CrossValidation
    from reproduction.fitting.fit_rows import warm_up
    from reproduction.splits.splits import Splits

    cost, scaling = Counter(), settings["feature_scaling"]
    # each method, first at its certified optimum, then after each number of iterations
    for split_data, name, stop in product(splits, settings["methods"], [CERTIFIED_STOP, *settings["stops"]]):
        if split_data.missing_data:
            return
        prepared = split_data.data
        method = _make_method(name, stop, settings, prepared.X.shape[1])
        if method is None:
            continue
        warm_up(method, prepared.X, scaling)
        inputs = prepared.X, prepared.y, Splits.load(split_data.splits), scaling
        search = CrossValidation(method, *inputs, ties=settings["ties"], thresholds=settings["thresholds"])
        rows = search.run_split(split_data.split)
        cost.update(fits=len(rows), seconds=sum(row.get("seconds", 0.0) for row in rows))
        # With the certified stop only the fits at fixed shares are new: the search is the study's own.
        roles = ("path",) if stop == CERTIFIED_STOP else ("path", "chosen", "alternative")
        for row in (row for row in rows if row["role"] in roles):
            columns = {key: row.get(key) for key in _FIT_COLUMNS}
            if row["role"] == "path":
                columns["share"] = option_text(json.loads(row["params"])["share"])
            yield "fits", {"dataset": part, "method": name, "stop": stop} | columns
    yield "cost", {"part": part, **cost}


def _make_method(name: str, stop: str, settings: Mapping, n_features: int) -> Method | None:
    """Make a method with a stop; None if it takes too long, or if it has no such stop."""
    from reproduction.fitting.method import Method

    estimator, fixed, stops = FIRST_ORDER_SOLVERS[name]
    path = {"share": [float(share) for share in settings["fixed_shares"]]} if settings["fixed_shares"] else {}
    if stop == CERTIFIED_STOP:  # searched as a method of the study: only the fits without a search are new
        fixed = {"penalty": fixed["penalty"], "solver": CERTIFIED_SOLVERS[name]}
        return Method(estimator, fixed, {}, path) if path else None
    is_slow = name == "l1_infinite_push" and n_features > MAX_ADMM_FEATURES
    if is_slow or int(stop) not in stops:
        return None
    # the early stop in the search as well: it would select by models that were stopped alike
    return Method(estimator, fixed | {"max_iter": int(stop)}, {"share": settings["shares"]}, path)


_FIT_COLUMNS = ("split", "ties", "params", "status", "seconds", "rate_at_top", "n_variables", "variables_at")
