"""Whether the comparison shows every printed number: an anti-join of the two on key and value."""

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.comparison.counts import NOT_IN_THE_RUN
from reproduction.comparison.table import RESULT, kind_of
from reproduction.comparison.verdicts import APART, VERDICTS
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.published_values import KEY, MARKS, read_printed

CELL_COLUMNS = ("study", "file", *KEY, "column", "text", "value")
COLUMNS = ("study", "artefact", "quantity", "kind", "printed_cells", "printed_numbers", *VERDICTS, *APART)
LEFT_OUT = ("study", *KEY)
ALL = "all"
"""Stands for the study, artefact or quantity in a row of totals."""

_SHOWN = ("row", "verdict", "reason")


def printed_cells(study: str, published: str | Path | None) -> pd.DataFrame:
    """List the printed cells of a study, and the quantity and column of the comparison that show each.

    `published`: the file of the printed numbers. Returns: the columns of `CELL_COLUMNS`: first a row for each
    printed number, then one for each spread and mark. Raises `ResultsError`: as `printed.read_printed`.
    """
    printed = read_printed(published)
    if printed is None:
        return pd.DataFrame(columns=list(CELL_COLUMNS))
    cells = [
        printed.assign(column="published", text=printed["value"], value=printed["number"]),
        printed.assign(column="published_std", text=printed["spread"], value=printed["deviation"]),
        printed.assign(
            column="published",
            text=printed["mark"],
            value=printed["marked"],
            quantity=printed["quantity"].replace(MARKS),
        ),
    ]
    found = pd.concat(cells, ignore_index=True)
    found = found[found["text"] != ""].assign(study=study, file="/".join(Path(published).parts[-2:]))
    return found[list(CELL_COLUMNS)].reset_index(drop=True)


def shown_rows(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Find the row of the comparison that shows each printed cell.

    `cells`: rows of `printed_cells`. `comparison`: rows of `rows.read_comparison`. Returns: the cells with
    the columns ``verdict``, ``reason``, ``row`` (index in the comparison, −1 for none) and ``why`` (empty
    where the cell is shown, else what is wrong).
    """
    key = ["study", *KEY]
    first = comparison.assign(row=comparison.index, twice=comparison.duplicated(key, keep=False))
    first = first.drop_duplicates(key)[[*key, *_SHOWN, "published", "published_std", "twice"]]
    found = cells.merge(first, on=key, how="left").set_axis(cells.index)
    value = found["published"].where(found["column"] == "published", found["published_std"]).astype(float)
    is_equal = np.isclose(value, found["value"].astype(float), rtol=1e-9, atol=0)
    has_verdict = found["verdict"].isin((*VERDICTS, *APART)) & found["reason"].fillna("").str.strip().ne("")
    found["why"] = ""
    for fails, why in (
        (~has_verdict, "its row has no verdict or no reason"),
        (~is_equal, value.map("the row shows {:g}".format)),
        (found["twice"].eq(True), "two rows show it"),
        (found["row"].isna(), "no row shows it"),
    ):
        found["why"] = found["why"].mask(fails, why)
    found = found.fillna({"row": -1, "verdict": "none", "reason": ""})
    return found[[*cells.columns, *_SHOWN, "why"]].astype({"row": int})


def split_off(comparison: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split the comparison into what the run was asked for, and the keys of the printed numbers of the rest.

    Returns `asked`: rows of the comparison; `left_out`: the columns of `LEFT_OUT`.
    """
    is_beyond = (comparison["verdict"] == STATUS_NOT_OBTAINED) & (comparison["reason"] == NOT_IN_THE_RUN)
    left_out = comparison.loc[is_beyond, list(LEFT_OUT)]
    return comparison[~is_beyond].reset_index(drop=True), left_out.reset_index(drop=True)


def asked_cells(cells: pd.DataFrame, left_out: pd.DataFrame) -> pd.DataFrame:
    """Select the printed cells of what the run was asked for.

    `cells`: rows of `printed_cells`. `left_out`: as `split_off` returns it.
    """
    of_cells, of_rest = (
        pd.MultiIndex.from_frame(one[list(LEFT_OUT)].astype(str)) for one in (cells, left_out)
    )
    return cells[~of_cells.isin(of_rest)].reset_index(drop=True)


def not_shown(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """List the printed cells that the comparison does not show; ``why`` says what is wrong."""
    found = shown_rows(cells, comparison)
    return found[found["why"] != ""].reset_index(drop=True)


def coverage(cells: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Count the printed numbers of every quantity by their verdict.

    `cells`, `comparison`: as for `shown_rows`, which says which row counts. Returns: the columns of
    `COLUMNS`, a row for each quantity, and sums (`ALL`): for each kind of number and for all of a study, and
    of the run. A mean and its standard deviation are two cells and one number. A number that is not shown has
    no verdict. Empty where nothing is printed.
    """
    found = shown_rows(cells, comparison)
    is_number = found["column"] != "published_std"
    found = found.assign(kind=found["quantity"].map(kind_of), printed_cells=1, printed_numbers=is_number)
    for verdict in (*VERDICTS, *APART):
        found[verdict] = is_number & (found["why"] == "") & (found["verdict"] == verdict)
    parts = []
    for study, of_study in [*found.groupby("study", sort=False), (ALL, found.assign(study=ALL))]:
        of_kinds = of_study.assign(artefact=ALL, quantity=ALL)
        parts += [of_study] if study != ALL else []
        parts += [of_kinds, of_kinds.assign(kind=ALL)]
    groups = pd.concat(parts).groupby(["study", "artefact", "quantity", "kind"], sort=False)
    return groups[[*COLUMNS[4:]]].sum().astype(int).reset_index()


def totals(table: pd.DataFrame) -> list[str]:
    """Write the totals of each study in a line, results apart from the rest; empty if nothing is printed."""
    lines = []
    for row in table[(table["artefact"] == ALL) & (table["kind"] == RESULT)].to_dict("records"):
        name = "all studies" if row["study"] == ALL else row["study"]
        verdicts = "; ".join(f"{verdict} {row[verdict]}" for verdict in VERDICTS if row[verdict])
        lines.append(f"{name}: {row['printed_numbers']} results: {verdicts}")
        rest = table[(table["study"] == row["study"]) & (table["artefact"] == ALL)]
        rest = rest[~rest["kind"].isin((ALL, RESULT))]
        kinds = ", ".join(
            f"{one['kind'].replace('_', '-')} {one['printed_numbers']}" for one in rest.to_dict("records")
        )
        lines += [f"{name}, counted apart: {kinds}"] if kinds else []
    return lines
