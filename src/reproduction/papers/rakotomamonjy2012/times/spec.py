"""Record of the experiment ``times``: running times, Figure 3."""

from __future__ import annotations

from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment, Figure

TIMES = Experiment(
    "times",
    run="reproduction.papers.rakotomamonjy2012.times.experiment:run_experiment",
    settings=lambda study, part: {**study["times"], "relevant": study["toy"]["relevant"]},
    bandwidth=True,
    tables=(
        experiment_table(
            "times", "figure3", "reproduction.papers.rakotomamonjy2012.times.experiment:COLUMNS", digits=None
        ),
    ),
    figures=(
        Figure(
            "figure3",
            "Figure 3: running time",
            "Median time of a fit against the number of pairs; at the end of a line, its exponent over the "
            "larger half of the sizes. Algorithm 1 runs on the pairs, to a relative duality gap of 1e-3; "
            "the exact solver and RankSVM form no pair and run to 1e-8 (beyond the paper). Open markers: "
            "stopped by "
            "the limit.",
            tables=("figure3",),
            draw="reproduction.papers.rakotomamonjy2012.times.figure:draw_figure3",
            alt_text="reproduction.papers.rakotomamonjy2012.times.figure:describe_figure3",
            message="reproduction.papers.rakotomamonjy2012.times.figure:state_figure3",
        ),
    ),
)
