"""The printed numbers and marks of K15 beside ours."""

from __future__ import annotations

import pandas as pd

from reproduction.comparison.counts import compare_counts
from reproduction.comparison.verdicts import compare as compare_table
from reproduction.papers.kadkhodaie2015.mark_comparison import compare_marks
from reproduction.study import Study


def compare(study: Study) -> pd.DataFrame:
    """Set everything that the paper prints beside ours.

    Returns
    -------
    pandas.DataFrame
        The columns of `comparison.verdicts.COLUMNS`.
    """
    table, printed = study.table("table1"), study.printed
    rows = [compare_table(table)]
    if printed is not None:
        rows += [compare_counts(study.name, printed, study.data), compare_marks(table)]
    return pd.concat(rows, ignore_index=True)
