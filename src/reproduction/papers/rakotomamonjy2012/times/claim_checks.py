"""Judges of R12's claims on running time and on the convergence of Algorithm 1.

A judge returns the facts that the template of a claim shows, with ``holds``: True, False, or None where the
data do not decide.
"""

from __future__ import annotations

import pandas as pd

from reproduction.papers.rakotomamonjy2012.times.figure import list_exponents
from toprank.certificate import SUCCESS_STATUSES

ADMM_PUSH, RANKSVM = "l1_infinite_push_admm", "l1_ranksvm"

EXPONENT_TOL = 0.5
"""How far an exponent that is about 1 may lie from it: what rounds to 1."""


def judge_exponents(table: pd.DataFrame) -> dict | None:
    """Fit the exponent of the time in the pairs, of Algorithm 1 and of our RankSVM.

    Parameters
    ----------
    table : DataFrame
        Rows of the times.

    Returns
    -------
    dict or None
        Facts of the claim's template, with ``holds``; None where numbers are missing.
    """
    fits = list_exponents(table)
    push_fits, rank_fits = (
        [fit for fit in fits if fit["solver"] == solver] for solver in (ADMM_PUSH, RANKSVM)
    )
    if not push_fits:
        return None
    is_push_linear, is_rank_linear = (
        [abs(fit["exponent"] - 1) <= EXPONENT_TOL for fit in solver_fits]
        for solver_fits in (push_fits, rank_fits)
    )
    # our RankSVM forms no pair: an exponent of about 1 would confirm, another one says nothing of theirs
    # Section 4.1 says "about 1" of both algorithms: one exponent off refutes it.
    holds = False if not all(is_push_linear) else True if rank_fits and all(is_rank_linear) else None
    return {"holds": holds, "near": EXPONENT_TOL, "push": push_fits, "rank": rank_fits}


def judge_admm_convergence(table: pd.DataFrame) -> dict | None:
    """Count how the runs of Algorithm 1, with inner loops of a fixed tolerance, ended.

    Parameters
    ----------
    table : DataFrame
        Rows of the times.

    Returns
    -------
    dict or None
        Facts of the claim's template, with ``holds``; None where numbers are missing.
    """
    runs = table[table["solver"] == ADMM_PUSH]
    # a run that the time limit stopped does not tell
    ended = runs[runs["status"] != "time_limit"]
    if ended.empty:
        return None
    is_met = ended["status"].isin(SUCCESS_STATUSES)
    facts = {"met": int(is_met.sum()), "of": len(ended), "gap": ended["relative_gap"].max()}
    return facts | {"holds": bool(is_met.all()), "limit": len(runs) - len(ended)}
