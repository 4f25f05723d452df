"""Specification of the experiment on the strong convexity that A2DM2 adds."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment


def _list_splits(study: Mapping, dataset: str) -> list[tuple[str, int]]:
    """List the splits of a data set that are used: its first ones."""
    available = study.get("splits_by_dataset", {}).get(dataset, study["splits"])
    return [(dataset, split) for split in range(min(study["perturbation"]["splits"], available))]


def _experiment_settings(study: Mapping, dataset: str) -> dict:
    """Return all settings that the results on a data set depend on."""
    names = ("feature_scalings", "alphas", "values", "iterations", "rho_iterations")
    settings = {name: study["perturbation"][name] for name in names}
    return settings | {"dataset": dataset, "rhos": study["rhos"], "admm": study["admm"]}


PERTURBATION = Experiment(
    "perturbation",
    run="reproduction.papers.kadkhodaie2015.perturbation.experiment:run_experiment",
    parts=lambda study: list(study["perturbation"]["datasets"]),
    settings=_experiment_settings,
    split_inputs=_list_splits,
    tables=(
        experiment_table(
            "perturbation",
            "perturbation",
            "reproduction.papers.kadkhodaie2015.perturbation.experiment:PERTURBATION_COLUMNS",
        ),
    ),
)
