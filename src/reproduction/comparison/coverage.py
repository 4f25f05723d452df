"""Whether the comparison shows every published number: an anti-join of the two on key and value."""

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.comparison.counts import EXCLUDED_TEXT
from reproduction.comparison.table import RESULT, quantity_kind
from reproduction.comparison.verdicts import NON_RESULT_VERDICTS, VERDICTS
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.published_values import MARK_QUANTITIES, NUMBER_KEY, read_published_values

CELL_COLUMNS = ("study", "file", *NUMBER_KEY, "column", "text", "value")
COVERAGE_COLUMNS = (
    *("study", "artefact", "quantity", "kind", "published_cells", "published_numbers"),
    *(*VERDICTS, *NON_RESULT_VERDICTS),
)
EXCLUDED_KEY = ("study", *NUMBER_KEY)
TOTAL = "all"
"""Stands for the study, artefact or quantity in a row of totals."""

_VERDICT_COLUMNS = ("row", "verdict", "reason")


def list_published_cells(study: str, published: str | Path | None) -> pd.DataFrame:
    """List the published cells of a study, and the quantity and column of the comparison that show each.

    Parameters
    ----------
    study : str
        Name of the study.
    published : str or Path
        The file of the published numbers, or None.

    Returns
    -------
    pd.DataFrame
        The columns of `CELL_COLUMNS`: first a row for each published number, then one for each spread and
        mark.

    Raises
    ------
    ResultsError
        As `published_values.read_published_values`.
    """
    values = read_published_values(published)
    if values is None:
        return pd.DataFrame(columns=list(CELL_COLUMNS))
    # A published cell may hold three things, which the comparison shows in three places: the number, its
    # spread after ±, and a mark such as ★ (a quantity of its own).
    cells = [
        values.assign(column="published", text=values["value"], value=values["number"]),
        values.assign(column="published_std", text=values["spread"], value=values["deviation"]),
        values.assign(
            column="published",
            text=values["mark"],
            value=values["marked"],
            quantity=values["quantity"].replace(MARK_QUANTITIES),
        ),
    ]
    table = pd.concat(cells, ignore_index=True)
    table = table[table["text"] != ""].assign(study=study, file="/".join(Path(published).parts[-2:]))
    return table[list(CELL_COLUMNS)].reset_index(drop=True)


