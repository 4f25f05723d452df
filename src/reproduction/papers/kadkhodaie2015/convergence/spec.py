"""Specification of the experiment behind Figures 2 and 3."""

from __future__ import annotations

from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment, Figure

CONVERGENCE = Experiment(
    "convergence",
    run="reproduction.papers.kadkhodaie2015.convergence.experiment:run_experiment",
    settings=lambda study, part: {**study["convergence"], "admm": study["admm"]},
    split_inputs=lambda study, part: [(study["convergence"]["dataset"], study["convergence"]["split"])],
    bandwidth=True,
    tables=(
        experiment_table(
            "convergence",
            "figure2",
            "reproduction.papers.kadkhodaie2015.convergence.experiment:FIGURE2_COLUMNS",
        ),
        experiment_table(
            "convergence",
            "figure3",
            "reproduction.papers.kadkhodaie2015.convergence.experiment:FIGURE3_COLUMNS",
        ),
    ),
    figures=(
        Figure(
            "figure2",
            "Figure 2: objective and Pos@Top, iteration by iteration",
            "One split. Above: how far objective (11) is from its certified optimum F*. A method that "
            "minimises the perturbed objective (13) has a dotted line in its colour: the optimum of (13), "
            "measured on (11). Large open markers: where the published stopping rule holds; every method "
            "continues. Seconds are for the algorithm alone. The exact solver is beyond the paper. The "
            "values of ρ are ours: of each grid, the one whose residuals end smallest.",
            tables=("figure2",),
            draw="reproduction.papers.kadkhodaie2015.convergence.figures:draw_figure2",
            alt_text="reproduction.papers.kadkhodaie2015.convergence.figures:describe_figure2",
            message="reproduction.papers.kadkhodaie2015.convergence.messages:state_figure2",
            plot_data="reproduction.papers.kadkhodaie2015.convergence.figures:select_figure2_data",
        ),
        Figure(
            "figure3",
            "Figure 3: residuals and ROC curves",
            "The split and the runs of Figure 2; large open markers: the published stops. ROC curves on the "
            "test part, at the top of the list. Solid: after the published stop, or after all iterations "
            "where the rule never held and for the exact solver. Dotted: after all iterations.",
            tables=("figure3",),
            draw="reproduction.papers.kadkhodaie2015.convergence.figures:draw_figure3",
            alt_text="reproduction.papers.kadkhodaie2015.convergence.figures:describe_figure3",
            message="reproduction.papers.kadkhodaie2015.convergence.messages:state_figure3",
            plot_data="reproduction.papers.kadkhodaie2015.convergence.figures:select_figure3_data",
        ),
    ),
)
