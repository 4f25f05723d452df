"""The option of a choice that recovers a published number, and its effect on the other numbers of the paper.

Among many specifications some recover a number by chance. So an explanation changes one option of the
defaults, two at most, and must recover more numbers of the paper than it loses.
"""

from collections.abc import Mapping

import pandas as pd

from reproduction.comparison.verdicts import AGREES, DIFFERS, REPRODUCED, Judgement, Mean, judge_result
from reproduction.core.results import ResultsError
from reproduction.specs.multiverse import DEFAULT, changed_options
from reproduction.specs.published_values import NUMBER_KEY

MAX_CHANGES = 2
_NUMBER_COLUMNS = ("ours_mean", "ours_std", "splits", "zero_models")
INPUT_COLUMNS = (*NUMBER_KEY, "published", "published_std", "specification", "changes", *_NUMBER_COLUMNS)
"""Columns that are read from the table of specifications."""

OPTION_EFFECT_COLUMNS = ("study", "choice", "option", "changes", "compared", "recovered", "lost", "explains")
"""`compared`: numbers that the default and the option both decide; `explains`: how many numbers name it."""


def check_multiverse(multiverse: pd.DataFrame, study: str) -> pd.DataFrame:
    """Check the table of specifications.

    Parameters
    ----------
    multiverse : pd.DataFrame
        One row a published number and specification.
    study : str
        Name of the study, for the message.

    Returns
    -------
    pd.DataFrame
        The columns of `INPUT_COLUMNS`, our numbers as floats.

    Raises
    ------
    ResultsError
        If a column is missing, a specification stands twice for a number, or a cell holds no number.
    """
    missing_columns = [name for name in INPUT_COLUMNS if name not in multiverse]
    if missing_columns:
        raise ResultsError(
            f"{study}/multiverse.csv lacks the column {missing_columns[0]!r}: run the rule that writes it "
            "again."
        )
    duplicates = multiverse[multiverse.duplicated([*NUMBER_KEY, "specification"])]
    for row in duplicates.head(1).to_dict("records"):
        raise ResultsError(
            f"{study}/multiverse.csv has the specification {row['specification']!r} twice for "
            f"{row['quantity']} of "
            f"{row['dataset']}, {row['method']}: each published number has one row a specification."
        )
    numbers = multiverse[list(_NUMBER_COLUMNS)].apply(pd.to_numeric, errors="coerce").astype(float)
    is_invalid = numbers.isna() & multiverse[list(_NUMBER_COLUMNS)].notna()
    for name in is_invalid.columns[is_invalid.any()]:
        value = multiverse.loc[is_invalid[name], name].iloc[0]
        raise ResultsError(
            f"{study}/multiverse.csv: column {name!r} holds {value!r} where a number or nothing should stand."
        )
    return multiverse[list(INPUT_COLUMNS)].assign(**numbers)


def add_verdicts(
    multiverse: pd.DataFrame, published: pd.DataFrame, margins: Mapping[tuple, float], published_splits: int
) -> pd.DataFrame:
    """Judge every specification of every published number.

    Parameters
    ----------
    multiverse : pd.DataFrame
        Rows of `check_multiverse`.
    published : pd.DataFrame
        Rows of `published_values.read_published_values`.
    margins : Mapping[tuple, float]
        Key of a published number -> its margin.
    published_splits : int
        Number of random splits of a published mean; 0 where the folds are fixed.

    Returns
    -------
    pd.DataFrame
        The rows of the published numbers with at most `MAX_CHANGES`, with ``judgement`` and ``verdict``.
    """
    numbers = published[[*NUMBER_KEY, "number", "deviation"]]
    rows = multiverse[multiverse["changes"] <= MAX_CHANGES].merge(numbers, on=NUMBER_KEY)
    rows["judgement"] = [
        _judge_row(row, margins[tuple(row[name] for name in NUMBER_KEY)], published_splits)
        for row in rows.to_dict("records")
    ]
    return rows.assign(verdict=[judgement.verdict for judgement in rows["judgement"]])


def _judge_row(row: Mapping, margin: float, published_splits: int) -> Judgement:
    """Judge our number in one specification."""
    published = Mean(row["number"], row["deviation"], published_splits)
    return judge_result(
        published, Mean(row["ours_mean"], row["ours_std"], row["splits"]), margin, published_splits > 0
    )


def net_effects(rows: pd.DataFrame) -> pd.DataFrame:
    """Count for every specification how many numbers of the paper it recovers, and how many it loses.

    Parameters
    ----------
    rows : pd.DataFrame
        Rows of `add_verdicts`.

    Returns
    -------
    pd.DataFrame
        A row a specification but the default, by its name: changes, compared, recovered, lost, balance.
    """
    default = rows.loc[rows["specification"] == DEFAULT, [*NUMBER_KEY, "verdict"]]
    compared = rows[rows["specification"] != DEFAULT].merge(default, on=NUMBER_KEY, suffixes=("", "_default"))
    default_reproduced, reproduced = (
        compared["verdict_default"].isin(REPRODUCED),
        compared["verdict"].isin(REPRODUCED),
    )
    default_differs, differs = compared["verdict_default"].eq(DIFFERS), compared["verdict"].eq(DIFFERS)
    effects = compared.assign(
        compared=(default_reproduced | default_differs) & (reproduced | differs),
        recovered=default_differs & reproduced,
        lost=default_reproduced & differs,
    )
    totals = effects.groupby("specification", sort=False).agg(
        changes=("changes", "first"),
        compared=("compared", "sum"),
        recovered=("recovered", "sum"),
        lost=("lost", "sum"),
    )
    return totals.assign(balance=totals["recovered"] - totals["lost"])


def find_explanation(specifications: pd.DataFrame) -> pd.Series | None:
    """Find the specification that explains a number which differs.

    Parameters
    ----------
    specifications : pd.DataFrame
        The rows of `add_verdicts` of one published number but the default, with the columns of `net_effects`.

    Returns
    -------
    pd.Series | None
        The row of the specification: one in which the number agrees before one in which it is consistent,
        then one with fewer options changed, then one with the better balance. None where no specification
        that recovers more than it loses recovers the number.
    """
    helpful = specifications[specifications["verdict"].isin(REPRODUCED) & (specifications["balance"] > 0)]
    if helpful.empty:
        return None
    order = helpful.assign(agrees=helpful["verdict"] == AGREES)
    order = order.sort_values(
        ["agrees", "changes", "balance", "specification"], ascending=[False, True, False, True], kind="stable"
    )
    return order.iloc[0]


def option_effects(study: str, effects: pd.DataFrame, explaining: pd.Series) -> pd.DataFrame:
    """List the options with the numbers that they recover and lose, the best balance first.

    Parameters
    ----------
    study : str
        Name of the study.
    effects : pd.DataFrame
        Rows of `net_effects`.
    explaining : pd.Series
        The specifications that the rows of the comparison name.

    Returns
    -------
    pd.DataFrame
        The columns of `OPTION_EFFECT_COLUMNS`: every single option, and of the pairs those that explain a
        number.
    """
    counts = explaining.value_counts()
    table = effects.assign(explains=[int(counts.get(name, 0)) for name in effects.index])
    table = table[(table["changes"] == 1) | (table["explains"] > 0)]
    table = table.sort_values(["changes", "balance"], ascending=[True, False], kind="stable")
    changes = list(map(changed_options, table.index))
    choices_text, options_text = map("; ".join, changes), ("; ".join(options.values()) for options in changes)
    return table.reset_index(drop=True).assign(
        study=study, choice=list(choices_text), option=list(options_text)
    )[list(OPTION_EFFECT_COLUMNS)]
