"""The printed counts of each data set beside the counts of the files and the splits."""

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.comparison.table import as_rows
from reproduction.comparison.verdicts import OTHER, SAME
from reproduction.core.results import to_numbers
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.csv_tables import counts as counted
from reproduction.specs.published_values import DATA, data_counts

TRAINING, TEST, WHOLE = "rows of a training part", "rows of a test part", "rows of the whole data set"
"""Further meanings of a printed count, beside the columns of the table of data sets."""

Meanings = Mapping[str, tuple[str, Mapping[str, str]]]
"""Quantity -> what it counts, and what it counts instead on some of the data sets."""

COUNTED = ("rows", "features", "positives", "negatives")
"""Columns of the table of data sets that are read here."""

NOT_IN_THE_RUN = "not part of this run's configuration"

OF_COUNT = """
{% if ours == printed %}the count is equal{% elif same %}equal up to the last printed digit, which is rounded
or cut off{% else %}we count {{ ours }} where {{ printed }} is printed{% endif %}
{%- if meaning %} ({{ meaning }}){% endif %}{% for note in notes %}; {{ note }}{% endfor %}
"""

SUBSTITUTED = "not obtained; {names} is its declared substitute with other data"


def compare_counts(
    study: str,
    printed: pd.DataFrame,
    data: pd.DataFrame,
    train_rows: Mapping[str, float] | None = None,
    meanings: Meanings | None = None,
) -> pd.DataFrame:
    """Set the printed counts of each data set beside ours.

    `printed`: rows of `printed.read_printed`. `data`: rows of `results.read_data`. `train_rows`: data set ->
    rows of the training parts of its splits. `meanings`: what the paper counts beyond the columns of `data`.
    Returns: rows of the comparison, the method is "data": one a printed count.
    """
    columns = dict.fromkeys([*data.columns, *COUNTED, "note"])
    found = to_numbers(data.reindex(columns=list(columns), fill_value=""), COUNTED, "data.csv")
    found = found.set_index("dataset")
    rows = []
    for dataset, printed_counts in data_counts(printed).iterrows():
        meant = {name: others.get(dataset, usual) for name, (usual, others) in (meanings or {}).items()}
        absent = reason_of_data(dataset, data)
        for quantity, count in printed_counts.dropna().items():
            meaning = meant.get(quantity, "")
            known = {} if absent else found.loc[dataset]
            ours = _ours(quantity, meaning, known, (train_rows or {}).get(dataset, math.nan))
            notes = [] if absent else [known[name] for name in ("reason", "note")]
            row = {"study": study, "artefact": "table1", "dataset": dataset, "quantity": quantity}
            row |= {"published": count, "shown_in": f"data.csv: {dataset}"}
            rows.append(row | judge_count(count, ours, absent, notes, meaning))
    return as_rows(rows)


def judge_count(
    printed: float, ours: float, absent: str, notes: list[str], meaning: str = "", allowed: float = 0.0
) -> dict:
    """Compare a count: it must be equal, an average up to its last printed digit.

    `absent`: why there is none of ours. `notes`: what is special about the files. `meaning`: what is counted.
    `allowed`: a smaller difference is one of rounding. Returns: method, ours_mean, verdict and reason of a
    row of the comparison.
    """
    row = {"method": DATA, "ours_mean": ours}
    if math.isnan(ours):
        return row | {"verdict": STATUS_NOT_OBTAINED, "reason": absent or NOT_IN_THE_RUN}
    same = ours == printed or abs(ours - printed) < allowed
    said = [note.rstrip(".") for note in notes if note not in ("", "none")]
    facts = {"printed": f"{printed:.10g}", "ours": f"{ours:.10g}", "same": same}
    reason = fill_template(OF_COUNT, facts | {"meaning": meaning, "notes": said})
    return row | {"verdict": SAME if same else OTHER, "reason": reason}


def other_data(counts: pd.DataFrame, dataset: str) -> str:
    """Say how the counts of a data set differ from those that are printed; empty where none does.

    `counts`: rows of the comparison: the counts of the data.
    """
    differs = counts[(counts["dataset"] == dataset) & (counts["verdict"] == OTHER)]
    return ", ".join(
        f"{row['quantity'].removesuffix('_count').replace('_', ' ')} {row['ours_mean']:.10g} "
        f"({row['published']:.10g})"
        for row in differs.to_dict("records")
    )


def rows_of_training_parts(fits: pd.DataFrame) -> dict[str, float]:
    """Count the rows of the training parts of each data set, as the chosen fits saw them."""
    chosen = fits[fits["role"] == "chosen"]
    rows = chosen["n_train_positives"] + chosen["n_train_negatives"]
    return rows.groupby(chosen["dataset"]).median().dropna().to_dict()


def reason_of_data(dataset: str, data: pd.DataFrame) -> str:
    """Say why a data set gives no number; empty where it is there.

    `data`: rows of `results.read_data`.
    """
    known = data[data["dataset"] == dataset]
    stand_in = data.get("substitute_for", pd.Series("", index=data.index)) == dataset
    if known.empty:
        names = ", ".join(data.loc[stand_in, "dataset"])
        return SUBSTITUTED.format(names=names) if names else NOT_IN_THE_RUN
    row = known.iloc[0]
    return (
        (row["reason"] or "no reason given") if row["status"] in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN) else ""
    )


def why_absent(study: Study, dataset: str, method: str) -> str:
    """Say why a data set and method of a study have no number: the data, the run, or how its fits ended."""
    said = reason_of_data(dataset, study.data)
    if said:
        return said
    fits = study.fits
    of_method = fits[(fits["dataset"] == dataset) & (fits["method"] == method) & (fits["role"] == "chosen")]
    if of_method.empty:
        return NOT_IN_THE_RUN
    return f"no split gave a number; the {len(of_method)} fits ended as {counted(of_method['status'])}"


def _ours(quantity: str, meaning: str, row: Mapping, train: float) -> float:
    """Return our number for a printed count; NaN if the run does not know it."""
    if not len(row):
        return math.nan
    of_rows = {TRAINING: train, TEST: row["rows"] - train, WHOLE: row["rows"]}
    column = quantity.removesuffix("_count")
    return of_rows[meaning] if meaning else row[column] if column in COUNTED else math.nan
