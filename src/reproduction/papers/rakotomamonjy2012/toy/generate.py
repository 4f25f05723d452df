"""The toy problem of R12, section 4.1: a few relevant features among noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import wishart

from reproduction.core.seeds import derive_seed
from reproduction.papers.rakotomamonjy2012.toy.names import (
    COVARIANCES,
    toy_covariance,
    toy_name,
    toy_size,
)
from reproduction.splits.splits import OTHER_SAMPLE, TEST, Splits, draw_held_out_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

MEAN_VARIANCES = dict(zip(COVARIANCES, (1.0, 3.0, 5.0), strict=True))
"""Covariance -> mean variance of a relevant feature; the means of the classes are 2 apart."""


class ToyTrial(NamedTuple):
    """One trial of the toy problem.

    Parameters
    ----------
    X_train : ndarray of shape (n_train, n_relevant + n_noise)
    y_train : ndarray of int8 of shape (n_train,)
        1 is positive.
    X_test : ndarray of shape (n_test, n_relevant + n_noise)
    y_test : ndarray of int8 of shape (n_test,)
    relevant : ndarray of bool of shape (n_relevant + n_noise,)
        The features that tell the classes apart; the first ones.
    """

    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    relevant: np.ndarray


def make_toy(
    n_train: int, n_noise: int, seed: int, n_test: int = 1000, n_relevant: int = 10, variance: float = 1.0
) -> ToyTrial:
    """Draw one trial: two Gaussian classes that differ in their first features, and noise (R12, section 4.1).

    The class means are ±μ with μ drawn from {−1, 1}; each class has a covariance of its own, drawn from a
    Wishart distribution. The paper gives neither its degrees of freedom nor its scale; declared here: two
    more degrees than features, the identity, and a trace normalised to the number of features times
    ``variance``.

    Parameters
    ----------
    n_train, n_test : int
        Training and test rows, half of them positive; at least 2.
    n_noise : int
        Features that are standard normal in both classes.
    seed : int
        Seed of the trial.
    n_relevant : int
        Features that tell the classes apart.
    variance : float
        Mean variance of a relevant feature.

    Returns
    -------
    ToyTrial
        Rows and labels of both parts.

    Raises
    ------
    ValueError
        If a class would have no row.
    """
    if min(n_train, n_test) < 2:
        raise ValueError(
            f"the toy problem needs 2 rows for training and 2 for testing; got {n_train} and {n_test}"
        )
    random = np.random.default_rng(seed)
    # Section 4.1: means μ and −μ, μ drawn from {−1, 1}^r.
    mean = random.choice([-1.0, 1.0], size=n_relevant)
    covariances = []
    for _ in range(2):
        # r + 2 degrees of freedom (declared) is the fewest for which the inverse has a finite mean; the trace
        # is fixed, so that the mean variance is `variance` in each class and trial.
        scatter = np.atleast_2d(wishart.rvs(n_relevant + 2, np.eye(n_relevant), random_state=random))
        covariances.append(scatter * n_relevant * variance / np.trace(scatter))

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows of both classes in random order.

        Parameters
        ----------
        n : int
            Number of rows, half of them positive.

        Returns
        -------
        tuple of ndarray of shape (n, n_features) and ndarray of shape (n,)
            Rows and labels, 1 positive and 0 negative.
        """
        y = np.repeat(np.array([1, 0], dtype=np.int8), [n // 2, n - n // 2])
        X = random.standard_normal((n, n_relevant + n_noise))
        for label, sign, covariance in ((1, 1.0, covariances[0]), (0, -1.0, covariances[1])):
            rows = y == label
            # Cholesky factor: standard normal rows get the covariance of their class
            factor = np.linalg.cholesky(covariance)
            X[rows, :n_relevant] = sign * mean + X[rows, :n_relevant] @ factor.T
        order = random.permutation(n)
        return X[order], y[order]

    relevant = np.arange(n_relevant + n_noise) < n_relevant
    return ToyTrial(*draw(n_train), *draw(n_test), relevant)


def make_toy_trials(
    n_train: int,
    n_noise: int,
    trials: int | range,
    validation_fraction: float,
    n_test: int,
    n_relevant: int,
    master_seed: int,
    *purpose: str | int,
    variance: float = 1.0,
) -> tuple[np.ndarray, np.ndarray, Splits]:
    """Draw the trials of one size as one data set: a split is a trial, with rows of its own.

    Parameters
    ----------
    n_train, n_noise, n_test, n_relevant : int
        See `make_toy`.
    trials : int or range
        How many, or which ones.
    validation_fraction : float
        Share of each class of a training part that is held out to select parameters.
    master_seed : int
        Master seed of the study.
    *purpose : str or int
        Enters the seed of each trial.
    variance : float
        See `make_toy`.

    Returns
    -------
    X : ndarray of shape (n_trials * (n_train + n_test), n_relevant + n_noise)
        Rows of all trials.
    y : ndarray of int8
        Their labels.
    splits : Splits
        A split a trial; rows of the other trials belong to none of its parts.
    """
    size = n_train + n_test
    trials = trials if isinstance(trials, range) else range(trials)
    seeds = np.array([derive_seed(master_seed, *purpose, trial, "toy") for trial in trials])
    # Rows of all trials stand one after the other; trial i has the rows i·size to (i + 1)·size, training
    # first.
    inner = np.full((len(trials), len(trials) * size), OTHER_SAMPLE, dtype=np.int8)
    X, y = [], []
    for i, (trial, seed) in enumerate(zip(trials, seeds, strict=True)):
        toy = make_toy(n_train, n_noise, seed, n_test, n_relevant, variance)
        X += [toy.X_train, toy.X_test]
        y += [toy.y_train, toy.y_test]
        random = np.random.default_rng(derive_seed(master_seed, *purpose, trial, "hold out"))
        assignment = inner[i, i * size : (i + 1) * size]
        assignment[n_train:] = TEST
        for label in (0, 1):
            rows = np.flatnonzero(toy.y_train == label)
            assignment[rows] = draw_held_out_rows(rows.size, validation_fraction, random)
    return np.concatenate(X), np.concatenate(y), Splits(inner, seeds, trials.start)


def generate_data_set(
    settings: Mapping, dataset: str, trials: range, master_seed: int, study: str
) -> tuple[np.ndarray, np.ndarray, Splits, dict]:
    """Draw a batch of trials of a toy data set, for the workflow.

    Parameters
    ----------
    settings : mapping
        As `names.select_settings` selects them.
    dataset : str
        Its name, which states size and covariance, see `names.toy_name`.
    trials : range
        The numbers of the trials.
    master_seed : int
    study : str
        Enters the seed of each trial.

    Returns
    -------
    X : ndarray of shape (n_trials * (n_train + n_test), n_relevant + n_noise)
    y : ndarray of int8 of shape (n_trials * (n_train + n_test),)
        1 is positive.
    splits : Splits
        Split k is trial k.
    facts : dict
        ``relevant_features``: the number of features that tell the classes apart; the first ones.
    """
    n_train, n_noise = toy_size(dataset)
    X, y, splits = make_toy_trials(
        n_train,
        n_noise,
        trials,
        settings["validation_fraction"],
        settings["test_rows"],
        settings["relevant"],
        master_seed,
        study,
        toy_name(n_train, n_noise),  # the draws do not depend on the covariance
        variance=MEAN_VARIANCES[toy_covariance(dataset)],
    )
    return X, y, splits, {"relevant_features": settings["relevant"]}
