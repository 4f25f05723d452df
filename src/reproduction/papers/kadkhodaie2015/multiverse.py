"""Multiverse of K15: the choices that the paper leaves open, the refits they need, and their outcomes.

`CHOICES` lists them with their options. `run_experiment` refits a part, `outcomes` collects the outcomes of
all specifications.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from reproduction.core.results import read_text, to_numbers
from reproduction.datasets import registry
from reproduction.fitting.tie_breaking import select_best
from reproduction.specs.multiverse import Choice, Specifications, require_specifications
from reproduction.specs.study_results import Study

if TYPE_CHECKING:
    from reproduction.splits.split_data import SplitData

OUTCOME_COLUMNS = (
    *("specification", "changes", "dataset", "method", "split"),
    *("pos_at_top", "seconds", "n_iter", "zero_model", "status"),
)
ADMM_FAMILY = ("admm", "a2dm2", "a2dm2_restart")
"""Methods with the stopping rule and the iteration cap of the choices ``stop`` and ``cap``."""

TOP_PUSH = "toppush"

CHOICES = (
    Choice(
        "features",
        "Features",
        "Section 5.1 points to LIBSVM, which distributes most sets twice, as they are and scaled.",
        "raw",
        {
            "raw": "as distributed",
            "scaled": "each feature to [−1, 1] over the full file, with six digits, as in LIBSVM's _scale",
            "standardised": "mean 0 and variance 1 on the training part",
            "without-id": "breast-cancer without the patient's id number",
        },
        reuses_fits=False,
    ),
    Choice(
        "stop",
        "Stop of the ADMM family",
        "Section 5.1 stops by the sum of the primal and dual residuals, which the paper defines in three "
        "ways.",
        "residuals",
        {
            "residuals": "‖r‖ + ‖d‖, d from the optimality conditions",
            "combined": "m_k of eq. (9), squares and ρ",
            "published": "‖r‖ + ‖d‖, d without ρ, as published in section 2",
        },
        reuses_fits=False,
    ),
    Choice(
        "cap",
        "Most iterations of the ADMM family",
        "Section 5.1 names no cap on the iterations.",
        lambda settings: settings.get("admm", {}).get("max_iter", 5000),
        reuses_fits=False,
    ),
    Choice(
        "ties",
        "Ties of the cross-validation",
        "Section 5.1 gives no rule for values of λ or ρ with the same validation score.",
        "strongest",
        {"strongest": "the one listed last", "weakest": "the one listed first"},
        reuses_fits=False,
    ),
)


def list_parts(settings: Mapping) -> dict[str, tuple[str, str]]:
    """List the parts of the experiment: one for each data set and feature scaling.

    Parameters
    ----------
    settings : mapping
        Settings of the study.

    Returns
    -------
    dict of str to tuple of str
        Name of the part, such as "diabetes-raw" -> data set and feature scaling.
    """
    return {
        f"{dataset}-{scaling}": (dataset, scaling)
        for dataset, scalings in settings["datasets"].items()
        for scaling in scalings
    }


def resolve_variant(dataset: str, scaling: str) -> tuple[str, str]:
    """Return the data set whose published values apply, and the option of the choice ``scaling``.

    Parameters
    ----------
    dataset : str
        A data set of the registry, which may be a variant of a published one (scaled, or without an id
        column).
    scaling : str
        Feature scaling of the fits.

    Returns
    -------
    dataset, option : str
    """
    spec = registry.get(dataset)
    return spec.variant_of or dataset, spec.variant.get("features", scaling)


def experiment_settings(settings: Mapping, part: str) -> dict:
    """Return all settings that the refits of a part depend on.

    Parameters
    ----------
    settings : mapping
        Settings of the study.
    part : str
        A key of `list_parts`.

    Returns
    -------
    dict
        ``options`` has the options of stop, cap and ties of each specification that needs its own fits.
    """
    dataset, scaling = list_parts(settings)[part]
    specifications = Specifications(CHOICES, settings)
    # A part with other features than the default is refitted under other stops only, see `_is_refitted`.
    is_default = resolve_variant(dataset, scaling)[1] == specifications.defaults["features"]
    # the other methods have neither the stop nor the cap of these choices
    methods = [name for name in settings["methods"] if name in (TOP_PUSH, *ADMM_FAMILY)]
    multiverse = settings["multiverse"]
    excluded_options = multiverse.get("excluded_options", {}).get(dataset, ())
    return {
        "feature_scaling": scaling,
        "methods": methods,
        "options": [
            options
            for options in specifications.cross_options("stop", "cap", "ties")
            if _is_refitted(specifications, is_default, excluded_options, options)
        ],
        "alphas": settings["alphas"],
        "rhos": settings["rhos"],
        "admm": settings["admm"],
        "splits": multiverse.get("splits_by_dataset", {}).get(
            dataset, multiverse.get("splits", settings["splits"])
        ),
    }


def split_inputs(settings: Mapping, part: str) -> list[tuple[str, int]]:
    """List the data set and the splits on which a part is refitted.

    Parameters
    ----------
    settings : mapping
        Settings of the study.
    part : str
        A key of `list_parts`.

    Returns
    -------
    list of tuple of (str, int)
        Data set and number of a split.
    """
    return [
        (list_parts(settings)[part][0], split)
        for split in range(experiment_settings(settings, part)["splits"])
    ]


def _is_refitted(
    specifications: Specifications,
    is_default: bool,
    excluded_options: Collection[str],
    options: Mapping[str, str],
) -> bool:
    """Whether a specification needs its own fits: a single change, or another stop with other features."""
    changed = [name for name, option in options.items() if option != specifications.defaults[name]]
    if any(f"{name}={options[name]}" in excluded_options for name in changed):
        return False
    # The features alone need no refit (they are a feature scaling of the study); cap or ties with other
    # features would be pairs that nobody declared.
    return changed == ["stop"] or (is_default and len(changed) == 1)


def run_experiment(
    settings: Mapping, *, part: str, splits: Iterable[SplitData], fits: Iterable[str | Path], **_
) -> Iterator[tuple[str, dict]]:
    """Refit a data set under other stopping rules, iteration caps and tie-breaking rules.

    Parameters
    ----------
    settings : mapping
        See `experiment_settings`.
    part : str
        A key of `list_parts`.
    splits : iterable of SplitData
    fits : iterable of path
        Files of TopPush's fits, whose search gives the regularisation.

    Yields
    ------
    table : {"fits", "cost"}
    row : dict
        A chosen fit with its options of ``stop``, ``cap`` and ``ties``; last, the number and the seconds of
        all fits.
    """
    from reproduction.fitting.cross_validation import CrossValidation
    from reproduction.fitting.fit_rows import warm_up
    from reproduction.fitting.method import Method
    from reproduction.splits.splits import Splits

    search, cost = _read_search(fits), Counter()
    for split_data in splits:
        if split_data.missing_data:
            return
        if split_data.split not in search:
            continue
        prepared, scaling = split_data.data, settings["feature_scaling"]
        inputs = prepared.X, prepared.y, Splits.load(split_data.splits), scaling
        for options in settings["options"]:
            # λ is selected by TopPush, as in section 5.1: a rule for ties changes it, hence the fit of each
            # method
            alpha = _choose_alpha(search[split_data.split], options["ties"])
            for name in settings["methods"]:
                if name == TOP_PUSH and options["ties"] == "strongest":
                    continue  # TopPush has neither the stop nor the cap: only the ties matter
                # of the ADMM family, ρ is searched anew: the stop decides which ρ is best
                grid = {} if name == TOP_PUSH else {"solver__rho": settings["rhos"].get(name)}
                method = Method("toprank.TopPush", _fixed_parameters(name, settings["admm"], options), grid)
                warm_up(method, prepared.X, scaling)
                refit = CrossValidation(method, *inputs, ties=(options["ties"],))
                # with one rule for ties the last row is the chosen fit
                rows = refit.run_split(split_data.split, inherited={"alpha": alpha})
                cost.update(fits=len(rows), seconds=sum(row.get("seconds", 0.0) for row in rows))
                identity = {"method": name, **options}
                yield "fits", identity | {key: rows[-1].get(key) for key in _FIT_COLUMNS}
    yield "cost", {"part": part, **cost}


_REFIT_KEY = ["stop", "cap", "ties", "split"]
_FIT_COLUMNS = ("split", "params", "status", "seconds", "n_iter", "positives_at_top", "weight_norm")


def _fixed_parameters(name: str, admm: Mapping, options: Mapping[str, str]) -> dict:
    """Return the parameters of a method that are not searched, under the options of a specification."""
    if name == TOP_PUSH:
        return {"solver": "dual", "solver__stop": "published", "tol": 1e-4, "max_iter": 10_000}
    # ADMM (Algorithm 1) solves (12) and has no perturbation; A2DM2 has λ₁ and λ₂; its restart η as well.
    # each method has the perturbations of the ones before it
    names = ("lambda1", "lambda2", "eta")[: {"admm": 0, "a2dm2": 2, "a2dm2_restart": 3}[name]]
    limits = {"tol": admm["tol"], "max_iter": int(float(options["cap"]))}
    solver_options = {f"solver__{option}": admm[option] for option in names}
    return {"solver": name.replace("_", "-"), "solver__stop": options["stop"], **limits, **solver_options}


def _read_search(fits: Iterable[str | Path]) -> dict[int, pd.DataFrame]:
    """Read the search of TopPush from its fit files, by split."""
    numbers = ("split", "positives_at_top", "n_variables")
    searches = []
    for path in fits:
        rows = read_text(path, ("role", "status", "params", *numbers))
        rows = rows[(rows["role"] == "search") & (rows["status"] != "failed")]
        searches.append(to_numbers(rows, numbers, path))
    rows = pd.concat(searches)
    return dict(list(rows.groupby(rows["split"].astype(int))))


def _choose_alpha(search: pd.DataFrame, ties: str) -> float:
    """Select the regularisation as the search did, under an option of ``ties``."""
    alpha = [json.loads(params)["alpha"] for params in search["params"]]
    # the validation score of an alpha is the sum of Pos@Top over the inner folds
    totals = search[["positives_at_top", "n_variables"]].groupby(alpha, sort=True).sum()
    return totals.index[select_best(totals["positives_at_top"], totals["n_variables"], ties)]


def outcomes(study: Study) -> pd.DataFrame:
    """Collect the outcomes of every specification: the fits of each feature scaling, and the refits.

    TopPush has neither the ADMM family's stop nor its cap, so it keeps its numbers under their options.

    Parameters
    ----------
    study : Study

    Returns
    -------
    DataFrame
        The columns of `OUTCOME_COLUMNS`, one row for each specification, data set, method and split.
    """
    specifications = Specifications(CHOICES, study.settings)
    chosen = study.fits[(study.fits["role"] == "chosen") & (study.fits["status"] != "not obtained")]
    chosen = chosen[["dataset", "feature_scaling", "method", *_FIT_COLUMNS]]
    frames, top_push = [chosen], chosen[chosen["method"] == TOP_PUSH]
    parts = list_parts(study.settings) if study.settings.get("multiverse") else {}
    # the refits of each part, and TopPush's fits, which stop and cap of the ADMM family leave as they are
    for part, (dataset, scaling) in parts.items():
        if not (refit_rows := study.read_experiment("multiverse", "fits", part)):
            continue
        refits_table = pd.DataFrame(refit_rows).assign(dataset=dataset, feature_scaling=scaling)
        present = refits_table[_REFIT_KEY].itertuples(index=False, name=None)
        refits = product(experiment_settings(study.settings, part)["options"], refits_table["split"].unique())
        required = [(*options.values(), split) for options, split in refits]
        # a damaged or outdated file of refits must not pass for a complete multiverse
        require_specifications(present, required, f"multiverse.{part}.jsonl")
        # combinations that were refitted, each joined with TopPush's only fit of its split
        refitted = refits_table.loc[
            refits_table["ties"] == specifications.defaults["ties"],
            ["dataset", "feature_scaling", *_REFIT_KEY],
        ]
        frames += [refits_table, refitted.drop_duplicates().merge(top_push)]
    rows = pd.concat(frames, ignore_index=True)
    # a variant of a data set counts as the published one, under another option of the choice ``features``
    variants = [
        resolve_variant(*names) for names in zip(rows["dataset"], rows["feature_scaling"], strict=True)
    ]
    options = rows.reindex(columns=["stop", "cap", "ties"]).assign(
        features=[option for _, option in variants]
    )
    identities = [specifications.identify(row.dropna().to_dict()) for _, row in options.iterrows()]
    rows = rows.assign(
        dataset=[name for name, _ in variants], zero_model=(rows["weight_norm"] == 0).astype(int)
    )
    rows = rows.rename(columns={"positives_at_top": "pos_at_top"})
    return rows.join(pd.DataFrame(identities, columns=["specification", "changes"]))[list(OUTCOME_COLUMNS)]
