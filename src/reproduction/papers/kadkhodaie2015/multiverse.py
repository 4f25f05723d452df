"""What K15 leaves open: its axes, what has to be fitted anew for them, and the rows of every universe."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import product
from pathlib import Path

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.datasets import registry
from reproduction.fitting.tie_breaking import select_best
from reproduction.specs.multiverse import Axis, Universes, refuse_missing

COLUMNS = (
    *("universe", "changes", "dataset", "method", "split"),
    *("pos_at_top", "seconds", "n_iter", "zero_model", "status"),
)
FAMILY = ("admm", "a2dm2", "a2dm2_restart")
"""The others know no such stop."""

TOP_PUSH = "toppush"

AXES = (
    Axis(
        "features",
        "Features",
        "Section 5.1 points to LIBSVM, which distributes most sets twice, as they are and scaled.",
        "raw",
        {
            "raw": "as distributed",
            "scaled": "each feature to [−1, 1] over the whole file, with six digits, as in LIBSVM's _scale",
            "standardised": "mean 0 and variance 1 on the training part",
            "without-id": "breast-cancer without the patient's id number",
        },
        reuses=False,
    ),
    Axis(
        "stop",
        "Stop of the ADMM family",
        "Section 5.1 stops by the sum of the primal and dual residuals, which the paper defines in three "
        "ways.",
        "residuals",
        {
            "residuals": "‖r‖ + ‖d‖, d from the optimality conditions",
            "combined": "m_k of eq. (9), squares and ρ",
            "printed": "‖r‖ + ‖d‖, d without ρ as section 2 prints it",
        },
        reuses=False,
    ),
    Axis(
        "cap",
        "Most iterations of the ADMM family",
        "Section 5.1 names no cap on the iterations.",
        lambda settings: settings.get("admm", {}).get("max_iter", 5000),
        reuses=False,
    ),
    Axis(
        "ties",
        "Ties of the cross-validation",
        "Section 5.1 gives no rule for values of λ or ρ with the same validation score.",
        "strongest",
        {"strongest": "the one listed last", "weakest": "the one listed first"},
        reuses=False,
    ),
)


def cases(settings: Mapping) -> dict[str, tuple[str, str]]:
    """Map the parts of the block, a data set and its features each, to both."""
    return {
        f"{dataset}-{features}": (dataset, features)
        for dataset, blocks in settings["datasets"].items()
        for features in blocks
    }


def level_of(dataset: str, features: str) -> tuple[str, str]:
    """Return the data set whose printed numbers stand beside a block of features, and the block's level."""
    spec = registry.get(dataset)
    return spec.reading_of or dataset, spec.reading.get("features", features)


def asks(settings: Mapping, part: str) -> dict:
    """All that the universes of a part depend on."""
    dataset, features = cases(settings)[part]
    universes = Universes(AXES, settings)
    is_default = level_of(dataset, features)[1] == universes.defaults["features"]
    methods = [name for name in settings["methods"] if name in (TOP_PUSH, *FAMILY)]
    given = settings["multiverse"]
    left_out = given.get("left_out", {}).get(dataset, ())
    return {
        "features": features,
        "methods": methods,
        "levels": [
            levels
            for levels in universes.crossed("stop", "cap", "ties")
            if _is_wanted(universes, is_default, left_out, levels)
        ],
        "alphas": settings["alphas"],
        "rhos": settings["rhos"],
        "admm": settings["admm"],
        "splits": given.get("splits_of", {}).get(dataset, given.get("splits", settings["splits"])),
    }


def folds(settings: Mapping, part: str) -> list[tuple[str, int]]:
    """Pairs of the data set of a part and a split on which it is fitted anew."""
    return [(cases(settings)[part][0], split) for split in range(asks(settings, part)["splits"])]


def _is_wanted(
    universes: Universes, is_default: bool, left_out: Collection[str], levels: Mapping[str, str]
) -> bool:
    """Whether a universe is fitted anew: one change, or another stop with other features."""
    changed = [name for name, level in levels.items() if level != universes.defaults[name]]
    if any(f"{name}={levels[name]}" in left_out for name in changed):
        return False
    return changed == ["stop"] or (is_default and len(changed) == 1)


