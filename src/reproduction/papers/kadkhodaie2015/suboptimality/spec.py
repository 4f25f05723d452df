"""Specification of the experiment on iterations and seconds to levels of suboptimality."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.specs.csv_tables import experiment_table
from reproduction.specs.paper import Experiment, Figure


def _experiment_settings(study: Mapping, dataset: str) -> dict:
    """Return all settings that the results on a data set depend on."""
    methods = [*study.get("methods", []), *study.get("extra_methods", [])]
    settings = {"feature_scaling": study["datasets"][dataset], "methods": methods}
    return settings | {**study["suboptimality"], "rhos": study["rhos"], "admm": study["admm"]}


SUBOPTIMALITY = Experiment(
    "suboptimality",
    run="reproduction.papers.kadkhodaie2015.suboptimality.experiment:run_experiment",
    parts=lambda study: list(study["datasets"]),
    settings=_experiment_settings,
    split_inputs=lambda study, dataset: [(dataset, 0)],
    bandwidth=True,
    tables=(
        experiment_table(
            "suboptimality",
            "suboptimality",
            "reproduction.papers.kadkhodaie2015.suboptimality.experiment:SUBOPTIMALITY_COLUMNS",
        ),
    ),
    figures=(
        Figure(
            "suboptimality",
            "Iterations and seconds to the optimum: performance profiles",
            "Beyond the paper. A problem is a data set, a feature scaling and a λ, on the first split; "
            "the title of a panel is the relative suboptimality to be reached on objective (11). A curve "
            "has height h at factor x if the method solved a share h of the problems within x times the "
            "cost of the best method on each. The left end shows how often it was best, the right end how "
            "many it solved; failures count as infinite. The ADMM family has the best ρ of its grid in "
            "hindsight, for every problem and level. After 100 iterations the objective is checked whenever "
            "the count has grown by 1 %. A marker is a solved problem; methods that solve none are named in "
            "the title. A step of the exact solver costs more than an iteration of the others. "
            "Problems on which w = 0 already reaches the level are left out.",
            tables=("suboptimality",),
            draw="reproduction.papers.kadkhodaie2015.suboptimality.profiles:draw_suboptimality",
            alt_text="reproduction.papers.kadkhodaie2015.suboptimality.profiles:describe",
            message="reproduction.papers.kadkhodaie2015.suboptimality.profiles:state_profiles",
            plot_data="reproduction.papers.kadkhodaie2015.suboptimality.profiles:compute_profiles",
            of_cost=True,
        ),
    ),
)
