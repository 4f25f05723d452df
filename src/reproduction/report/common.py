"""Tables and figures of every study, whatever its paper: statistics, slips, printed against measured."""

from __future__ import annotations

import pandas as pd

from reproduction.artefact import Figure, Table, load
from reproduction.erratum import as_rows
from reproduction.report.latex.tables import latex_errata
from reproduction.report.method_statistics.latex import latex_ranks
from reproduction.report.method_statistics.pairs import PAIRWISE, pairwise_table
from reproduction.report.method_statistics.ranks import RANKS, blocks_of, ranks_table
from reproduction.study import Study
from reproduction.tables import Plain


def _blocks(study: Study) -> list:
    return blocks_of(study.fits, study.paper.measures, study.data)


def _errata(study: Study) -> pd.DataFrame:
    return pd.DataFrame(as_rows(study.paper.name, load(study.paper.errata)(study.published)))


OF_THE_RUN = ("coverage", "verification", "data")
"""Tables of the whole run that are written as LaTeX."""

TABLES = (
    Table("errata", _errata, Plain(digits=None), latex_errata, as_text=True),
    Table("ranks", lambda study: ranks_table(_blocks(study)), RANKS, latex_ranks),
    Table("pairwise", lambda study: pairwise_table(study.fits, _blocks(study), study.queries), PAIRWISE),
)

FIGURES = (
    Figure(
        "critical_difference",
        "Critical differences of the mean ranks",
        "Beyond the paper. Each method stands at its mean rank over the data sets, 1 being the best; "
        "Nemenyi's test at .05 does not tell apart the methods that a bar joins, whose mean ranks differ "
        "by no more than the critical difference (CD). The p-value comes from the Friedman test in the "
        "form of Iman and Davenport: are all methods alike? A data set and its substitutes or other "
        "readings count once.",
        tables=("ranks",),
        draw="reproduction.report.method_statistics.figure:rank_figure",
        describe="reproduction.report.method_statistics.figure:describe",
    ),
)

PRINTED_MEASURED = Figure(
    "printed_measured",
    "Printed against measured",
    "A point is a printed number (across) and ours (up); on the diagonal they are equal. Colours: methods; "
    "grey: counts of the data. Bars are one standard deviation over the splits, the printed one across, "
    "ours up, cut where they would pass below zero. A number agrees where ours lies within one printed "
    "standard deviation, that is where the bar across reaches the diagonal; where no deviation is printed, "
    "within the grey band of 0.02 (a decrease: where it is worth at most 0.02 of the measure). Filled: "
    "agrees; hollow diamond: only the order of the methods agrees; hollow circle: differs. The data "
    "sets farthest from the diagonal are named. A printed number has one point: with the features as "
    "distributed, where they were used. Words (marks, relations, the best method) are not drawn, nor is what "
    "was not obtained.",
    tables=("printed_measured",),
    draw="reproduction.comparison.figure:printed_figure",
    describe="reproduction.comparison.figure:describe",
)
"""Of each study with printed numbers; its points, which are kept as well, come from the comparison."""
