"""How each method does in a study: how many fits end well, and its scaled score on every data set.

Declared: on a data set the best method of a measure scores 1 and the worst 0, the others lie between in
proportion; of times the logarithms are scaled. The score of a method is its mean over the data sets that
count (see `ranks`). A fit ends well by its certificate or by its own rule, not by a limit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproduction.labels import method_key
from reproduction.report.method_statistics.ranks import Block
from reproduction.tables import NOT_OBTAINED, Form

ALL = "all"
"""In place of a data set: the mean over them."""

ENDED_WELL = ("certified", "stopped", "fitted")

SCORES = Form.of("study* features* measure* method* dataset* mean score fits ended_well")
"""`mean`: over the splits on which all methods have a number; `score`: scaled; `fits`: chosen fits of the
method with these features, on all data sets, and how many of them `ended_well`."""


def scores_table(fits: pd.DataFrame, blocks: Sequence[Block]) -> pd.DataFrame:
    """Scale the means of each block; the rows of `ALL` hold the mean score of a method."""
    chosen = fits[(fits["role"] == "chosen") & (fits["status"] != NOT_OBTAINED)]
    rows = []
    for block in blocks:
        scaled = scaled_scores(block.table, block.measure.larger_is_better, block.measure.logarithmic)
        for method in sorted(block.table, key=method_key):
            of_method = chosen[(chosen["method"] == method) & (chosen["features"] == block.features)]
            about = {"study": block.study, "features": block.features, "measure": block.measure.name}
            about |= {"method": method, "fits": len(of_method)}
            about |= {"ended_well": int(of_method["status"].isin(ENDED_WELL).sum())}
            both = zip(block.table.index, block.table[method], scaled[method], strict=True)
            rows += [about | {"dataset": name, "mean": mean, "score": score} for name, mean, score in both]
            rows.append(about | {"dataset": ALL, "score": scaled[method].mean()})
    return SCORES.frame(rows)


def scaled_scores(means: pd.DataFrame, larger_is_better: bool, logarithmic: bool = False) -> pd.DataFrame:
    """Scale each row to 1 for the best and 0 for the worst; where all are equal, all are best.

    Examples
    --------
    >>> import pandas as pd
    >>> means = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 2.0], "c": [2.0, 2.0]})
    >>> scaled_scores(means, True).to_numpy().tolist()
    [[0.0, 1.0, 0.5], [1.0, 1.0, 1.0]]
    """
    values = np.log(means.astype(float)) if logarithmic else means.astype(float)
    values = values if larger_is_better else -values
    low, high = values.min(axis=1), values.max(axis=1)
    span = (high - low).where(high > low)
    return values.sub(low, axis=0).div(span, axis=0).fillna(1.0)
