"""The figures of a study as the page and the paper show them: titles, captions, words and what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from reproduction.comparison import figure as printed_figure
from reproduction.papers.kadkhodaie2015 import convergence_figures, dirty_model, scale, suboptimality
from reproduction.papers.laporte2014 import constant_figure as printed_constant
from reproduction.papers.laporte2014 import early_stop_figure as early_stop
from reproduction.papers.laporte2014 import figures as query_figures
from reproduction.papers.rakotomamonjy2012 import figures as push_figures
from reproduction.report.method_statistics import figure as rank_figure


@dataclass(frozen=True)
class Drawing:
    """A figure on the page.

    Attributes
    ----------
    title, caption : str
    svg : str
        A whole SVG file.
    description : str
        The words that stand for it where it is not seen.
    name : str
        Of its files, without the suffix.
    data : str
        What is drawn, as CSV text; empty where the figure draws no data.
    """

    title: str
    caption: str
    svg: str
    description: str
    name: str
    data: str = ""


def as_text(table: pd.DataFrame) -> str:
    """Write what a figure draws as CSV, with as many digits as can be seen."""
    return table.to_csv(index=False, float_format="%.4g", lineterminator="\n")


def drawn(
    known: Mapping[str, tuple[str, str, Callable]], files: Mapping[str, Path]
) -> tuple[dict[str, pd.DataFrame], list[Drawing]]:
    """Read the tables behind a protocol's further figures, as far as the study has them, and the figures."""
    tables = {name: pd.read_csv(files[f"{name}.csv"]) for name in known if f"{name}.csv" in files}
    drawings = [
        Drawing(
            title,
            caption,
            files[f"{name}.svg"].read_text(encoding="utf-8"),
            describe(tables[name]),
            name,
            as_text(DRAWN[describe](tables[name]))
            if describe in DRAWN
            else files[f"{name}.csv"].read_text(encoding="utf-8"),
        )
        for name, (title, caption, describe) in known.items()
        if name in tables
    ]
    return tables, drawings


def drawn_of_queries(tables: Mapping[str, pd.DataFrame], files: Mapping[str, Path]) -> list[Drawing]:
    """Read Figures 1 to 3 of L14; Figure 1 draws formulas."""
    shares, maps = tables["table4"], tables["table5"]
    words_and_data = {
        "figure1": (query_figures.describe_figure1(), ""),
        "figure2": (query_figures.describe_figure2(shares), as_text(query_figures.drawn_figure2(shares))),
        "figure3": (query_figures.describe_figure3(maps), as_text(query_figures.drawn_figure3(shares, maps))),
    }
    return [
        Drawing(
            title,
            caption,
            files[f"{name}.svg"].read_text(encoding="utf-8"),
            words_and_data[name][0],
            name,
            words_and_data[name][1],
        )
        for name, (title, caption) in QUERY_FIGURES.items()
    ]


def drawn_paths(files: Mapping[str, Path]) -> list[Drawing]:
    """Read the regularisation paths of a study, each with its points and weights."""
    drawings = []
    for name, file in sorted(files.items()):
        if name.startswith("path_") and name.endswith(".svg"):
            dataset = file.stem.removeprefix("path_")
            numbers = files[f"{file.stem}.csv"], files[f"{file.stem}_weights.csv"]
            drawings.append(
                Drawing(
                    f"Regularisation path on {dataset}",
                    PATH_CAPTION,
                    file.read_text(encoding="utf-8"),
                    f"Regularisation path of the infinite push on {dataset}: weights, and below the rate at "
                    "the top.",
                    file.stem,
                    as_text(push_figures.drawn_path(*map(pd.read_csv, numbers))),
                )
            )
    return drawings


def printed_measured(files: Mapping[str, Path]) -> Drawing:
    """Read the figure of printed against measured numbers, with its points."""
    data = files["printed_measured.csv"]
    return Drawing(
        printed_figure.TITLE,
        printed_figure.CAPTION,
        files["printed_measured.svg"].read_text(encoding="utf-8"),
        printed_figure.describe(pd.read_csv(data, na_values="none")),
        "printed_measured",
        data.read_text(encoding="utf-8"),
    )


def critical_difference(ranks: pd.DataFrame, files: Mapping[str, Path]) -> Drawing:
    """Read the diagrams of the mean ranks."""
    return Drawing(
        rank_figure.TITLE,
        rank_figure.CAPTION,
        files["critical_difference.svg"].read_text(encoding="utf-8"),
        rank_figure.describe(ranks),
        "critical_difference",
        files["ranks.csv"].read_text(encoding="utf-8"),
    )


