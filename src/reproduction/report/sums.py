"""A run in a few tables: results and claims by verdict, universes, fits and the largest effects."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from reproduction.claim import counts
from reproduction.comparison.rows import RESULT
from reproduction.comparison.verdicts import (
    AGREES,
    COMPATIBLE,
    EXPLAINED,
    NOT_DECIDABLE,
    NOT_OBTAINED,
    UNEXPLAINED,
    VERDICTS,
)
from reproduction.labels import method_key, method_label
from reproduction.multiverse import DEFAULT
from reproduction.printed import KEY

MOST = 10
"""Effects that are listed."""

MARKS = {AGREES: "=", COMPATIBLE: "≈", EXPLAINED: "←", UNEXPLAINED: "≠", NOT_DECIDABLE: "?"}
"""Mark of a verdict behind a number."""


def sums(results: str | Path, studies: Sequence[str]) -> dict[str, pd.DataFrame | dict]:
    """Sum up a finished run.

    `results`: folder of the results. Returns: ``results``: a row a study and quantity, a column a verdict;
    ``numbers``: what `beside_printed` gives; ``claims``: study -> verdict -> count; ``costs``: a row a study;
    ``effects``: the rows of `largest_effects`. A table that the run does not have is empty.
    """
    results = Path(results)
    comparison, claims = _read(results / "comparison.csv"), _read(results / "claims.csv")
    multiverse = pd.concat([_read(results / name / "multiverse.csv") for name in studies], ignore_index=True)
    return {
        "results": by_verdict(comparison),
        "numbers": beside_printed(comparison),
        "claims": counts(claims) if len(claims) else {},
        "costs": pd.DataFrame([_cost(results, name) for name in studies]),
        "effects": largest_effects(multiverse, comparison),
    }


def by_verdict(comparison: pd.DataFrame) -> pd.DataFrame:
    """Count the printed results of each study and quantity by verdict."""
    if "kind" not in comparison:
        return pd.DataFrame()
    rows = comparison[comparison["kind"] == RESULT]
    table = pd.crosstab([rows["study"], rows["quantity"]], rows["verdict"])
    return table.reindex(columns=list(VERDICTS), fill_value=0).reset_index()


def beside_printed(comparison: pd.DataFrame) -> list[dict]:
    """Put the results of each study and quantity into a table, with the printed ones and a mark.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Rows of the comparison.

    Returns
    -------
    list of dict
        ``study``, ``quantity``, ``table`` (a row a data set, a column a method, cells of text), ``lacking``
        (the data sets of which no number was obtained).
    """
    if "kind" not in comparison:
        return []
    found, rows = [], comparison[comparison["kind"] == RESULT]
    for (study, quantity), block in rows.groupby(["study", "quantity"], sort=False):
        block = block.assign(cell=[_cell(row) for row in block.to_dict("records")])
        table = block.pivot(index="dataset", columns="method", values="cell").fillna("")
        table = table.reindex(index=block["dataset"].unique(), columns=sorted(table, key=method_key))
        has = block.groupby("dataset", sort=False)["verdict"].agg(lambda given: (given != NOT_OBTAINED).any())
        table, lacking = table[has[table.index]].rename(columns=method_label), list(has.index[~has])
        found.append({"study": study, "quantity": quantity, "table": table, "lacking": lacking})
    return found


def _cell(row: dict) -> str:
    """Write our number, the printed one in parentheses and the verdict, with the level that explains."""
    if row["verdict"] == NOT_OBTAINED:
        return "-"
    ours, printed = (
        _mean(row[mean], row[std])
        for mean, std in (("ours_mean", "ours_std"), ("published", "published_std"))
    )
    level = f" {row['universe']}" if row["verdict"] == EXPLAINED and row["universe"] != DEFAULT else ""
    return f"{ours} ({printed}) {MARKS[row['verdict']]}{level}"


def _mean(mean: float | str, std: float | str) -> str:
    """Write a mean with three digits, and with two its standard deviation where there is one."""
    spread = pd.to_numeric(std, errors="coerce")
    digits = [
        f"{number:.{places}g}" if number < 99.5 else f"{number:.0f}"
        for number, places in ((float(mean), 3), (spread, 2))
    ]
    return " ± ".join(digits[: 2 if pd.notna(spread) else 1])


def largest_effects(multiverse: pd.DataFrame, comparison: pd.DataFrame, most: int = MOST) -> pd.DataFrame:
    """List the single levels that move a number farthest, in margins of the verdict.

    `multiverse`: rows of the studies' tables of universes. `comparison`: rows of the comparison, which have
    the margins. `most`: how many; of each axis and number the level that moves it most. Returns: study,
    dataset, method, quantity, axis, level, published, default_mean, ours_mean, margins.
    """
    if multiverse.empty or "margin" not in comparison:
        return pd.DataFrame()
    margins = comparison[["study", *KEY, "margin"]]
    rows = multiverse[(multiverse["changes"] == 1) & multiverse["ours_mean"].notna()]
    rows = rows[rows["universe"] != DEFAULT].merge(margins, on=["study", *KEY])
    moved = (rows["ours_mean"] - rows["default_mean"]).abs() / pd.to_numeric(rows["margin"], errors="coerce")
    rows = rows.assign(margins=moved).join(rows["universe"].str.extract(r"^(?P<axis>[^=]+)=(?P<level>.*)$"))
    rows = rows[rows["margins"].notna()].sort_values("margins", ascending=False, kind="stable")
    rows = rows.drop_duplicates(["study", *KEY, "axis"]).head(most)
    named = ["study", "dataset", "method", "quantity", "axis", "level"]
    return rows[[*named, "published", "default_mean", "ours_mean", "margins"]]


def _cost(results: Path, study: str) -> dict:
    """Count the fits and universes of a study, and add up their minutes."""
    fits = _read(results / study / "fits.csv", usecols=["status", "seconds"])
    ran = fits[fits["status"] != "not obtained"]
    multiverse, more = (
        _read(results / study / "multiverse.csv"),
        _read(results / study / "multiverse_cost.csv"),
    )
    return {
        "study": study,
        "fits": len(ran),
        "minutes": pd.to_numeric(ran["seconds"], errors="coerce").sum() / 60,
        "universes": multiverse["universe"].nunique() if len(multiverse) else 0,
        "numbers": len(multiverse),
        "more_fits": int(more["fits"].sum()) if len(more) else 0,
        "more_minutes": more["seconds"].sum() / 60 if len(more) else 0.0,
    }


def _read(path: Path, **options) -> pd.DataFrame:
    """Read a table of a run; an empty one where it was not made."""
    return pd.read_csv(path, low_memory=False, **options) if path.is_file() else pd.DataFrame()
