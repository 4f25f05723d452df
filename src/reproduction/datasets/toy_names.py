"""Names of the toy data sets. Light on purpose: they are needed while the workflow's graph is built."""

from __future__ import annotations

import re

COVARIANCES = ("easy", "hard", "harder")
_NAME = re.compile(rf"toy-n(\d+)-noise(\d+)(?:-({'|'.join(COVARIANCES[1:])}))?")


EASY = COVARIANCES[0]
"""The declared covariance of the toy problem, which the name of a data set leaves out."""


def toy_name(n_train, n_noise, covariance=EASY) -> str:
    """Name of the data set of all trials of one size: ``toy-n100-noise20``, ``toy-n100-noise20-hard``."""
    name = f"toy-n{n_train}-noise{n_noise}"
    return name if covariance == EASY else f"{name}-{covariance}"


def toy_size(name):
    """Training rows and noise features of a data set named by `toy_name`; None for any other name."""
    found = _NAME.fullmatch(name)
    return (int(found[1]), int(found[2])) if found else None


def toy_covariance(name):
    """Covariance of a data set named by `toy_name`; None for any other name."""
    found = _NAME.fullmatch(name)
    return (found[3] or EASY) if found else None
