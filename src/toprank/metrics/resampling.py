"""Bootstrap of a list by its groups of equal scores: hits in the first k rows of lists like it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from toprank.typing import Weights

MAX_CELLS = 2_000_000  # counts of one chunk of resampled lists: 16 MB an array
BAND_WIDTH = 12.0  # of the rank at which a resampled list is cut, in units of √k: 8 standard deviations


class CutOff(NamedTuple):
    """What the first k rows of lists hold: whole groups of equal scores, and a part of the next group."""

    hits: NDArray[np.intp]
    """Positives of the groups that lie above the cut-off as a whole."""
    n_above: NDArray[np.intp]
    """Rows above the cut-off in the group that it reaches: all of them if it divides no group."""
    size: NDArray[np.intp]
    """Rows of that group."""
    positives: NDArray[np.intp]
    """Positives of that group."""

    def expected_hits(self) -> Weights:
        """Return the positives in the first k rows, expected over the orders of equal scores.

        Returns
        -------
        ndarray of float
        """
        return self.hits + self.n_above * self.positives / self.size

    def hits_range(self) -> tuple[int, int]:
        """Return the fewest and the most positives in the first k rows of one list by the order of ties.

        Returns
        -------
        tuple of int
        """
        hits, n_above, positives = int(self.hits), int(self.n_above), int(self.positives)
        n_below = int(self.size) - n_above
        return hits + max(positives - n_below, 0), hits + min(positives, n_above)


def find_cut_off(sizes: NDArray[np.intp], positives: NDArray[np.intp], k: int) -> CutOff:
    """Find the group of equal scores that holds the row of rank k, in each list.

    Parameters
    ----------
    sizes, positives : ndarray of int of shape (..., n_groups)
        Rows and positive rows of each group, the highest first.
    k : int
        At most the rows of a list.

    Returns
    -------
    CutOff
        Of arrays of shape (...).
    """
    ends = np.cumsum(sizes, axis=-1)
    group = (ends < k).sum(axis=-1, keepdims=True)

    def select(values: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the values at that group.

        Parameters
        ----------
        values : ndarray of shape (..., n_groups)

        Returns
        -------
        ndarray of shape (...)
        """
        return np.take_along_axis(values, group, axis=-1)[..., 0]

    size, group_positives = select(sizes), select(positives)
    hits = select(np.cumsum(positives, axis=-1)) - group_positives
    return CutOff(hits, k - select(ends) + size, size, group_positives)


def merge_distant_groups(
    sizes: NDArray[np.intp], positives: NDArray[np.intp], k: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Merge the groups that lie above the cut-off of every resampled list, and those that lie below it.

    Parameters
    ----------
    sizes, positives : ndarray of int of shape (n_groups,)
    k : int

    Returns
    -------
    sizes, positives
        Of some 24 √k groups, and two that are merged.
    """
    # A resample practically never cuts at a group farther from rank k than this: one merged group stands for
    # them.
    margin = math.ceil(BAND_WIDTH * math.sqrt(k)) + BAND_WIDTH
    ends = np.cumsum(sizes)
    is_head, is_tail = ends <= k - margin, ends - sizes >= k + margin
    is_band = ~is_head & ~is_tail
    merged = [
        np.concatenate(([counts[is_head].sum()], counts[is_band], [counts[is_tail].sum()]))
        for counts in (sizes, positives)
    ]
    return merged[0][merged[0] > 0], merged[1][merged[0] > 0]


def _resample(
    sizes: NDArray[np.intp], positives: NDArray[np.intp], generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw as many rows with replacement from each list of shape (n_lists, n_groups)."""
    n_rows = int(sizes[0].sum())
    # Drawing rows with replacement: sizes of the groups are multinomial, positives in each binomial.
    drawn_sizes = generator.multinomial(n_rows, sizes / n_rows)
    return drawn_sizes, generator.binomial(drawn_sizes, positives / np.maximum(sizes, 1))


def _draw_hits_in_chunks(
    sizes: NDArray[np.intp],
    positives: NDArray[np.intp],
    k: int,
    n_resamples: int,
    generator: np.random.Generator,
) -> Iterator[tuple[Weights, NDArray[np.intp]]]:
    sizes, positives = merge_distant_groups(sizes, positives, k)
    chunk = max(1, MAX_CELLS // sizes.size)
    for start in range(0, n_resamples, chunk):
        shape = (min(chunk, n_resamples - start), sizes.size)
        resample = _resample(np.broadcast_to(sizes, shape), np.broadcast_to(positives, shape), generator)
        likely_hits = find_cut_off(*resample, k).expected_hits()
        # the next list is drawn from a population that is itself known by one list alone
        cut = find_cut_off(*_resample(*resample, generator), k)
        # A random order of the tied group puts a hypergeometric number of its positives above the cut-off.
        next_hits = cut.hits + generator.hypergeometric(cut.positives, cut.size - cut.positives, cut.n_above)
        yield likely_hits, next_hits


def draw_hits(
    sizes: NDArray[np.intp],
    positives: NDArray[np.intp],
    k: int,
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[Weights, NDArray[np.intp]]:
    """Draw the hits in the first k rows of lists like this one.

    The rows of the list are drawn with replacement, positives and negatives together, since the next list
    need not have as many positives.

    Parameters
    ----------
    sizes, positives : ndarray of int of shape (n_groups,)
        Rows and positive rows of each group of equal scores, the highest first.
    k : int
        At most the rows of the list.
    n_resamples : int
    generator : numpy.random.Generator

    Returns
    -------
    resampled_hits : ndarray of shape (n_resamples,)
        Of lists drawn from this one, expected over the orders of equal scores: how far the hits of this list
        may be from those of its population.
    next_hits : ndarray of int of shape (n_resamples,)
        Of lists drawn from such a list, in a random order of equal scores: what the next list may have.
    """
    chunks = [*_draw_hits_in_chunks(sizes, positives, k, n_resamples, generator)]
    resampled_hits, next_hits = zip(*chunks, strict=True)
    return np.concatenate(resampled_hits), np.concatenate(next_hits)
