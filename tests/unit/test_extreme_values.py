"""Values of X near the limits of floating point, and what scikit-learn's calibration learns of a ranker."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV

from toprank import FenchelRank, FSMRank, InfinitePush, RankSVM, TopPush
from toprank.problems.rows import SelectedRows

random = np.random.default_rng(0)
X = random.normal(size=(30, 3))
X[0, 0] = -9.0  # the largest in size is negative
Y = np.arange(30) % 2
MODELS = [RankSVM(), RankSVM("l2"), InfinitePush(), TopPush(), FenchelRank(), FSMRank()]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("factor", [1.5e99, 1e200, 1e-200])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_values_whose_squares_are_lost(model, factor, kind):
    rows = X * factor
    size = np.format_float_scientific(9.0 * factor, precision=2, exp_digits=2, trim="-")
    with pytest.raises(ValueError, match=r"^the largest value of X has the size") as error:
        model.fit(kind(rows), Y)
    assert f"size {size}" in str(error.value) and "scale the features" in str(error.value)


def test_rows_that_are_read_in_place_count_only_where_they_are_selected():
    rows = np.vstack([X, np.full((1, 3), 1e200)])
    TopPush().fit(SelectedRows(rows, np.arange(30)), Y)
    with pytest.raises(ValueError, match=r"has the size 1e\+200"):
        TopPush().fit(SelectedRows(rows), np.append(Y, 0))


def test_calibration_of_a_ranker_says_what_to_do():
    assert not hasattr(TopPush(), "classes_")
    with pytest.raises(AttributeError, match=r"^TopPush ranks and has no classes_; for probabilities fit"):
        CalibratedClassifierCV(TopPush()).fit(X + Y[:, None], Y)
