"""The published counts of each data set beside the counts of the files and the splits."""

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.comparison.table import comparison_rows
from reproduction.comparison.verdicts import DIFFERS_FROM_PUBLISHED, MATCHES
from reproduction.core.results import to_numbers
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED, STATUS_NOT_RUN
from reproduction.specs.method_tables import count_values
from reproduction.specs.published_values import DATA_COUNT, pivot_counts
from reproduction.specs.study_results import Study

TRAIN_ROWS, TEST_ROWS, ALL_ROWS = (
    "rows of a training part",
    "rows of a test part",
    "rows of the whole data set",
)
"""Further meanings of a published count, beside the columns of the table of data sets."""

CountMeanings = Mapping[str, tuple[str, Mapping[str, str]]]
"""Quantity -> what it counts, and what it counts instead on some of the data sets."""

COUNT_COLUMNS = ("rows", "features", "positives", "negatives")
"""Columns of the table of data sets that are read here."""

EXCLUDED_TEXT = "not part of this run's configuration"

COUNT_TEXT = """
{% if ours == published %}the count is equal{% elif same %}equal up to the last published digit, which is
rounded or cut off{% else %}we count {{ ours }} where {{ published }} is published{% endif %} {%- if meaning
%} ({{ meaning }}){% endif %}{% for note in notes %}; {{ note }}{% endfor %}
"""

SUBSTITUTE_TEXT = "not obtained; {names} is its declared substitute with other data"


def compare_counts(
    study: str,
    published: pd.DataFrame,
    data: pd.DataFrame,
    train_rows: Mapping[str, float] | None = None,
    meanings: CountMeanings | None = None,
) -> pd.DataFrame:
    """Set the published counts of each data set beside ours.

    Parameters
    ----------
    study : str
        Name of the study.
    published : pd.DataFrame
        Rows of `published_values.read_published_values`.
    data : pd.DataFrame
        Rows of `results.read_data`.
    train_rows : Mapping[str, float], optional
        Data set -> rows of the training parts of its splits.
    meanings : CountMeanings, optional
        What the paper counts beyond the columns of `data`.

    Returns
    -------
    pd.DataFrame
        Rows of the comparison, one a published count; the method is "data".
    """
    columns = dict.fromkeys([*data.columns, *COUNT_COLUMNS, "note"])
    # A table of data of an earlier run may lack a column: it is filled with an empty text, which becomes NaN.
    counts_of = to_numbers(data.reindex(columns=list(columns), fill_value=""), COUNT_COLUMNS, "data.csv")
    counts_of = counts_of.set_index("dataset")
    rows = []
    for dataset, published_counts in pivot_counts(published).iterrows():
        # What a paper counts can differ by data set: R12's second count is the size of the whole set on some,
        # of the test part on others.
        meanings_here = {
            name: exceptions.get(dataset, meaning_usually)
            for name, (meaning_usually, exceptions) in (meanings or {}).items()
        }
        missing_reason = _explain_missing_data(dataset, data)
        for quantity, count in published_counts.dropna().items():
            meaning = meanings_here.get(quantity, "")
            our_counts = {} if missing_reason else counts_of.loc[dataset]
            ours = _our_count(quantity, meaning, our_counts, (train_rows or {}).get(dataset, math.nan))
            notes = [] if missing_reason else [our_counts[name] for name in ("reason", "note")]
            row = {"study": study, "artefact": "table1", "dataset": dataset, "quantity": quantity}
            row |= {"published": count, "shown_in": f"data.csv: {dataset}"}
            rows.append(row | judge_count(count, ours, missing_reason, notes, meaning))
    return comparison_rows(rows)