def _match_cells(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Add to each published cell the row of the comparison that shows it (−1: none), and what is wrong."""
    key = ["study", *NUMBER_KEY]
    # Duplicates are found before one of each key is kept, since the join must not multiply the published
    # cells.
    compared = comparison.assign(row=comparison.index, is_duplicate=comparison.duplicated(key, keep=False))
    compared = compared.drop_duplicates(key)[
        [*key, *_VERDICT_COLUMNS, "published", "published_std", "is_duplicate"]
    ]
    matched = cells.merge(compared, on=key, how="left").set_axis(cells.index)
    value = (
        matched["published"].where(matched["column"] == "published", matched["published_std"]).astype(float)
    )
    # Both sides are the same decimal text, read twice: only the last bits may differ.
    is_equal = np.isclose(value, matched["value"].astype(float), rtol=1e-9, atol=0)
    has_verdict = matched["verdict"].isin((*VERDICTS, *NON_RESULT_VERDICTS)) & matched["reason"].fillna(
        ""
    ).str.strip().ne("")
    matched["why"] = ""
    # The most fundamental fault comes last and overwrites the others: without a row nothing else can be said.
    for is_wrong, why in (
        (~has_verdict, "its row has no verdict or no reason"),
        (~is_equal, value.map("the row shows {:g}".format)),
        (matched["is_duplicate"].eq(True), "two rows show it"),
        (matched["row"].isna(), "no row shows it"),
    ):
        matched["why"] = matched["why"].mask(is_wrong, why)
    matched = matched.fillna({"row": -1, "verdict": "none", "reason": ""})
    return matched[[*cells.columns, *_VERDICT_COLUMNS, "why"]].astype({"row": int})


def split_requested(comparison: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split the comparison into the requested part and the keys of the other published numbers.

    Parameters
    ----------
    comparison : pd.DataFrame
        Rows of `table.read_comparison`.

    Returns
    -------
    requested : DataFrame
        Rows of the comparison.
    excluded : DataFrame
        The columns of `EXCLUDED_KEY`.
    """
    is_excluded = (comparison["verdict"] == STATUS_NOT_OBTAINED) & (comparison["reason"] == EXCLUDED_TEXT)
    excluded = comparison.loc[is_excluded, list(EXCLUDED_KEY)]
    return comparison[~is_excluded].reset_index(drop=True), excluded.reset_index(drop=True)


def select_requested_cells(cells: pd.DataFrame, excluded: pd.DataFrame) -> pd.DataFrame:
    """Select the published cells that the run was asked for.

    Parameters
    ----------
    cells : pd.DataFrame
        Rows of `list_published_cells`.
    excluded : pd.DataFrame
        Keys as `split_requested` returns them.

    Returns
    -------
    pd.DataFrame
        The cells whose key is not excluded.
    """
    cell_keys, excluded_keys = (
        pd.MultiIndex.from_frame(table[list(EXCLUDED_KEY)].astype(str)) for table in (cells, excluded)
    )
    return cells[~cell_keys.isin(excluded_keys)].reset_index(drop=True)


def list_missing_cells(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """List the published cells that the comparison does not show.

    Parameters
    ----------
    cells : pd.DataFrame
        Rows of `list_published_cells`.
    comparison : pd.DataFrame
        Rows of `table.read_comparison`.

    Returns
    -------
    pd.DataFrame
        Rows of `_match_cells`, whose ``why`` says what is wrong.
    """
    matched = _match_cells(cells, comparison)
    return matched[matched["why"] != ""].reset_index(drop=True)


def count_coverage(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Count the published numbers of every quantity by their verdict.

    Parameters
    ----------
    cells : pd.DataFrame
        Rows of `list_published_cells`.
    comparison : pd.DataFrame
        Rows of `table.read_comparison`; `_match_cells` says which row counts.

    Returns
    -------
    pd.DataFrame
        The columns of `COVERAGE_COLUMNS`, a row for each quantity, and sums (`TOTAL`): for each kind of
        number and for all of a study, and of the run. A mean and its standard deviation are two cells and one
        number. A number that is not shown has no verdict. Empty where nothing is published.
    """
    matched = _match_cells(cells, comparison)
    # Two counts: a spread is a cell that must be shown, but it has no verdict of its own.
    is_number = matched["column"] != "published_std"
    matched = matched.assign(
        kind=matched["quantity"].map(quantity_kind), published_cells=1, published_numbers=is_number
    )
    for verdict in (*VERDICTS, *NON_RESULT_VERDICTS):
        matched[verdict] = is_number & (matched["why"] == "") & (matched["verdict"] == verdict)
    parts = []
    for study, study_cells in [*matched.groupby("study", sort=False), (TOTAL, matched.assign(study=TOTAL))]:
        kind_cells = study_cells.assign(artefact=TOTAL, quantity=TOTAL)
        parts += [study_cells] if study != TOTAL else []
        parts += [kind_cells, kind_cells.assign(kind=TOTAL)]
    groups = pd.concat(parts).groupby(["study", "artefact", "quantity", "kind"], sort=False)
    return groups[[*COVERAGE_COLUMNS[4:]]].sum().astype(int).reset_index()


def format_totals(table: pd.DataFrame) -> list[str]:
    """Write the totals of each study in a line, results apart.

    Parameters
    ----------
    table : pd.DataFrame
        Rows of `count_coverage`.

    Returns
    -------
    list[str]
        The lines; empty if nothing is published.
    """
    lines = []
    for row in table[(table["artefact"] == TOTAL) & (table["kind"] == RESULT)].to_dict("records"):
        name = "all studies" if row["study"] == TOTAL else row["study"]
        verdicts = "; ".join(f"{verdict} {row[verdict]}" for verdict in VERDICTS if row[verdict])
        lines.append(f"{name}: {row['published_numbers']} results: {verdicts}")
        other_kinds = table[(table["study"] == row["study"]) & (table["artefact"] == TOTAL)]
        other_kinds = other_kinds[~other_kinds["kind"].isin((TOTAL, RESULT))]
        kinds = ", ".join(
            f"{kind_row['kind'].replace('_', '-')} {kind_row['published_numbers']}"
            for kind_row in other_kinds.to_dict("records")
        )
        lines += [f"{name}, counted separately: {kinds}"] if kinds else []
    return lines
