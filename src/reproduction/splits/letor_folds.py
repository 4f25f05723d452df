"""LETOR's five folds: the parts S1 to S5 are tested, and validate, by turns (Qin et al. 2010)."""

from __future__ import annotations

import numpy as np

from reproduction.core.seeds import LETOR_FOLDS
from reproduction.splits.splits import FIT_ONLY, TEST, Splits


def rotate_letor_folds(part: np.ndarray | None, splits: range = range(LETOR_FOLDS)) -> Splits:
    """Return LETOR's five folds: fold K trains on S_K, S_K+1, S_K+2, validates on S_K+3, tests on S_K+4.

    Parameters
    ----------
    part : ndarray of int, shape (n_rows,), or None
        The part S1..S5 of each row, 1 to 5.
    splits : range, default=range(5)
        Which folds.

    Returns
    -------
    Splits
        Split k is fold k + 1. Nothing is drawn, so the seeds are 0.

    Raises
    ------
    ValueError
        There are no parts, or other ones than these five, or a split is none of the five folds.
    """
    if part is None:
        raise ValueError(
            "LETOR's folds are made of five parts, but these rows belong to none; use a LETOR set"
        )
    if len(splits) and max(splits) >= LETOR_FOLDS:
        raise ValueError(
            f"LETOR's rows have {LETOR_FOLDS} folds, but fold {max(splits) + 1} is asked for; set splits to "
            f"{LETOR_FOLDS} or fewer"
        )
    part = np.asarray(part)
    parts = np.unique(part).tolist()
    if parts != list(range(1, LETOR_FOLDS + 1)):
        raise ValueError(
            f"LETOR's folds are made of the parts 1 to {LETOR_FOLDS}, each with at least one row, but these "
            f"rows belong to {', '.join(map(str, parts)) or 'none'}; prepare the data set anew"
        )
    # roles of S_K, S_K+1, ..., S_K+4
    roles = np.array([FIT_ONLY, FIT_ONLY, FIT_ONLY, 0, TEST], dtype=np.int8)
    # Parts count from 1, folds from 0: in fold K (counted from 0) part K + 1 has the first role.
    inner = np.array([roles[(part - 1 - fold) % LETOR_FOLDS] for fold in splits])
    return Splits(inner, np.zeros(len(splits), dtype=np.int64), splits.start)
