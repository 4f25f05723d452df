"""The published numbers of R12 beside ours."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from reproduction.comparison.counts import compare_counts, count_training_rows
from reproduction.comparison.results import compare_results
from reproduction.comparison.table import Comparison
from reproduction.papers.rakotomamonjy2012.table1 import COUNT_MEANINGS
from reproduction.specs.study_results import Study


def compare(study: Study) -> Comparison:
    """Compare all that the paper publishes with this study.

    Parameters
    ----------
    study : Study
        A study of R12.

    Returns
    -------
    Comparison
        Results and counts.
    """
    # The first printed count of Table 1 is the size of the training part (`COUNT_MEANINGS`).
    sizes = count_training_rows(study.fits)
    counts = compare_counts(study.name, study.published_values, study.data, sizes, COUNT_MEANINGS)
    compared = compare_results(study, study.table("multiverse"), counts)
    return replace(compared, rows=pd.concat([compared.rows, counts], ignore_index=True))
