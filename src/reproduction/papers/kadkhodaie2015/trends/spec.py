"""Specification of the experiment with Figures 2 and 3 on more splits and data sets."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.datasets import registry
from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment

MODEL_COPIES = 25
"""Dense copies of the data that the conic model takes: standardised a9a, of 48 MB, takes 1.2 GB."""


def list_parts(study: Mapping) -> dict[str, tuple[str, str]]:
    """List the parts of the experiment: one for each data set and feature scaling.

    Parameters
    ----------
    study : mapping
        Settings of the study.

    Returns
    -------
    dict of str to tuple of str
        Name of the part, such as "splice-raw" -> data set and feature scaling.
    """
    trends = study["trends"]
    pairs = [(dataset, scaling) for dataset in trends["datasets"] for scaling in trends["feature_scalings"]]
    return {"-".join(pair): pair for pair in pairs}


def _list_splits(study: Mapping, part: str) -> list[tuple[str, int]]:
    """List the splits of a part: the first ones of its data set."""
    dataset, _ = list_parts(study)[part]
    available = study.get("splits_by_dataset", {}).get(dataset, study["splits"])
    return [(dataset, split) for split in range(min(study["trends"]["splits"], available))]


def _experiment_settings(study: Mapping, part: str) -> dict:
    """Return all settings that the results of a part depend on."""
    dataset, scaling = list_parts(study)[part]
    names = ("alpha", "iterations", "stride", "rho_iterations")
    settings = {name: study["trends"][name] for name in names}
    return settings | {
        "dataset": dataset,
        "feature_scaling": scaling,
        "rhos": study["rhos"],
        "admm": study["admm"],
    }


def _estimate_memory_mb(study: Mapping, part: str) -> float:
    """Estimate the megabytes of a part: the conic model of the perturbed problem takes most of them."""
    expected = registry.get(list_parts(study)[part][0]).expected
    return MODEL_COPIES * expected.get("rows", 0) * expected.get("features", 0) * 8 / 1e6


TRENDS = Experiment(
    "trends",
    run="reproduction.papers.kadkhodaie2015.trends.experiment:run_experiment",
    parts=list_parts,
    settings=_experiment_settings,
    split_inputs=_list_splits,
    memory=_estimate_memory_mb,
    tables=(
        experiment_table(
            "trends", "trends", "reproduction.papers.kadkhodaie2015.trends.experiment:TRENDS_COLUMNS"
        ),
    ),
)
