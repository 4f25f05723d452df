"""The two marks of K15's Table 1 beside ours: ● better at the top, ★ faster."""

from __future__ import annotations

import math

import pandas as pd

from reproduction.comparison.verdicts import (
    AGREES,
    CAVEATS,
    COLUMNS,
    DIFFERS,
    REASONS,
    Facts,
    those_that_apply,
)
from reproduction.labels import method_label
from reproduction.printed import WORDS
from reproduction.tables import NOT_OBTAINED, NOT_RUN

MARKS = {
    "mark_best": ("best_pos_at_top_mark", "pos_at_top"),
    "mark_fast": ("fast_mark", "seconds"),
}
"""Column of Table 1 -> the quantity of the comparison, and the quantity whose means decide."""

_WORDS = {str(int(number)): word for word, number in WORDS["mark"].items()}


def compare_marks(table: pd.DataFrame) -> pd.DataFrame:
    """Set every printed mark, and that none is printed, beside ours.

    Parameters
    ----------
    table : pandas.DataFrame
        Table 1 of K15, read back from its file.

    Returns
    -------
    pandas.DataFrame
        The columns of `comparison.verdicts.COLUMNS`: a row for each printed result, feature block and mark.
    """
    rows = []
    for (dataset, features), block in table.groupby(["dataset", "features"], sort=False):
        printed = block[block["printed_mark_best"].isin(_WORDS)]
        for column, (quantity, measured) in MARKS.items():
            for _, row in printed.iterrows():
                ours = float(row[column]) if row[column] in _WORDS else math.nan
                verdict, said = _judge(row, column, printed, measured)
                names = (row["study"], "table1", dataset, features, row["method"], quantity)
                numbers = (float(row[f"printed_{column}"]), math.nan, ours, math.nan)
                where = f"{row['study']}/table1.csv: {dataset}, {features}, {row['method']}"
                rows.append((*names, *numbers, verdict, said, where))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _judge(row: pd.Series, column: str, printed: pd.DataFrame, measured: str) -> tuple[str, str]:
    """Agrees where both or neither are marked; where not, the means are the reason."""
    if row[column] not in _WORDS:
        if row["data_status"] in (NOT_OBTAINED, NOT_RUN):
            return NOT_OBTAINED, row["reason"]
        return NOT_OBTAINED, f"no split gave a number: of {row['splits']:.0f} fits {row['statuses']}"
    facts = Facts(row, measured, None, None, len(printed))
    if row[column] == row[f"printed_{column}"]:
        said = f"{_WORDS[row[column]]} in the paper and here"
        return AGREES, "; but ".join([said, *those_that_apply(CAVEATS[measured], facts)])
    means = ", ".join(
        f"{method_label(other['method'])} {other[f'{measured}_mean']:.3g} "
        f"(printed {other[f'printed_{measured}_mean']:.3g})"
        for _, other in printed.iterrows()
    )
    said = f"the mark follows the decimal exponents of the means, which here are {means}"
    return DIFFERS, "; ".join([said, *those_that_apply(REASONS[measured], facts)])
