"""Names of the toy data sets, which state their size. Light on purpose: the workflow's graph needs them."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reproduction.specs.multiverse import Specifications

COVARIANCES = ("easy", "hard", "harder")
DEFAULT_COVARIANCE = COVARIANCES[0]
"""The declared covariance of the toy problem, which the name of a data set leaves out."""
#: The easy covariance has no suffix: it is the default, and the names of the paper's sizes stay short.
_NAME = re.compile(rf"toy-n(\d+)-noise(\d+)(?:-({'|'.join(COVARIANCES[1:])}))?")


def toy_name(n_train: int, n_noise: int, covariance: str = DEFAULT_COVARIANCE) -> str:
    """Name the data set of all trials of one size: ``toy-n100-noise20``, ``toy-n100-noise20-hard``.

    Parameters
    ----------
    n_train : int
        Training rows.
    n_noise : int
        Noise features.
    covariance : {"easy", "hard", "harder"}
        How the covariances of the classes are drawn; the default is not in the name.

    Returns
    -------
    str
    """
    name = f"toy-n{n_train}-noise{n_noise}"
    return name if covariance == DEFAULT_COVARIANCE else f"{name}-{covariance}"


def toy_size(name: str) -> tuple[int, int] | None:
    """Return training rows and noise features of a data set named by `toy_name`.

    Parameters
    ----------
    name : str
        Name of a data set.

    Returns
    -------
    tuple of int, or None
        Training rows and noise features; None for any other name.
    """
    match = _NAME.fullmatch(name)
    return (int(match[1]), int(match[2])) if match else None


def toy_covariance(name: str) -> str | None:
    """Return the covariance of a data set named by `toy_name`.

    Parameters
    ----------
    name : str
        Name of a data set.

    Returns
    -------
    str or None
        One of `COVARIANCES`; None for any other name.
    """
    match = _NAME.fullmatch(name)
    return (match[3] or DEFAULT_COVARIANCE) if match else None


def list_toy_names(study: Mapping, specifications: Specifications) -> list[str]:
    """List the toy data sets of a study: those of Figure 1, those that Figure 2 adds, other covariances.

    Parameters
    ----------
    study : mapping
        Settings of a study with the key ``toy``.
    specifications : Specifications
        The choices of the study with their options.

    Returns
    -------
    list[str]
    """
    toy = study["toy"]
    sizes = [*product(toy["rows"], toy["noise"]), *product([toy["retrieval_rows"]], toy["retrieval_noise"])]
    # other covariances are tried with the fewest noise features
    sizes += product(toy["rows"], [min(toy["noise"])], specifications.alternatives("covariance"))
    return list(dict.fromkeys(toy_name(*size) for size in sizes))


def select_settings(study: Mapping) -> dict:
    """Select the settings of a study on which the trials of a toy data set depend.

    Parameters
    ----------
    study : mapping
        Settings of a study with the keys ``toy`` and ``validation_fraction``.

    Returns
    -------
    dict
        ``test_rows``, ``relevant`` and ``validation_fraction``.
    """
    toy = {key: study["toy"][key] for key in ("test_rows", "relevant")}
    return toy | {"validation_fraction": study["validation_fraction"]}


def measure_size(settings: Mapping, dataset: str) -> tuple[int, int]:
    """Return the size of one trial of a toy data set.

    Parameters
    ----------
    settings : mapping
        As `select_settings` selects them.
    dataset : str
        Its name.

    Returns
    -------
    rows, features : int
        Training and test rows; relevant features and noise features.
    """
    n_train, n_noise = toy_size(dataset)
    return n_train + settings["test_rows"], settings["relevant"] + n_noise
