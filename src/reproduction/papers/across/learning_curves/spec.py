"""Record of the experiment ``learning_curves``."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.papers.across.learning_curves import experiment
from reproduction.specs.paper import Experiment, Figure, Table


def _list_split_inputs(study: Mapping, part: str) -> list[tuple[str, int]]:
    """List the splits of a data set to sample from."""
    n_splits = study.get("splits_by_dataset", {}).get(part, study["splits"])
    return [(part, split) for split in range(min(n_splits, study["learning_curves"]["repeats"]))]


LEARNING_CURVES = Experiment(
    "learning_curves",
    run="reproduction.papers.across.learning_curves.experiment:run_experiment",
    parts=lambda study: study["learning_curves"]["datasets"],
    split_inputs=_list_split_inputs,
    tables=(Table("learning_curves", experiment.build_curves, experiment.CURVES_FORMAT),),
    figures=(
        Figure(
            "learning_curves",
            "How many positives a loss for the top needs",
            "Training sets were subsampled to the number of positives on the x-axis, keeping the class "
            "ratio. Means and standard errors are over the splits, which share test rows. Four linear "
            "methods with a ridge, so that only the loss and its depth differ; the depth is chosen by "
            "cross-validation on the sample.",
            tables=("learning_curves",),
            draw="reproduction.papers.across.learning_curves.figure:draw_curves",
            alt_text="reproduction.papers.across.learning_curves.figure:describe_curves",
            message="reproduction.papers.across.learning_curves.figure:state_curves",
        ),
    ),
)