def judge_count(
    published: float,
    ours: float,
    missing_reason: str,
    notes: list[str],
    meaning: str = "",
    allowed: float = 0.0,
) -> dict:
    """Compare a count: it must be equal, an average up to its last published digit.

    Parameters
    ----------
    published : float
        The published count.
    ours : float
        Our count; NaN where there is none.
    missing_reason : str
        Why there is none of ours.
    notes : list[str]
        What is special about the files.
    meaning : str, optional
        What is counted.
    allowed : float, optional
        A smaller difference is one of rounding.

    Returns
    -------
    dict
        method, ours_mean, verdict and reason of a row of the comparison.
    """
    row = {"method": DATA_COUNT, "ours_mean": ours}
    if math.isnan(ours):
        return row | {"verdict": STATUS_NOT_OBTAINED, "reason": missing_reason or EXCLUDED_TEXT}
    # Strictly less: `allowed` is one unit of the last published digit, and an average that is printed as 57
    # may have been rounded (56.5 to 57.5) or cut off (57 to 58).
    is_same = ours == published or abs(ours - published) < allowed
    # Notes are put into a sentence of their own, separated by semicolons.
    sentences = [note.rstrip(".") for note in notes if note not in ("", "none")]
    facts = {"published": f"{published:.10g}", "ours": f"{ours:.10g}", "same": is_same}
    reason = fill_template(COUNT_TEXT, facts | {"meaning": meaning, "notes": sentences})
    return row | {"verdict": MATCHES if is_same else DIFFERS_FROM_PUBLISHED, "reason": reason}


def format_differing_counts(counts: pd.DataFrame, dataset: str) -> str:
    """Write how the counts of a data set differ from the published ones.

    Parameters
    ----------
    counts : pd.DataFrame
        Rows of the comparison that are counts of the data.
    dataset : str
        Name of the data set.

    Returns
    -------
    str
        Our counts, the published ones in parentheses; empty where none differs.
    """
    differing = counts[(counts["dataset"] == dataset) & (counts["verdict"] == DIFFERS_FROM_PUBLISHED)]
    return ", ".join(
        f"{row['quantity'].removesuffix('_count').replace('_', ' ')} {row['ours_mean']:.10g} "
        f"({row['published']:.10g})"
        for row in differing.to_dict("records")
    )


def count_training_rows(fits: pd.DataFrame) -> dict[str, float]:
    """Count the rows of the training parts of each data set, as the chosen fits saw them.

    Parameters
    ----------
    fits : pd.DataFrame
        Collected fits of a study.

    Returns
    -------
    dict[str, float]
        Data set -> median number of rows.
    """
    chosen = fits[fits["role"] == "chosen"]
    rows = chosen["n_train_positives"] + chosen["n_train_negatives"]
    # Splits into whole groups differ in size: the median stands for all.
    return rows.groupby(chosen["dataset"]).median().dropna().to_dict()


def _explain_missing_data(dataset: str, data: pd.DataFrame) -> str:
    """Say why a data set gives no number; empty where it is there."""
    rows = data[data["dataset"] == dataset]
    is_substitute = data.get("substitute_for", pd.Series("", index=data.index)) == dataset
    if rows.empty:
        names = ", ".join(data.loc[is_substitute, "dataset"])
        return SUBSTITUTE_TEXT.format(names=names) if names else EXCLUDED_TEXT
    row = rows.iloc[0]
    return (
        (row["reason"] or "no reason given") if row["status"] in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN) else ""
    )


def missing_number_reason(study: Study, dataset: str, method: str) -> str:
    """Say why a data set and method of a study have no number: the data, the run, or how its fits ended.

    Parameters
    ----------
    study : Study
        Study with its fits.
    dataset : str
        Name of the data set.
    method : str
        Name of the method.

    Returns
    -------
    str
        The reason.
    """
    reason = _explain_missing_data(dataset, study.data)
    if reason:
        return reason
    fits = study.fits
    chosen = fits[(fits["dataset"] == dataset) & (fits["method"] == method) & (fits["role"] == "chosen")]
    if chosen.empty:
        return EXCLUDED_TEXT
    return f"no split gave a number; the {len(chosen)} fits ended as {count_values(chosen['status'])}"


def _our_count(quantity: str, meaning: str, row: Mapping, n_train: float) -> float:
    """Return our number for a published count; NaN if the run does not know it."""
    if not len(row):
        return math.nan
    row_counts = {TRAIN_ROWS: n_train, TEST_ROWS: row["rows"] - n_train, ALL_ROWS: row["rows"]}
    column = quantity.removesuffix("_count")
    return row_counts[meaning] if meaning else row[column] if column in COUNT_COLUMNS else math.nan
