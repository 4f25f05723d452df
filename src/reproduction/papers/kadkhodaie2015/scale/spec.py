"""Specification of the experiment on costs at growing sizes."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reproduction.datasets import registry
from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.paper import Experiment, Figure, Table
from reproduction.specs.study_results import Study


def _build_scale_table(study: Study) -> pd.DataFrame:
    """Join the measured sizes with what a study would take on the training parts of epsilon."""
    from reproduction.papers.kadkhodaie2015.scale.costs import add_extrapolation

    settings = study.settings
    folds, splits, n_alphas = settings["inner_folds"], settings["splits"], len(settings["alphas"])
    fits = {
        # the search on the inner folds and the chosen fit; the exact solver is given alpha, and fits the path
        "toppush": (splits * folds * n_alphas, splits),
        "exact": (0, splits * (n_alphas + 1)),
        **{method: (splits * folds * len(values), splits) for method, values in settings["rhos"].items()},
    }
    max_iter = dict.fromkeys(settings["rhos"], settings["admm"]["max_iter"])
    rows = registry.get("epsilon").expected["rows"]
    return add_extrapolation(
        pd.DataFrame(study.read_experiment("scale", "scale")),
        round((1.0 - settings["test_fraction"]) * rows),
        {"toppush": 10_000, "exact": 200, **max_iter},
        fits,
        1.0 - 1.0 / folds,
    )


def _estimate_memory_mb(study: Mapping, part: str) -> float:
    """Estimate the memory of a part: the pages of its float32 file, and four matrices of features²."""
    rows, features = int(part), study["scale"]["features"]
    return (4 * rows * features + 4 * 8 * features**2) / 1e6


SCALE = Experiment(
    "scale",
    run="reproduction.papers.kadkhodaie2015.scale.experiment:run_experiment",
    parts=lambda study: [str(rows) for rows in sorted(study["scale"]["rows"])],
    settings=lambda study, part: {**study["scale"], "rows": int(part)},
    bandwidth=True,
    memory=_estimate_memory_mb,
    tables=(Table("scale", _build_scale_table, PlainCsv()),),
    figures=(
        Figure(
            "scale",
            "Cost and size",
            "Seconds per iteration (left; a Newton step of the exact solver) and of a full fit (right) on "
            "generated sets of dense float32 rows that are mapped from a file, in the page cache. Dotted: "
            "two passes over the matrix at the bandwidth measured in the same process. Open markers: "
            "stopped by a limit. Stars: extrapolated to the training parts of epsilon. With few rows, the "
            "ADMM family's solve with its factored system, (d + 1)² numbers, costs more than the passes. "
            "Beyond the paper.",
            tables=("scale",),
            draw="reproduction.papers.kadkhodaie2015.scale.costs:draw_scale",
            alt_text="reproduction.papers.kadkhodaie2015.scale.costs:describe",
            message="reproduction.papers.kadkhodaie2015.scale.costs:state_scale",
            of_cost=True,
        ),
    ),
)
