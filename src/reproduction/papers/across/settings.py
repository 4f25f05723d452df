"""Checks of a study's settings against the registry of data sets and against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reproduction.datasets import registry
from reproduction.datasets.specs import GROUPING_READERS


def find_problems(place: str, study: Mapping) -> Iterator[str]:
    """Yield a sentence for each setting that contradicts another one or a data set.

    Parameters
    ----------
    place : str
        Where the study stands in the configuration.
    study : Mapping
        Settings of the study.

    Yields
    ------
    str
        Sentence that names the place, the fault and the remedy.
    """
    if not study.get("group_splits"):
        return
    for name in study["datasets"]:
        if registry.get(name).reader not in GROUPING_READERS:
            yield (
                f"{place}.datasets names '{name}', whose rows have no groups that group_splits could keep "
                "whole: leave the set or the key out."
            )
    n_outer = 1.0 / study["test_fraction"]
    if abs(n_outer - round(n_outer)) > 1e-6 or n_outer < 1.5:
        yield (
            f"{place}.test_fraction is {study['test_fraction']:g}, but with group_splits it must be 1/2, "
            "1/3, 1/4, ...: a test part is one of so many folds."
        )