def measure(settings, *, part, folds, fits, **_):
    """Measure the block ``multiverse``: a data set under other stops, caps and ties.

    Yields: (table, row): rows of the chosen fits, with the levels ``stop``, ``cap`` and ``ties``; and what
    all fits took.
    """
    from reproduction.fitting.cross_validation import run_split
    from reproduction.fitting.method import Method, warm_up
    from reproduction.splits.splits import Splits

    search, cost = _search_of(fits), Counter()
    for fold in folds:
        if fold.missing_data:
            return
        if fold.split not in search:
            continue
        prepared, features = fold.data, settings["features"]
        given = prepared.X, prepared.y, Splits.load(fold.splits), fold.split, features
        for levels in settings["levels"]:
            alpha = _alpha(search[fold.split], levels["ties"])
            for name in settings["methods"]:
                if name == TOP_PUSH and levels["ties"] == "strongest":
                    continue  # neither stop nor cap concerns it
                grid = {} if name == TOP_PUSH else {"solver__rho": settings["rhos"].get(name)}
                method = Method("toprank.TopPush", _fixed(name, settings["admm"], levels), grid)
                warm_up(method, prepared.X, features)
                rows = run_split(method, *given, {"alpha": alpha}, ties=(levels["ties"],))
                cost.update(fits=len(rows), seconds=sum(row.get("seconds", 0.0) for row in rows))
                about = {"method": name, **levels}
                yield "fits", about | {key: rows[-1].get(key) for key in _KEPT}
    yield "cost", {"part": part, **cost}


_UNIVERSE = ["stop", "cap", "ties", "split"]
_KEPT = ("split", "params", "status", "seconds", "n_iter", "positives_at_top", "weight_norm")


def _fixed(name: str, admm: Mapping, levels: Mapping[str, str]) -> dict:
    if name == TOP_PUSH:
        return {"solver": "dual", "solver__stop": "published", "tol": 1e-4, "max_iter": 10_000}
    options = ("lambda1", "lambda2", "eta")[: {"admm": 0, "a2dm2": 2, "a2dm2_restart": 3}[name]]
    limits = {"tol": admm["tol"], "max_iter": int(float(levels["cap"]))}
    given = {f"solver__{option}": admm[option] for option in options}
    return {"solver": name.replace("_", "-"), "solver__stop": levels["stop"], **limits, **given}


def _search_of(fits: Iterable[str | Path]) -> dict[int, pd.DataFrame]:
    """Read the search of TopPush, by split."""
    rows = pd.concat(map(pd.read_csv, fits))
    return dict(list(rows[(rows["role"] == "search") & (rows["status"] != "failed")].groupby("split")))


def _alpha(search: pd.DataFrame, ties: str) -> float:
    """Choose the regularisation as the search did, under a level of ``ties``."""
    alpha = [json.loads(params)["alpha"] for params in search["params"]]
    summed = search[["positives_at_top", "n_variables"]].groupby(alpha, sort=True).sum()
    return summed.index[select_best(summed["positives_at_top"], summed["n_variables"], ties)]


def readings(study: Study) -> pd.DataFrame:
    """Rows of every universe: each block of features as it was fitted, and what was fitted anew.

    Returns: the columns of `COLUMNS`. TopPush, which knows neither stop nor cap, keeps its numbers there.
    """
    universes = Universes(AXES, study.settings)
    chosen = study.fits[(study.fits["role"] == "chosen") & (study.fits["status"] != "not obtained")]
    chosen = chosen[["dataset", "features", "method", *_KEPT]]
    frames, top_push = [chosen], chosen[chosen["method"] == TOP_PUSH]
    parts = cases(study.settings) if study.settings.get("multiverse") else {}
    for part, (dataset, features) in parts.items():
        if not (measured := study.read_experiment("multiverse", "fits", part)):
            continue
        anew = pd.DataFrame(measured).assign(dataset=dataset, features=features)
        found = anew[_UNIVERSE].itertuples(index=False, name=None)
        asked = product(asks(study.settings, part)["levels"], anew["split"].unique())
        wanted = [(*levels.values(), split) for levels, split in asked]
        refuse_missing(found, wanted, f"multiverse.{part}.jsonl")
        there = anew.loc[anew["ties"] == universes.defaults["ties"], ["dataset", "features", *_UNIVERSE]]
        frames += [anew, there.drop_duplicates().merge(top_push)]
    rows = pd.concat(frames, ignore_index=True)
    sets = [level_of(*names) for names in zip(rows["dataset"], rows["features"], strict=True)]
    levels = rows.reindex(columns=["stop", "cap", "ties"]).assign(features=[level for _, level in sets])
    named = [universes.named(one.dropna().to_dict()) for _, one in levels.iterrows()]
    rows = rows.assign(dataset=[name for name, _ in sets], zero_model=(rows["weight_norm"] == 0).astype(int))
    rows = rows.rename(columns={"positives_at_top": "pos_at_top"})
    return rows.join(pd.DataFrame(named, columns=["universe", "changes"]))[list(COLUMNS)]
