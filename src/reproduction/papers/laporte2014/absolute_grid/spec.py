"""Record of the experiment ``absolute_grid``: the penalties of L14 on an absolute grid of C."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.specs.paper import Experiment


def _build_settings(study: Mapping, dataset: str) -> dict:
    """Return all that the fits on a data set depend on."""
    return {**study["absolute_grid"], "feature_scaling": study["datasets"][dataset][0]}


ABSOLUTE_GRID = Experiment(
    "absolute_grid",
    run="reproduction.papers.laporte2014.absolute_grid.experiment:run_experiment",
    parts=lambda study: list(study["datasets"]),
    settings=_build_settings,
    split_inputs=lambda study, dataset: [(dataset, split) for split in range(study["splits"])],
)
