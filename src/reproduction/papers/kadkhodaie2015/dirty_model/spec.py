"""Specification of the experiment on the dirty model, Figure 1."""

from __future__ import annotations

from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment, Figure

DRAWS_PER_JOB = 5
"""Draws that one job simulates and solves."""


def _list_parts(seeds: int) -> list[str]:
    """List the parts of the dirty model, `DRAWS_PER_JOB` draws each: "0-4"."""
    firsts = range(0, seeds, DRAWS_PER_JOB)
    return [f"{first}-{min(first + DRAWS_PER_JOB, seeds) - 1}" for first in firsts]


DIRTY_MODEL = Experiment(
    "dirty_model",
    run="reproduction.papers.kadkhodaie2015.dirty_model.experiment:run_experiment",
    parts=lambda study: _list_parts(study["dirty_model"]["seeds"]),
    settings=lambda study, part: {n: v for n, v in study["dirty_model"].items() if n != "seeds"},
    tables=(
        experiment_table(
            "dirty_model",
            "figure1",
            "reproduction.papers.kadkhodaie2015.dirty_model.experiment:TRACE_COLUMNS",
            6,
        ),
    ),
    figures=(
        Figure(
            "figure1",
            "Figure 1: the dirty model with elastic nets",
            "Lines are medians over the draws, bands reach from the 10th to the 90th percentile. Gaps are "
            "absolute, and divided by their value at the first iteration, as in the paper. F(x_k, y_k) may "
            "lie below F*, since its constraint does not hold; F(x_k, b − A x_k), dashed, cannot. Below "
            "left: iterations on the first draw, one setting changed at a time; open markers are runs that "
            "do not arrive. Below right: the final dual gap over all draws, for each η and τ; gaps below "
            "1e-13 F* are rounding and drawn at 1e-13. τ₁ is the largest step of Theorem 1. F* and D* "
            "come from the conic solver. μ, η, τ and the number of draws are ours.",
            tables=("figure1",),
            draw="reproduction.papers.kadkhodaie2015.dirty_model.figure:draw_figure1",
            alt_text="reproduction.papers.kadkhodaie2015.dirty_model.figure:describe",
            message="reproduction.papers.kadkhodaie2015.dirty_model.figure:state_figure1",
            plot_data="reproduction.papers.kadkhodaie2015.dirty_model.trace_analysis:compute_medians_and_bands",
        ),
    ),
)
