"""Record of the experiment ``depth``: what a searched depth adds, and what explains it."""

from __future__ import annotations

from reproduction.papers.across.depth import experiment
from reproduction.papers.across.depth.table_views import EXPLAINS, GAINS
from reproduction.papers.across.facts.spec import list_datasets
from reproduction.specs.paper import Experiment, Table

DEPTH = Experiment(
    "depth",
    tables=(
        Table(
            "depth_gains",
            experiment.build_gains,
            experiment.GAINS_FORMAT,
            caption="What a searched depth adds on each list.",
            view=GAINS,
        ),
        Table(
            "depth_explains",
            experiment.build_explanations,
            experiment.EXPLAINS_FORMAT,
            caption="What explains the gain of a searched depth, on held-out halves of the lists.",
            view=EXPLAINS,
        ),
    ),
    run="reproduction.papers.across.depth.experiment:run_experiment",
    parts=list_datasets,
    split_inputs=lambda study, part: [(part, 0)],
)
