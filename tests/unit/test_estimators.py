"""scikit-learn's own checks, once for each estimator: its solvers share how it checks its input."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from toprank import FenchelRank, FSMRank, InfinitePush, RankSVM, TopPush
from toprank.estimators.rfe import RFEInfinitePush

ESTIMATORS = [
    RankSVM(),
    RankSVM("mcp"),  # a fit of several problems, which keeps the first one's solution
    InfinitePush(alpha=0.1),
    RFEInfinitePush(n_features=2, alpha=0.1),
    TopPush(),
    FenchelRank(),
    FSMRank(),
]


@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn(estimator, check):
    check(estimator)
