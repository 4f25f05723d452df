"""What moved between two runs: measured numbers that differ by more than their spread.

A number has moved if it differs by more than one standard deviation of the old run. Without a deviation (a
single split, a rank, a deviation of zero) the limit is 1e-6 of the number. The spread of a verified gap is
the tolerance of its case. Seconds depend on the machine: their ratios are compared and listed apart.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

RELATIVE = 1e-6
"""Relative difference that a number without a spread may have."""

FACTOR = 2.0
"""Factor by which a time may differ."""

MEASURABLE = 0.01
"""Seconds below which a time is not compared."""

KEYS = ("artefact", "dataset", "features", "measure", "solver", "method", "quantity", "noise", "rows", "case")
"""Columns that name a row, as far as a table has them."""

WITHOUT_SPREAD = {"ranks": ("mean_rank",)}
"""Table of a study -> its numbers that have no spread."""

NEVER_READ = ("fits", "queries", "made")
"""Files of a study that hold no averages, and many rows."""

NAMED = ["study", "table", "row", "quantity"]
COLUMNS = [*NAMED, "mean", "std", "said"]
MOVED_COLUMNS = ["kind", *NAMED, "old", "old_std", "new", "new_std", "size"]
MOVED, VERDICT, VANISHED, APPEARED, SECONDS = "moved", "verdict", "vanished", "appeared", "seconds"
KINDS = {
    MOVED: "Moved beyond the spread",
    VERDICT: "Verdicts that changed",
    VANISHED: "Vanished",
    APPEARED: "Appeared",
    SECONDS: "Times, and verdicts on them, that changed",
}
"""Kinds of change, in the order in which they are listed, and how they are called."""

OF_THE_RUN = "run"
"""Stands for the study in rows of the whole run."""

EVERY = "every table"


class RunError(ValueError):
    """A folder lacks a part of a run; the message is one sentence with the remedy."""


def numbers(folder: str | Path) -> pd.DataFrame:
    """Read every averaged number of a run, and every verdict.

    `folder`: the results of a run, or a snapshot of them. Returns: study, table, row (what names it),
    quantity, mean, std (NaN: no spread), and said: the verdict, in rows that have no mean. A cell without a
    number (not obtained, not run) has no row. Raises `RunError`: if there is no comparison.csv.
    """
    folder = Path(folder)
    if not (folder / "comparison.csv").is_file():
        raise RunError(
            f"{folder} holds no comparison.csv: name the folder of a finished run or of a snapshot."
        )
    rows = [*_of_comparison(folder / "comparison.csv")]
    if (folder / "verification.csv").is_file():
        rows += _of_verification(folder / "verification.csv")
    for path in sorted(folder.glob("*/*.csv")):
        if path.stem not in NEVER_READ:
            rows += _of_table(path)
    found = pd.DataFrame(rows, columns=COLUMNS)
    twice = found.groupby(NAMED).cumcount()
    found["row"] += np.where(twice > 0, " #" + (twice + 1).astype(str), "")
    return found[found["mean"].notna() | (found["said"] != "")].reset_index(drop=True)


def quantities_of(columns: list[str], table: str) -> dict[str, tuple[str, str | None]]:
    """Find the averaged numbers of a table: name -> columns of the mean and of its deviation.

    Printed numbers are none of them, nor are ours beside them, which `numbers` reads from the comparison, nor
    means without a deviation, which are there to explain others.
    """
    found = {
        name.removesuffix("_mean"): (name, f"{name.removesuffix('_mean')}_std")
        for name in columns
        if name.endswith("_mean") and f"{name.removesuffix('_mean')}_std" in columns
    }
    found |= {"mean": ("mean", "std")} if {"mean", "std"} <= set(columns) else {}
    found |= {name: (name, None) for name in WITHOUT_SPREAD.get(table, ()) if name in columns}
    return {name: pair for name, pair in found.items() if name != "ours" and not name.startswith("printed_")}


def moved(old: pd.DataFrame, new: pd.DataFrame, factor: float = FACTOR) -> pd.DataFrame:
    """List what differs between two runs by more than its spread.

    `old`, `new`: rows of `numbers`. `factor`: by which a time may differ. Returns: kind (of `KINDS`, in their
    order), study, table, row, quantity, old, old_std, new, new_std and size. The size is the distance in
    deviations of the old run, relative to the old number where it has no deviation, or the ratio of two
    times. A study that
    one run lacks is one row. Raises `RunError`: if the factor is not above 1.
    """
    if not factor > 1:
        raise RunError(f"A time may differ by a factor above 1, and not of {factor:g}: name a larger one.")
    rows = []
    for study in sorted(set(old["study"]) ^ set(new["study"])):
        kind = VANISHED if study in set(old["study"]) else APPEARED
        rows.append({"kind": kind, "study": study, "table": EVERY})
    both = set(old["study"]) & set(new["study"])
    joined = old[old["study"].isin(both)].merge(
        new[new["study"].isin(both)], how="outer", on=NAMED, suffixes=("_old", "_new"), indicator=True
    )
    for row in joined.to_dict("records"):
        kind, size = _change(row, factor)
        if kind:
            rows.append({"kind": kind, "size": size} | {name: row[name] for name in NAMED} | _shown(row))
    table = pd.DataFrame(rows, columns=MOVED_COLUMNS)
    order = table["kind"].map({kind: i for i, kind in enumerate(KINDS)})
    return table.iloc[np.lexsort((np.arange(len(table)), order))].reset_index(drop=True)


def of_part(old: pd.DataFrame, new: pd.DataFrame, before: Mapping, part: Mapping) -> tuple:
    """Keep the comparable rows of two runs if the new one is a part of the old one.

    `old`, `new`: rows of `numbers`. `before`, `part`: their configurations. Returns `old, new`: the old one
    without what was not run. A study of fewer splits has other averages: it is left out. Ranks and verdicts
    depend on all data sets and methods: they are left out of a study with fewer.
    """
    shorter, narrower = set(), set()
    for study in part["run"]:
        theirs, ours = before["studies"].get(study, {}), part["studies"][study]
        if ours["splits"] < theirs.get("splits", 0):
            shorter.add(study)
        lists = ((theirs.get(key, ()), ours.get(key, ())) for key in ("datasets", "methods", "beyond"))
        if not ours.get("table", True) or any(not set(all_of) <= set(some) for all_of, some in lists):
            narrower.add(study)

    def told(rows: pd.DataFrame) -> pd.DataFrame:
        on_all = rows["table"].isin(WITHOUT_SPREAD) | (rows["said"] != "")
        left_out = rows["study"].isin(shorter) | (rows["study"].isin(narrower) & on_all)
        return rows[rows["study"].isin([*part["run"], OF_THE_RUN]) & ~left_out]

    new = told(new)
    run = pd.MultiIndex.from_frame(old[NAMED]).isin(pd.MultiIndex.from_frame(new[NAMED]))
    return told(old[run]), new


def sentences(table: pd.DataFrame, most: int = 40) -> list[str]:
    """Write what moved: for each kind a heading and at most so many lines; one line if nothing did."""
    lines = []
    for kind, heading in KINDS.items():
        block = table[table["kind"] == kind]
        if len(block):
            lines.append(f"{heading}: {len(block)}")
            lines += [f"  {_sentence(row)}" for row in block.head(most).to_dict("records")]
            lines += [f"  and {len(block) - most} more"] if len(block) > most else []
    return lines or ["Nothing moved beyond its spread."]


def _of_comparison(path: Path) -> Iterator[dict]:
    table = _read(path)
    for _, row in table.iterrows():
        named = {"study": row["study"], "table": "comparison", "row": _name(row, without=("quantity",))}
        spread = {"mean": _number(row["ours_mean"]), "std": _number(row["ours_std"]), "said": ""}
        yield named | {"quantity": row["quantity"]} | spread
        verdict = {"quantity": f"{row['quantity']}: verdict", "mean": np.nan, "said": row["verdict"]}
        yield named | verdict | {"std": np.nan}


def _of_verification(path: Path) -> Iterator[dict]:
    for _, row in _read(path).iterrows():
        named = {"study": OF_THE_RUN, "table": "verification", "row": f"{row['method']}, {row['case']}"}
        gap = {"mean": _number(row["relative_gap"]), "std": _number(row["tolerance"]), "said": ""}
        yield named | {"quantity": "relative_gap"} | gap
        said = "passed" if row["passed"].strip().lower() in ("true", "1") else "failed"
        yield named | {"quantity": "verdict", "mean": np.nan, "std": np.nan, "said": said}


def _of_table(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as file:
        head = file.readline().strip().split(",")
    quantities = quantities_of(head, path.stem)
    if not quantities:
        return
    for _, row in _read(path).iterrows():
        named = {"study": path.parent.name, "table": path.stem, "row": _name(row)}
        of_times = "seconds_" if row.get("measure", "").startswith("seconds") else ""
        for quantity, (mean, std) in quantities.items():
            spread = _number(row[std]) if std else np.nan
            found = {"quantity": of_times + quantity, "mean": _number(row[mean]), "std": spread}
            yield named | found | {"said": ""}


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _name(row: pd.Series, without: tuple[str, ...] = ()) -> str:
    return ", ".join(str(row[key]) for key in KEYS if key in row.index and key not in without)


def _number(cell: str) -> float:
    """Read a number; a word is none."""
    return float(pd.to_numeric(cell, errors="coerce"))


def _change(row: dict, factor: float) -> tuple[str, float]:
    """Name the kind of a change and its size; "" where there is none."""
    if row["_merge"] != "both":
        return (VANISHED if row["_merge"] == "left_only" else APPEARED), np.nan
    is_time = row["quantity"].startswith("seconds")
    if row["said_old"] or row["said_new"]:
        kind = SECONDS if is_time else VERDICT
        return (kind if row["said_old"] != row["said_new"] else ""), np.nan
    before, after = row["mean_old"], row["mean_new"]
    if is_time:
        ratio = after / before if before else np.inf
        is_other = max(before, after) >= MEASURABLE and not 1 / factor < ratio < factor
        return (SECONDS if is_other else ""), ratio
    has_spread = row["std_old"] > 0
    allowed = row["std_old"] if has_spread else RELATIVE * max(abs(before), abs(after))
    distance = 0.0 if before == after else abs(after - before)
    scale = row["std_old"] if has_spread else abs(before) or np.nan
    return (MOVED if not distance <= allowed else ""), distance / scale


def _shown(row: dict) -> dict:
    """Return both numbers with their spreads, or both verdicts."""
    shown = {f"{run}_std": row[f"std_{run}"] for run in ("old", "new")}
    for run in ("old", "new"):
        said = row[f"said_{run}"]
        shown[run] = said if isinstance(said, str) and said else row[f"mean_{run}"]
    return shown


def _sentence(row: dict) -> str:
    if row["table"] == EVERY:
        return f"{row['study']}: {EVERY}"
    named = f"{row['study']}, {row['table']}: {row['row']}: {row['quantity']}"
    texts = [_with_spread(row[run], row[f"{run}_std"]) for run in ("old", "new")]
    if row["kind"] in (VANISHED, APPEARED):
        return f"{named} {texts[row['kind'] == APPEARED]}"
    size = row["size"]
    if pd.isna(size):
        return f"{named} {texts[0]} → {texts[1]}"
    if row["kind"] == SECONDS:
        return f"{named} {texts[0]} → {texts[1]} (× {size:.3g})"
    unit = "deviations" if row["old_std"] > 0 else "of itself"
    return f"{named} {texts[0]} → {texts[1]} ({size:.3g} {unit})"


def _with_spread(value: float | str, std: float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.6g}" if pd.isna(std) else f"{value:.6g} ± {std:.3g}"
