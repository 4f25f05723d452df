"""The printed numbers of R12 beside ours."""

from __future__ import annotations

import pandas as pd

from reproduction.comparison.counts import compare_counts, rows_of_training_parts
from reproduction.comparison.verdicts import compare as compare_table
from reproduction.papers.rakotomamonjy2012.table1 import MEANINGS
from reproduction.study import Study


def compare(study: Study) -> pd.DataFrame:
    """Set everything that the paper prints beside ours.

    Returns
    -------
    pandas.DataFrame
        The columns of `comparison.verdicts.COLUMNS`.
    """
    rows, printed = [compare_table(study.table("table1"))], study.printed
    if printed is not None:
        sizes = rows_of_training_parts(study.fits)
        rows.append(compare_counts(study.name, printed, study.data, sizes, MEANINGS))
    return pd.concat(rows, ignore_index=True)
