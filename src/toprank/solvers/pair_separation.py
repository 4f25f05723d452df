"""A loss of exactly 0 where features that are not penalised separate all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from toprank.problems.pairwise import PairwiseRanking
    from toprank.problems.pairwise_loss import PairwiseLoss

#: The weights of these features are raised by this share to turn into 0 the hinges of 1e-4 that are left
#: where their squares are minimised.
PAIR_SEPARATION_MARGIN = 1e-3
#: Penalised weights whose share of the objective is below this, in loss at w = 0, are tried without.
SMALL_OBJECTIVE = 1e-6


def find_separating_point(
    problem: PairwiseRanking, w: np.ndarray, scores: np.ndarray, loss: PairwiseLoss, objective: float
) -> tuple[np.ndarray, np.ndarray, PairwiseLoss, float]:
    """Return the point, or one of objective 0 near it: 0 has no relative gap, so that no digit may be left.

    Parameters
    ----------
    problem : PairwiseRanking
    w : ndarray of shape (d,)
    scores : ndarray of shape (n_documents,)
    loss : PairwiseLoss
    objective : float

    Returns
    -------
    w, scores, loss, objective
    """
    free = problem.penalty.free_features
    if not free.size or objective > SMALL_OBJECTIVE * problem.loss(np.zeros(scores.size)).value:
        return w, scores, loss, objective
    separating = np.zeros(w.size)
    separating[free] = (1.0 + PAIR_SEPARATION_MARGIN) * w[free]
    new_scores = problem.X @ separating
    new_loss = problem.loss(new_scores)
    if new_loss.value > 0.0:
        return w, scores, loss, objective
    return separating, new_scores, new_loss, 0.0
