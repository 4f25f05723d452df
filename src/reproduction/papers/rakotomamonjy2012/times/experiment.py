"""Running time against the number of pairs (R12, Figure 3): solvers of one problem, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from reproduction.core.seeds import derive_seed
from reproduction.fitting.cross_validation import fit_row
from reproduction.fitting.feature_scaling import standardise
from reproduction.fitting.fit_rows import warm_up
from reproduction.fitting.method import Method
from reproduction.papers.rakotomamonjy2012.toy.generate import make_toy

COLUMNS = (
    *("solver", "noise", "rows", "pairs", "seconds", "seconds_min", "seconds_max", "repeats"),
    *("n_iter", "status", "relative_gap"),
)
#: A million iterations is no limit in practice: the time limit of the configuration ends a run first.
ADMM_PARAMETERS = {"penalty": "l1", "solver": "admm", "tol": 1e-3, "max_iter": 1_000_000}
TIMED_METHODS = {
    "l1_infinite_push_admm": Method(
        "toprank.InfinitePush", {**ADMM_PARAMETERS, "solver__prox": "douglas-rachford"}
    ),
    "l1_infinite_push_admm_exact_prox": Method("toprank.InfinitePush", ADMM_PARAMETERS),
    "l1_infinite_push": Method("toprank.InfinitePush", {"penalty": "l1", "tol": 1e-8}),
    "l1_ranksvm": Method("toprank.RankSVM", {"penalty": "l1", "tol": 1e-8}),
}
"""R12's Algorithm 1 with its inner loops and with their closed form, to a relative duality gap of 1e-3; the
exact solver on m + n terms and RankSVM, to 1e-8."""


def measure_running_times(
    solver: str,
    rows: Iterable[int],
    n_noise: int,
    share: float,
    repeats: int,
    time_limit: float,
    n_relevant: int,
    seed: int,
) -> Iterator[dict]:
    """Time one solver on the toy problem as it grows.

    Parameters
    ----------
    solver : str
        Key of `TIMED_METHODS`.
    rows : iterable of int
        Training rows, half of them positive; the number of pairs is a quarter of the square.
    n_noise : int
        Noise features.
    share : float
        Regularisation, as a share of the strongest that does not leave w = 0.
    repeats : int
        Fits of each size.
    time_limit : float
        Seconds after which a fit is stopped; larger sizes are then left out.
    n_relevant : int
        Relevant features.
    seed : int
        Master seed.

    Yields
    ------
    dict
        With the keys `COLUMNS`; ``seconds`` is the median of the repeats.

    Raises
    ------
    RuntimeError
        If a fit fails.
    """
    method = TIMED_METHODS[solver]
    method = replace(method, fixed={**method.fixed, "time_limit": time_limit})
    for n_train in sorted(rows):
        toy = make_toy(n_train, n_noise, derive_seed(seed, n_train, n_noise, "time"), 2, n_relevant)
        # Only training is timed: the test part, which `make_toy` draws with it, is as small as it may be (2
        # rows).
        X, _ = standardise(toy.X_train, toy.X_train[:1])
        if n_train == min(rows):  # without the limit, within which compiling may not be over
            warm_up(TIMED_METHODS[solver], X, "raw")
        y = toy.y_train
        (params,) = method.resolve([{"share": share}], X, y)
        # the same problem again: the median of the repeats is robust against other load
        fits = [fit_row(method, params, X, y, X, y) for _ in range(repeats)]
        if any(fit["status"] == "failed" for fit in fits):
            raise RuntimeError(f"{solver} with {n_train} rows: {fits[0]['message']}")
        seconds, last = [fit["seconds"] for fit in fits], fits[-1]
        n_positives = int(np.count_nonzero(y))
        # pairs are the horizontal axis of Figure 3: positives times negatives
        pairs, median = n_positives * (n_train - n_positives), float(np.median(seconds))
        row = {"solver": solver, "noise": n_noise, "rows": n_train, "pairs": pairs, "seconds": median}
        row |= {"seconds_min": min(seconds), "seconds_max": max(seconds), "repeats": repeats}
        yield row | {name: last[name] for name in ("n_iter", "status", "relative_gap")}
        # Larger sizes would only meet the limit as well.
        if last["status"] == "time_limit":
            return


def run_experiment(settings: Mapping, *, seed: int, **_: Any) -> Iterator[tuple[str, dict]]:
    """Run the experiment ``times``: each solver on growing toy problems.

    Parameters
    ----------
    settings : mapping
        ``rows`` of each solver, numbers of ``noise`` and ``relevant`` features, ``share``, ``repeats``,
        ``time_limit``.
    seed : int
        Master seed.

    Yields
    ------
    (str, dict)
        Table and row.
    """
    limits = settings["share"], settings["repeats"], settings["time_limit"]
    for (solver, rows), noise in product(settings["rows"].items(), settings["noise"]):
        for row in measure_running_times(solver, rows, noise, *limits, settings["relevant"], seed):
            yield "figure3", row
