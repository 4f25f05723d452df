"""The level of an axis that recovers a printed number, and its effect on the other numbers of the paper.

Among many universes some recover a number by chance. So an explanation changes one level of the defaults,
two at most, and must recover more numbers of the paper than it loses.
"""

from collections.abc import Mapping

import pandas as pd

from reproduction.comparison.verdicts import AGREES, COMES_OUT, DIFFERS, Judgement, Mean, judge
from reproduction.core.results import ResultsError
from reproduction.specs.multiverse import DEFAULT, changed_options
from reproduction.specs.published_values import KEY

MOST_CHANGES = 2
_MEASURED = ("ours_mean", "ours_std", "splits", "zero_models")
COLUMNS = (*KEY, "published", "published_std", "universe", "changes", *_MEASURED)
"""Columns that are read from the table of universes."""

LEVELS = ("study", "axis", "level", "changes", "compared", "recovered", "lost", "explains")
"""`compared`: numbers that the default and the level both decide; `explains`: how many numbers name it."""


def checked(multiverse: pd.DataFrame, study: str) -> pd.DataFrame:
    """Check the table of universes.

    `multiverse`: one row a printed number and universe. Returns: the columns of `COLUMNS`, measured ones as
    floats. Raises `ResultsError`: if a column is missing, a universe stands twice for a number, or a cell
    holds no number.
    """
    lacking = [name for name in COLUMNS if name not in multiverse]
    if lacking:
        raise ResultsError(
            f"{study}/multiverse.csv lacks the column {lacking[0]!r}: run the rule that writes it again."
        )
    twice = multiverse[multiverse.duplicated([*KEY, "universe"])]
    for row in twice.head(1).to_dict("records"):
        raise ResultsError(
            f"{study}/multiverse.csv has the universe {row['universe']!r} twice for {row['quantity']} of "
            f"{row['dataset']}, {row['method']}: each printed number has one row a universe."
        )
    numbers = multiverse[list(_MEASURED)].apply(pd.to_numeric, errors="coerce").astype(float)
    wrong = numbers.isna() & multiverse[list(_MEASURED)].notna()
    for name in wrong.columns[wrong.any()]:
        held = multiverse.loc[wrong[name], name].iloc[0]
        raise ResultsError(
            f"{study}/multiverse.csv: column {name!r} holds {held!r} where a number or nothing should stand."
        )
    return multiverse[list(COLUMNS)].assign(**numbers)


def judged(
    multiverse: pd.DataFrame, printed: pd.DataFrame, margins: Mapping[tuple, float], printed_splits: int
) -> pd.DataFrame:
    """Judge every universe of every printed number.

    `multiverse`: rows of `checked`. `printed`: rows of `printed.read_printed`. `margins`: key of a printed
    number -> its margin. `printed_splits`: how many random splits a printed mean is over; 0 where the folds
    are fixed. Returns: the rows of the printed numbers with at most `MOST_CHANGES`, and ``judgement``.
    """
    numbers = printed[[*KEY, "number", "deviation"]]
    rows = multiverse[multiverse["changes"] <= MOST_CHANGES].merge(numbers, on=KEY)
    rows["judgement"] = [
        _judged(row, margins[tuple(row[name] for name in KEY)], printed_splits)
        for row in rows.to_dict("records")
    ]
    return rows.assign(verdict=[found.verdict for found in rows["judgement"]])


def _judged(row: Mapping, margin: float, printed_splits: int) -> Judgement:
    printed = Mean(row["number"], row["deviation"], printed_splits)
    return judge(printed, Mean(row["ours_mean"], row["ours_std"], row["splits"]), margin, printed_splits > 0)


def balances(rows: pd.DataFrame) -> pd.DataFrame:
    """Count for every universe how many numbers of the paper it recovers, and how many it loses.

    `rows`: rows of `judged`. Returns: a row a universe but the default, by its name: changes, compared,
    recovered, lost, balance.
    """
    default = rows.loc[rows["universe"] == DEFAULT, [*KEY, "verdict"]]
    both = rows[rows["universe"] != DEFAULT].merge(default, on=KEY, suffixes=("", "_default"))
    came, comes = both["verdict_default"].isin(COMES_OUT), both["verdict"].isin(COMES_OUT)
    went, goes = both["verdict_default"].eq(DIFFERS), both["verdict"].eq(DIFFERS)
    counted = both.assign(compared=(came | went) & (comes | goes), recovered=went & comes, lost=came & goes)
    found = counted.groupby("universe", sort=False).agg(
        changes=("changes", "first"),
        compared=("compared", "sum"),
        recovered=("recovered", "sum"),
        lost=("lost", "sum"),
    )
    return found.assign(balance=found["recovered"] - found["lost"])


def explanation(of_number: pd.DataFrame) -> pd.Series | None:
    """Find the universe that explains a number which differs.

    `of_number`: the rows of `judged` of one printed number but the default, with the ``balance`` of
    `balances`. Returns: the row of the universe: one in which the number agrees before one in which it is
    consistent, then one with fewer levels changed, then one with the better balance. None where no universe
    that recovers more than it loses recovers the number.
    """
    helps = of_number[of_number["verdict"].isin(COMES_OUT) & (of_number["balance"] > 0)]
    if helps.empty:
        return None
    order = helps.assign(agrees=helps["verdict"] == AGREES)
    order = order.sort_values(
        ["agrees", "changes", "balance", "universe"], ascending=[False, True, False, True], kind="stable"
    )
    return order.iloc[0]


def levels(study: str, balance: pd.DataFrame, explained: pd.Series) -> pd.DataFrame:
    """List the levels with what they recover and lose, the best balance first.

    `balance`: rows of `balances`. `explained`: the universes that the rows of the comparison name. Returns:
    the columns of `LEVELS`: every single level, and of the pairs those that explain a number.
    """
    counts = explained.value_counts()
    table = balance.assign(explains=[int(counts.get(name, 0)) for name in balance.index])
    table = table[(table["changes"] == 1) | (table["explains"] > 0)]
    table = table.sort_values(["changes", "balance"], ascending=[True, False], kind="stable")
    changed = list(map(changed_options, table.index))
    axes, values = map("; ".join, changed), ("; ".join(one.values()) for one in changed)
    return table.reset_index(drop=True).assign(study=study, axis=list(axes), level=list(values))[list(LEVELS)]
