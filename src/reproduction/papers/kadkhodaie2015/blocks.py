"""The optional blocks of a study of K15: what each measures, and what it adds to the tables and figures."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reproduction.artefact import Block, Figure, Table
from reproduction.data import registry
from reproduction.papers.kadkhodaie2015 import readings
from reproduction.study import Study
from reproduction.tables import Plain, of_block

DRAWS_PER_JOB = 5


def _draws(seeds: int) -> list[str]:
    """Name the parts of the dirty model, some draws each: ``0-4``."""
    firsts = range(0, seeds, DRAWS_PER_JOB)
    return [f"{first}-{min(first + DRAWS_PER_JOB, seeds) - 1}" for first in firsts]


DIRTY_MODEL = Block(
    "dirty_model",
    measure="reproduction.papers.kadkhodaie2015.dirty_traces:measure",
    parts=lambda study: _draws(study["dirty_model"]["seeds"]),
    settings=lambda study, part: {n: v for n, v in study["dirty_model"].items() if n != "seeds"},
    tables=(
        of_block("dirty_model", "figure1", "reproduction.papers.kadkhodaie2015.dirty_traces:COLUMNS", 6),
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
            draw="reproduction.papers.kadkhodaie2015.dirty_figure:figure1",
            describe="reproduction.papers.kadkhodaie2015.dirty_figure:describe",
            drawn="reproduction.papers.kadkhodaie2015.dirty_model:medians_and_bands",
        ),
    ),
)

CONVERGENCE = Block(
    "convergence",
    measure="reproduction.papers.kadkhodaie2015.watched:measure",
    settings=lambda study, part: {**study["convergence"], "admm": study["admm"]},
    folds=lambda study, part: [(study["convergence"]["dataset"], study["convergence"]["split"])],
    bandwidth=True,
    tables=(
        of_block("convergence", "figure2", "reproduction.papers.kadkhodaie2015.watched:FIGURE2_COLUMNS"),
        of_block("convergence", "figure3", "reproduction.papers.kadkhodaie2015.watched:FIGURE3_COLUMNS"),
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
            draw="reproduction.papers.kadkhodaie2015.convergence_figures:figure2",
            describe="reproduction.papers.kadkhodaie2015.convergence_figures:describe_figure2",
            drawn="reproduction.papers.kadkhodaie2015.convergence_figures:drawn_figure2",
        ),
        Figure(
            "figure3",
            "Figure 3: residuals and ROC curves",
            "The split and the runs of Figure 2; large open markers: the published stops. ROC curves on the "
            "test part, at the top of the list. Solid: after the published stop, or after all iterations "
            "where the rule never held and for the exact solver. Dotted: after all iterations.",
            tables=("figure3",),
            draw="reproduction.papers.kadkhodaie2015.convergence_figures:figure3",
            describe="reproduction.papers.kadkhodaie2015.convergence_figures:describe_figure3",
            drawn="reproduction.papers.kadkhodaie2015.convergence_figures:drawn_figure3",
        ),
    ),
)


def _asked_of_levels(study: Mapping, dataset: str) -> dict:
    methods = [*study.get("methods", []), *study.get("beyond", [])]
    about = {"features": study["datasets"][dataset], "methods": methods}
    return about | {**study["suboptimality"], "rhos": study["rhos"], "admm": study["admm"]}


SUBOPTIMALITY = Block(
    "suboptimality",
    measure="reproduction.papers.kadkhodaie2015.levels:measure",
    parts=lambda study: list(study["datasets"]),
    settings=_asked_of_levels,
    folds=lambda study, dataset: [(dataset, 0)],
    bandwidth=True,
    tables=(of_block("suboptimality", "suboptimality", "reproduction.papers.kadkhodaie2015.levels:COLUMNS"),),
    figures=(
        Figure(
            "suboptimality",
            "Iterations and seconds to the optimum: performance profiles",
            "Beyond the paper. A problem is a data set, a block of features and a λ, on the first split; "
            "the title of a panel is the relative suboptimality to be reached on objective (11). A curve "
            "has height h at factor x if the method solved a share h of the problems within x times the "
            "cost of the best method on each. The left end shows how often it was best, the right end how "
            "many it solved; failures count as infinite. The ADMM family has the best ρ of its grid in "
            "hindsight, for every problem and level. After 100 iterations the objective is checked whenever "
            "the count has grown by 1 %. A marker is a solved problem; methods that solve none are named in "
            "the title. A step of the exact solver costs more than an iteration of the others. "
            "Problems on which w = 0 already reaches the level are left out.",
            tables=("suboptimality",),
            draw="reproduction.papers.kadkhodaie2015.suboptimality:figure_suboptimality",
            describe="reproduction.papers.kadkhodaie2015.suboptimality:describe",
            drawn="reproduction.papers.kadkhodaie2015.suboptimality:profiles",
            of_cost=True,
        ),
    ),
)


def _sizes(study: Study) -> pd.DataFrame:
    """Put the measured sizes together, with what a study would take on the training parts of epsilon."""
    from reproduction.papers.kadkhodaie2015.scale import with_extrapolation

    settings = study.settings
    folds, splits, n_alphas = settings["inner_folds"], settings["splits"], len(settings["alphas"])
    fits = {
        # the search on the inner folds and the chosen fit; the exact solver is given alpha, and fits the path
        "toppush": (splits * folds * n_alphas, splits),
        "exact": (0, splits * (n_alphas + 1)),
        **{method: (splits * folds * len(values), splits) for method, values in settings["rhos"].items()},
    }
    cap = dict.fromkeys(settings["rhos"], settings["admm"]["max_iter"])
    rows = registry.get("epsilon").expected["rows"]
    return with_extrapolation(
        pd.DataFrame(study.measured("scale", "scale")),
        round((1.0 - settings["test_fraction"]) * rows),
        {"toppush": 10_000, "exact": 200, **cap},
        fits,
        1.0 - 1.0 / folds,
    )


def _megabytes(study: Mapping, part: str) -> float:
    """Memory of a generated set: the pages of its float32 file, and four matrices of features²."""
    rows, features = int(part), study["scale"]["features"]
    return (4 * rows * features + 4 * 8 * features**2) / 1e6


SCALE = Block(
    "scale",
    measure="reproduction.papers.kadkhodaie2015.size_costs:measure_block",
    parts=lambda study: [str(rows) for rows in sorted(study["scale"]["rows"])],
    settings=lambda study, part: {**study["scale"], "rows": int(part)},
    bandwidth=True,
    memory=_megabytes,
    tables=(Table("scale", _sizes, Plain()),),
    figures=(
        Figure(
            "scale",
            "Cost and size",
            "Seconds per iteration (left; a Newton step of the exact solver) and of a whole fit (right) on "
            "generated sets of dense float32 rows that are mapped from a file, in the page cache. Dotted: "
            "two passes over the matrix at the bandwidth measured in the same process. Open markers: "
            "stopped by a limit. Stars: extrapolated to the training parts of epsilon. With few rows, the "
            "ADMM family's solve with its factored system, (d + 1)² numbers, costs more than the passes. "
            "Beyond the paper.",
            tables=("scale",),
            draw="reproduction.papers.kadkhodaie2015.scale:figure_scale",
            describe="reproduction.papers.kadkhodaie2015.scale:describe",
            of_cost=True,
        ),
    ),
)

MULTIVERSE = Block(
    "multiverse",
    measure="reproduction.papers.kadkhodaie2015.readings:measure",
    parts=readings.cases,
    settings=readings.asks,
    folds=readings.folds,
    fits=lambda study, part: [(*readings.cases(study)[part], readings.TOP_PUSH)],
    bandwidth=True,
)

BLOCKS = (DIRTY_MODEL, CONVERGENCE, SUBOPTIMALITY, SCALE, MULTIVERSE)
