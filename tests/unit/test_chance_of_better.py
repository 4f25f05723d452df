"""The chance of "the best of these is better than the best of those", against all permutations."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom

from reproduction.statistics.chance_of_better import compute_better_probability, compute_count_level

MARGIN = 0.01


@pytest.mark.parametrize(("n_first", "n_second"), [(1, 1), (2, 1), (1, 3), (3, 2), (2, 4)])
def test_how_probable_the_best_of_some_is_better_by_chance(n_first, n_second):
    values = np.array([0.5, 0.2, 0.5, 0.205, 0.9, 0.21])  # ties, and differences on either side of .01
    orders = np.array(list(permutations(values)))
    first = orders[:, :n_first].max(axis=1)
    second = orders[:, n_first : n_first + n_second].max(axis=1)
    expected = np.mean(first > second + MARGIN)
    probability = compute_better_probability(values, n_first, n_second, MARGIN)
    assert probability == pytest.approx(expected)


def test_the_count_that_chance_gives_is_that_of_independent_events():
    mean, upper = compute_count_level([0.3] * 9)
    assert mean == pytest.approx(2.7) and upper == binom.ppf(0.95, 9, 0.3)
    assert compute_count_level([]) == (0.0, 0) and compute_count_level([1.0, 0.0]) == (1.0, 1)
    for sides in ((0, 1), (2, 2)):
        with pytest.raises(ValueError, match="each side needs at least one"):
            compute_better_probability(np.arange(3.0), *sides, MARGIN)
