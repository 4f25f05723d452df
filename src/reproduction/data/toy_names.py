"""Names of the toy data sets. Light on purpose: they are needed while the workflow's graph is built."""

from __future__ import annotations

import re


def toy_name(n_train, n_noise) -> str:
    """Name of the data set that holds all trials of one size: ``toy-n100-noise20``."""
    return f"toy-n{n_train}-noise{n_noise}"


def toy_size(name):
    """Training rows and noise features of a data set named by `toy_name`; None for any other name."""
    found = re.fullmatch(r"toy-n(\d+)-noise(\d+)", name)
    return (int(found[1]), int(found[2])) if found else None
