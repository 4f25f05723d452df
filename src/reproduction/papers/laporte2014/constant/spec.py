"""Record of the experiment ``constant``: what the published Lipschitz constant costs."""

from __future__ import annotations

from reproduction.papers.laporte2014.inputs import list_split_inputs
from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment, Figure

CONSTANT = Experiment(
    "constant",
    run="reproduction.papers.laporte2014.constant.experiment:run_experiment",
    split_inputs=lambda study, part: list_split_inputs(study["constant"]),
    tables=(
        experiment_table(
            "constant", "constant", "reproduction.papers.laporte2014.constant.experiment:COLUMNS"
        ),
    ),
    figures=(
        Figure(
            "constant",
            "Cost of the published Lipschitz constant",
            "Beyond the paper. Seconds of ℓ₁ RankSVM from w = 0, on one fold, until the objective is "
            "within the level of the certified optimum. FISTA (Algorithm 1) has the published constant, a "
            "trace with the factor 2 missing in the paper, or the largest eigenvalue; both are checked "
            "every tenth iteration. Proximal Newton has no such constant. Hollow: stopped by a limit. The "
            "iterations are in the data of the figure.",
            tables=("constant",),
            draw="reproduction.papers.laporte2014.constant.figure:draw_constant",
            alt_text="reproduction.papers.laporte2014.constant.figure:describe_constant",
            message="reproduction.papers.laporte2014.constant.figure:state_constant",
        ),
    ),
)
