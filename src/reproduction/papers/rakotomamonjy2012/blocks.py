"""The optional blocks of a study of R12: what each measures, and what it adds to the tables and figures."""

from __future__ import annotations

import pandas as pd

from reproduction.artefact import Block, Figure, Table
from reproduction.papers.rakotomamonjy2012 import readings, toy
from reproduction.study import Study
from reproduction.tables import Plain, of_block

TOY = Block(
    "toy",
    tables=(Table("figure1", toy.figure1_table, Plain()), Table("figure2", toy.figure2_table, Plain())),
    figures=(
        Figure(
            "figure1",
            "Figure 1: rate at the top on the toy problem",
            "Mean over the trials and its standard error (band). Below, in the colour of the method, stand "
            "the two-sided p-values of the Wilcoxon signed-rank test against the ℓ₁ infinite push. The "
            "numbers of rows and the Wishart distribution are our choice.",
            tables=("figure1",),
            draw="reproduction.papers.rakotomamonjy2012.figures:figure1",
            describe="reproduction.papers.rakotomamonjy2012.figures:describe_figure1",
        ),
        Figure(
            "figure2",
            "Figure 2: retrieval of the relevant features",
            "Mean over the trials and its standard error (band). The ℓ₂ infinite push uses all features: its "
            "precision is the share of relevant ones.",
            tables=("figure2",),
            draw="reproduction.papers.rakotomamonjy2012.figures:figure2",
            describe="reproduction.papers.rakotomamonjy2012.figures:describe_figure2",
        ),
    ),
)

TIMES = Block(
    "times",
    measure="reproduction.papers.rakotomamonjy2012.running_times:measure",
    settings=lambda study, part: {**study["times"], "relevant": study["toy"]["relevant"]},
    bandwidth=True,
    tables=(
        of_block(
            "times", "figure3", "reproduction.papers.rakotomamonjy2012.running_times:COLUMNS", digits=None
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
            draw="reproduction.papers.rakotomamonjy2012.figures:figure3",
            describe="reproduction.papers.rakotomamonjy2012.figures:describe_figure3",
        ),
    ),
)


def _weights(study: Study, part: str) -> pd.DataFrame:
    rows = study.measured("paths", f"path_{part}_weights", part)
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=["share"])


PATHS = Block(
    "paths",
    measure="reproduction.papers.rakotomamonjy2012.paths:measure",
    parts=lambda study: list(study["paths"]),
    settings=lambda study, part: {**study["paths"][part], "smallest": min(study["shares"])},
    folds=lambda study, part: [(part, 0)],
    tables=(
        Table(
            "path_{part}",
            lambda study, part: [
                {"dataset": part} | row for row in study.measured("paths", f"path_{part}", part)
            ],
            Plain("reproduction.papers.rakotomamonjy2012.path_figure:COLUMNS"),
        ),
        Table("path_{part}_weights", _weights, Plain()),
    ),
    figures=(
        Figure(
            "path_{part}",
            "Regularisation path on {part}",
            "Weights of the certified optimum on the first split, or the norms of groups of weights, against "
            "λ as a share of λ_max. A curve begins where its weight leaves 0; the first eight are coloured "
            "and numbered in order, the others grey. Below: rate at the top and number in use. Beyond the "
            "paper.",
            tables=("path_{part}", "path_{part}_weights"),
            draw="reproduction.papers.rakotomamonjy2012.path_figure:figure_path",
            describe="Regularisation path on {part}: weights, and below them the rate at the top.",
            drawn="reproduction.papers.rakotomamonjy2012.path_figure:drawn_path",
        ),
    ),
)

MULTIVERSE = Block(
    "multiverse",
    measure="reproduction.papers.rakotomamonjy2012.readings:measure",
    parts=readings.refitted,
    settings=readings.asks,
    folds=lambda study, dataset: [(dataset, split) for split in range(study["splits"])],
)

BLOCKS = (TOY, TIMES, PATHS, MULTIVERSE)
