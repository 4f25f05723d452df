"""Record of the experiment ``early_stop``: FenchelRank's stop and its sparsity."""

from __future__ import annotations

from reproduction.papers.laporte2014.inputs import list_split_inputs
from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment, Figure

EARLY_STOP = Experiment(
    "early_stop",
    run="reproduction.papers.laporte2014.early_stop.experiment:run_experiment",
    split_inputs=lambda study, part: list_split_inputs(study["early_stop"]),
    tables=(
        experiment_table(
            "early_stop", "early_stop", "reproduction.papers.laporte2014.early_stop.experiment:COLUMNS"
        ),
    ),
    figures=(
        Figure(
            "early_stop",
            "FenchelRank's stop and its sparsity",
            "Beyond the paper. Variables of FenchelRank with its published stop (a gap of 1e-3 or 1000 "
            "steps) and of the certified optimum in the same ℓ₁ ball, on one fold of each data set.",
            tables=("early_stop",),
            draw="reproduction.papers.laporte2014.early_stop.figure:draw_early_stop",
            alt_text="reproduction.papers.laporte2014.early_stop.figure:describe_early_stop",
            message="reproduction.papers.laporte2014.early_stop.figure:state_early_stop",
        ),
    ),
)
