"""Logistic regression and LambdaMART as methods of every study, as far as they need a word of ours."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression


class PointwiseLogistic(LogisticRegression):
    """Logistic regression of relevant rows against all others; neither queries nor grades enter."""

    def fit(self, X, y):
        """Fit to rows; above 0 they are relevant."""
        return super().fit(X, y > 0)


def lambdamart(longest=10_000, **params):
    """Return LightGBM's ranker, which takes no query of more than 10 000 rows: a longer list is cut.

    Parameters
    ----------
    longest : int
        Rows of a piece at most. The pieces are drawn at random, by the seed ``random_state``.
    **params
        Of ``lightgbm.LGBMRanker``.
    """
    from lightgbm import LGBMRanker

    class LambdaMART(LGBMRanker):
        def fit(self, X, y, group):
            if np.max(group) <= longest or len(group) > 1:
                return super().fit(X, y, group=group)
            order = np.random.default_rng(self.random_state).permutation(len(y))
            sizes = [len(piece) for piece in np.array_split(order, -(-len(y) // longest))]
            return super().fit(X[order], y[order], group=sizes)

    return LambdaMART(**params)
