"""The smallest depth and the scale of alpha agree on the lists of the papers, read from a mirror."""

import numpy as np
import pytest
from data_helpers import real_mirror

from reproduction.datasets.prepare import prepare
from reproduction.fitting.feature_scaling import standardise
from toprank import InfinitePush, TopPush

MIRROR = real_mirror()
#: One of each substitute of the same rows; both classes are taken as positives.
LISTS = (
    *("colon-normal", "yeast-rest", "sonar-rocks", "wpbc", "ionosphere-bad", "spectf-normal", "p300"),
    *("breast-cancer-without-id", "australian", "diabetes", "spambase", "splice", "ijcnn1", "a9a", "w8a"),
    *("covtype-sample", "cod-rna"),
)
#: Of these the linear programs of the norm take up to a minute.
LARGE_LISTS = ("a9a", "cod-rna")


@pytest.mark.skipif(
    MIRROR is None, reason="no mirror of the papers' lists: set TOPRANK_MIRROR, or put it at ../shared/mirror"
)
@pytest.mark.parametrize("name", LISTS)
def test_alpha_max_is_0_up_to_the_smallest_depth(name, tmp_path):
    prepared = prepare(name, tmp_path, mirror=str(MIRROR))
    (X,), labels = standardise(prepared.X), prepared.y > 0
    models = (TopPush,) if name in LARGE_LISTS else (TopPush, InfinitePush)
    for positive in (labels, ~labels):
        smallest, n = TopPush().smallest_depth(X, positive), np.count_nonzero(~positive)
        assert 0.0 <= smallest < n
        for model in models:
            lower, upper = (
                model(depth=depth).alpha_max(X, positive)
                for depth in (max(0.98 * smallest, 1.0), 1.02 * smallest + 1)
            )
            assert upper > 0.0 and (lower == 0.0) == (smallest >= 1.0), model