TOP_RANKING_FIGURES: dict[str, tuple[str, str, Callable]] = {
    "figure1": (
        "Figure 1: the dirty model with elastic nets",
        "Medians over the draws, with the 10th to 90th percentile (band); gaps in absolute value and over "
        "that at the first iteration, as in the paper. F(x_k, y_k) may lie below F*, since its constraint "
        "does not hold; dashed: F(x_k, b − A x_k), which may not. Below, τ₁ is the largest step of Theorem "
        "1, and open markers are runs that do not get there. F* and D* come from the conic solver. μ, η, τ "
        "and the number of draws are declared.",
        dirty_model.describe,
    ),
    "figure2": (
        "Figure 2: objective and Pos@Top, iteration by iteration",
        "One split. Dashed: the certified optimum of objective (11). Dotted, in the colour of a method: what "
        "the optimum of the perturbed objective (13), which it minimises, is worth on (11). Large open "
        "markers: where the published stopping rule holds; every method runs on. Seconds are those of the "
        "algorithm alone. The panels in the middle and the exact solver are beyond the paper. The values of "
        "ρ are declared: of each grid the one whose residuals end smallest.",
        convergence_figures.describe_figure2,
    ),
    "figure3": (
        "Figure 3: residuals and ROC curves",
        "The split and the runs of Figure 2; large open markers: the published stops. ROC curves on the test "
        "part: solid after the published stops (after all iterations where the rule did not hold, and for "
        "the exact solver), dotted after all iterations; on the right the top of the list, which is what the "
        "methods are for.",
        convergence_figures.describe_figure3,
    ),
    "suboptimality": (
        "Iterations and seconds to the optimum: performance profiles",
        "Beyond the paper. A problem is a data set, a block of features and a λ, on the first split; the "
        "title of a panel is the relative suboptimality to be reached on objective (11). Read a curve of "
        "height h over the factor x as: this method solved a share h of the problems within x times the cost "
        "of the method that was best on each. At the left end stands how often it was the best, at the right "
        "end how many it solved at all: failures count as infinite. The ADMM family has the best ρ of its "
        "grid in hindsight, for every problem and level. After 100 iterations every hundredth part more is "
        "looked at. A marker is a problem solved; methods that solve none are named in the title. A step of "
        "the exact solver costs more than an iteration of the others. Problems whose optimum w = 0 attains "
        "to the level are left out.",
        suboptimality.describe,
    ),
    "scale": (
        "Cost and size",
        "Seconds per iteration (left; a Newton step of the exact solver) and of a whole fit (right) on "
        "generated sets of dense float32 rows that are mapped from a file, in the page cache. Dotted: two "
        "passes over the matrix at the bandwidth measured in the same process. Open markers: stopped by a "
        "limit. Stars: extrapolated to the training parts of epsilon. Where there are few rows, the ADMM "
        "family's solve of its factored system, (d + 1)² numbers, outweighs the passes. Beyond the paper.",
        scale.describe,
    ),
}
"""Figure of K15, beside that of Table 1 -> title, caption, and the function that says what it shows."""

DRAWN = {
    dirty_model.describe: dirty_model.medians_and_bands,
    convergence_figures.describe_figure2: convergence_figures.drawn_figure2,
    convergence_figures.describe_figure3: convergence_figures.drawn_figure3,
    suboptimality.describe: suboptimality.profiles,
}
"""What says in words what a figure shows -> what selects what it draws, where its table holds more."""

INFINITE_PUSH_FIGURES = {
    "figure1": (
        "Figure 1: rate at the top on the toy problem",
        "Mean over the trials and its standard error (band). Below, in the colour of the method, stand "
        "the two-sided p-values of the Wilcoxon signed-rank test against the ℓ₁ infinite push. The numbers "
        "of rows and the Wishart distribution are declared.",
        push_figures.describe_figure1,
    ),
    "figure2": (
        "Figure 2: retrieval of the relevant features",
        "Mean over the trials and its standard error (band). The ℓ₂ infinite push uses all features: its "
        "precision is the share of relevant ones.",
        push_figures.describe_figure2,
    ),
    "figure3": (
        "Figure 3: running time",
        "Median time of a fit against the number of pairs, and the exponent p of the larger half of the "
        "sizes. Algorithm 1 runs on the pairs, to a relative duality gap of 1e-3; the exact solver and "
        "RankSVM never form a pair and run to 1e-8 (beyond the paper). Open markers: stopped by the limit.",
        push_figures.describe_figure3,
    ),
}
"""Figure of R12 -> title, caption, and the function that says what it shows."""

QUERY_FIGURES = {
    "figure1": (
        "Figure 1: the regularisers",
        "One weight, λ = 1, the parameters of the paper's figure (ε = 1, γ = 1). Dashed: SCAD, beyond the "
        "paper.",
    ),
    "figure2": (
        "Figure 2: removed features",
        "One minus the sparsity ratio: farther out is sparser. A spoke a data set that was obtained, a line "
        "a method; on the right, if anything is printed, the printed values of the same data sets.",
    ),
    "figure3": (
        "Figure 3: MAP against the sparsity ratio",
        "Means over the folds. Dotted: the mean MAP of the paper's methods. Hollow: beyond the paper. A "
        "plus: the printed MAP of the printed best method at its printed ratio, in the colour of the method.",
    ),
}
"""Figure of L14 -> title and caption."""

QUERY_FURTHER: dict[str, tuple[str, str, Callable]] = {
    "constant": (
        "What the printed Lipschitz constant costs",
        "Beyond the paper. Iterations of ℓ₁ RankSVM from w = 0, on one fold, until the objective is within "
        "the level of the certified optimum: FISTA (Algorithm 1) with the printed constant, a trace (with "
        "the factor 2 that the print lacks), and with the largest eigenvalue, both looked at in every "
        "tenth iteration; proximal Newton has no such constant. Hollow: stopped by a limit. A Newton step "
        "costs more than an iteration of FISTA; the seconds are in the data of the figure.",
        printed_constant.describe,
    ),
    "early_stop": (
        "FenchelRank's stop and its sparsity",
        "Beyond the paper. Variables of FenchelRank with its published stop (a gap of 1e-3 or 1000 steps) "
        "and of the certified optimum in the same ℓ₁ ball, on one fold of each data set.",
        early_stop.describe,
    ),
}
"""Figure beyond L14 -> title, caption, and the function that says what it shows."""

PATH_CAPTION = (
    "Weights (or the norms of groups of weights) of the certified optimum on the first split "
    "against the share of λ_max, those that enter first in colour, the others grey; below, "
    "the rate at the top (left axis) and how many are used (right axis). Beyond the paper."
)
"""Of a regularisation path."""
