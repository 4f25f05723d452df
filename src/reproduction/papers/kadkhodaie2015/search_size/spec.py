"""Specification of the experiment that compares a search on a part of the training rows with a whole one."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment


def _experiment_settings(study: Mapping, part: str) -> dict:
    """Return all settings that the results depend on."""
    return {**study["search_size"], "alphas": study["alphas"]}


SEARCH_SIZE = Experiment(
    "search_size",
    run="reproduction.papers.kadkhodaie2015.search_size.experiment:run_experiment",
    settings=_experiment_settings,
    split_inputs=lambda study, part: [(study["search_size"]["dataset"], study["search_size"]["split"])],
    bandwidth=True,
    tables=(
        experiment_table(
            "search_size", "search_size", "reproduction.papers.kadkhodaie2015.search_size.experiment:COLUMNS"
        ),
    ),
)
