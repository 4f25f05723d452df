"""The optional blocks of a study of L14: what each measures, and what it adds to the tables and figures."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.artefact import Block, Figure
from reproduction.tables import of_block


def _folds(settings: Mapping) -> list[tuple[str, int]]:
    return [(name, settings["split"]) for name in settings["datasets"]]


CONSTANT = Block(
    "constant",
    measure="reproduction.papers.laporte2014.constant:measure",
    folds=lambda study, part: _folds(study["constant"]),
    tables=(of_block("constant", "constant", "reproduction.papers.laporte2014.constant:COLUMNS"),),
    figures=(
        Figure(
            "constant",
            "What the printed Lipschitz constant costs",
            "Beyond the paper. Seconds of ℓ₁ RankSVM from w = 0, on one fold, until the objective is "
            "within the level of the certified optimum. FISTA (Algorithm 1) has the printed constant, a "
            "trace with the factor 2 that the print lacks, or the largest eigenvalue; both are checked "
            "every tenth iteration. Proximal Newton has no such constant. Hollow: stopped by a limit. The "
            "iterations are in the data of the figure.",
            tables=("constant",),
            draw="reproduction.papers.laporte2014.block_figures:figure_constant",
            describe="reproduction.papers.laporte2014.block_figures:describe_constant",
        ),
    ),
)

EARLY_STOP = Block(
    "early_stop",
    measure="reproduction.papers.laporte2014.early_stop:measure",
    folds=lambda study, part: _folds(study["early_stop"]),
    tables=(of_block("early_stop", "early_stop", "reproduction.papers.laporte2014.early_stop:COLUMNS"),),
    figures=(
        Figure(
            "early_stop",
            "FenchelRank's stop and its sparsity",
            "Beyond the paper. Variables of FenchelRank with its published stop (a gap of 1e-3 or 1000 "
            "steps) and of the certified optimum in the same ℓ₁ ball, on one fold of each data set.",
            tables=("early_stop",),
            draw="reproduction.papers.laporte2014.block_figures:figure_early_stop",
            describe="reproduction.papers.laporte2014.block_figures:describe_early_stop",
        ),
    ),
)

BLOCKS = (CONSTANT, EARLY_STOP)
