"""Common parts of the tables of all studies: averages over splits, published values, files without blanks.

The same rows in any order give the same bytes: rows are sorted by identity before anything is summed, and
numbers are written in one fixed format. Only measured times differ from run to run; they stand in columns
whose names begin with ``seconds``.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.core.results import STATUS_NOT_OBTAINED, STATUS_NOT_RUN, read_text
from reproduction.specs.labels import method_sort_key, scaling_sort_key
from reproduction.specs.paper import Table, import_object

MISSING_WORDS = (
    STATUS_NOT_OBTAINED,
    STATUS_NOT_RUN,
    "not defined",
    "not published",
    "not known",
    "not compared",
    "one split",
    "none",
)
"""Words for a cell that has no number."""


@dataclass(frozen=True)
class TypedCsv:
    """The columns of a table's file.

    Attributes
    ----------
    columns : tuple of str
        In their order.
    text_columns : tuple of str
        Those that hold text.
    result_columns : tuple of str
        Those whose cells read "not obtained" or "not run" where the data are not there.
    """

    columns: tuple[str, ...]
    text_columns: tuple[str, ...]
    result_columns: tuple[str, ...]

    @classmethod
    def parse(cls, names: str) -> TypedCsv:
        """Read columns from their names: ``*`` marks text, ``+`` a result."""
        marked = names.split()
        text, measured = (tuple(n[:-1] for n in marked if n.endswith(mark)) for mark in "*+")
        return cls(tuple(name.rstrip("*+") for name in marked), text, measured)

    def to_frame(self, rows: list[dict]) -> pd.DataFrame:
        """Rows as a table with these columns, numbers as floats."""
        table = pd.DataFrame(rows).reindex(columns=list(self.columns))
        return table.astype({c: object if c in self.text_columns else float for c in self.columns})

    def write(self, table: pd.DataFrame, path: str | Path) -> None:
        """Write the table; a number has ten significant digits, and no cell is blank.

        A cell without a number says why: ``not obtained`` (the data), ``not run`` (not part of this run),
        ``not published_dataset``, ``not substitute_facts``, ``one split``. ``not defined``: the method does
        not minimise the objective, or no split gave a number.
        """
        text, rows = pd.DataFrame(index=table.index), table.to_dict("records")
        for column in self.columns:
            if column in self.text_columns:
                text[column] = [value if pd.notna(value) and value else "none" for value in table[column]]
            else:
                text[column] = [
                    f"{value:.10g}" if pd.notna(value) else self._word(row, column)
                    for value, row in zip(table[column], rows, strict=True)
                ]
        text.to_csv(path, index=False, lineterminator="\n")

    def read(self, path: str | Path) -> pd.DataFrame:
        """Read back what `write` wrote; words in columns of numbers become NaN."""
        table = read_text(path, self.columns)
        for column in table.columns.difference(self.text_columns):
            table[column] = table[column].where(~table[column].isin(MISSING_WORDS), "nan").astype(float)
        return table

    def _word(self, row: Mapping, column: str) -> str:
        """Say what stands in a cell that has no number."""
        if column.startswith("published_"):
            return "not published"
        if row.get("data_status") in (STATUS_NOT_OBTAINED, STATUS_NOT_RUN):
            return row["data_status"] if column in self.result_columns else "not known"
        if column.endswith("_std") and row["splits_used"] == 1:
            return "one split"
        return "not known" if column.startswith("data_") else "not defined"


@dataclass(frozen=True)
class PlainCsv:
    """The form of a table whose cells may be blank.

    Attributes
    ----------
    columns : str
        "module:name" of its columns, in their order; by default its rows have them.
    digits : int or None
        Significant digits of its floats; None: all that they have.
    absent : str
        What stands in a cell of a data frame that has no value.
    """

    columns: str = ""
    digits: int | None = 10
    missing_text: str = ""

    def write(self, rows: pd.DataFrame | Sequence[dict], path: str | Path) -> None:
        """Write rows, an integer without a point."""
        if isinstance(rows, pd.DataFrame):
            number = None if self.digits is None else f"%.{self.digits}g"
            rows.to_csv(path, index=False, float_format=number, na_rep=self.missing_text, lineterminator="\n")
            return
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            columns = import_object(self.columns) if self.columns else list(rows[0])
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows({name: self._text(value) for name, value in row.items()} for row in rows)

    def read(self, path: str | Path) -> pd.DataFrame:
        """Read back what `write` wrote."""
        return pd.read_csv(path, na_values=[self.missing_text] if self.missing_text else None)

    def _text(self, value):
        is_short = isinstance(value, float) and self.digits is not None
        return f"{value:.{self.digits}g}" if is_short else value


def experiment_table(experiment: str, name: str, columns: str, digits: int | None = 10) -> Table:
    """Make a table of the rows of an experiment; `columns` and `digits` as in `PlainCsv`."""
    return Table(name, lambda study: study.read_experiment(experiment, name), PlainCsv(columns, digits))


def look_up_data_facts(data: pd.DataFrame | None) -> dict[str, dict]:
    """Look up status, reason, size and what else it stands for, for each data set."""
    if data is None:
        return {}
    return {
        row["dataset"]: {
            "data_status": row["status"],
            "reason": row["reason"] or "none",
            "substitute_for": row.get("substitute_for") or "none",
            "variant_of": row.get("variant_of") or "none",
            "data_rows": pd.to_numeric(row.get("rows"), errors="coerce"),
            "data_features": pd.to_numeric(row.get("features"), errors="coerce"),
        }
        for row in data.to_dict("records")
    }


def average_splits(
    fits: pd.DataFrame, quantities: dict[str, str], required: str = "positives_at_top"
) -> dict:
    """Averages over the splits of one data set, feature scaling and method.

    `fits`: the chosen fits. `quantities`: column of the fits -> how its mean and standard deviation are
    called. `required`: a fit without a number in this column is left out. Returns: of a data set that
    was not obtained, only the reason.
    """
    if (fits["status"] == STATUS_NOT_OBTAINED).all():
        return {
            "data_status": STATUS_NOT_OBTAINED,
            "reason": fits["message"].iloc[0] or "no reason given",
            "splits": 0,
            "splits_used": 0,
            "statuses": STATUS_NOT_OBTAINED,
            "chosen": "none",
        }
    with_number = fits[fits[required].notna()]
    norms = with_number["weight_norm"].dropna()
    row = {}
    for column, name in quantities.items():
        row |= {f"{name}_mean": with_number[column].mean(), f"{name}_std": with_number[column].std(ddof=1)}
    return row | {
        "splits": len(fits),
        "splits_used": len(with_number),
        "relative_gap_median": with_number["relative_gap"].median(),
        "relative_gap_max": with_number["relative_gap"].max(),
        "n_iter_median": with_number["n_iter"].median(),
        "statuses": count_values(fits["status"]),
        "chosen": count_values(fits["params"].map(format_params)),
        "constant_share": (norms == 0).mean() if len(norms) else np.nan,
    }


def count_values(values: pd.Series) -> str:
    """Count values as text in alphabetical order: ``max_iterations: 7, stopped: 3``."""
    return ", ".join(f"{value}: {count}" for value, count in values.value_counts().sort_index().items())


def format_params(params: str) -> str:
    """Write hyper-parameters as ``alpha=0.01 rho=0.1``."""
    values = json.loads(params) if params else {}
    words = [f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in sorted(values.items())]
    return " ".join(words) or "none"


def summarise_diagnosis(diagnosis: pd.DataFrame | None, dataset: str, feature_scaling: str) -> dict:
    """Median λ_max, and the share of splits where w = 0 is the optimum."""
    if diagnosis is None:
        return {}
    rows = diagnosis[(diagnosis["dataset"] == dataset) & (diagnosis["feature_scaling"] == feature_scaling)]
    is_zero_optimal = rows["zero_is_optimal"].dropna().astype(float)
    return {
        "lambda_max_median": rows["lambda_max"].median(),
        "zero_optimal_share": is_zero_optimal.mean() if len(is_zero_optimal) else np.nan,
    }


def build_method_table(
    form: TypedCsv,
    fits: pd.DataFrame,
    data: pd.DataFrame | None,
    diagnosis: pd.DataFrame | None,
    published: pd.DataFrame | None,
    published_columns: Sequence[str],
    feature_scaling: str,
    summarise_methods: Callable[[pd.DataFrame], Mapping[str, dict]],
) -> pd.DataFrame:
    """Make a table of data sets, feature scalings and methods, the published numbers beside ours.

    `fits`: rows of `results.read_fits`. `data`, `diagnosis`: rows of `results.read_data` and
    `results.read_diagnosis`. `published`: a published row for each data set and method; these always have a
    row in the table. `published_dataset`: columns of `published` that stand beside ours. `feature_scaling`:
    feature block of what was not run. `summarise_methods`: fits of a data set and feature scaling -> what was
    measured of each method. Returns: the columns of `form`, NaN where a number is not defined.
    """
    facts, rows = look_up_data_facts(data), []
    study = fits["study"].iloc[0] if len(fits) else "none"
    for (dataset, scaling), dataset_fits in fits.groupby(["dataset", "feature_scaling"], sort=True):
        for method, summary in summarise_methods(dataset_fits).items():
            row = {"study": study, "dataset": dataset, "feature_scaling": scaling, "method": method}
            row |= {"data_status": "obtained", "reason": "none"} | facts.get(dataset, {})
            rows.append(row | summary | summarise_diagnosis(diagnosis, dataset, scaling))
    rows += list_missing_rows(rows, published, facts, study, feature_scaling)
    return sort_as_published(
        add_published_values(form.to_frame(rows), published, published_columns), published
    )


def list_missing_rows(
    rows: list[dict], published: pd.DataFrame | None, facts: dict, study: str, feature_scaling: str
) -> list[dict]:
    """Rows for the published results that this run holds no fit of."""
    if published is None:
        return []
    cases_run = {(row["dataset"], row["method"]) for row in rows}
    added = []
    for dataset, method in zip(published["dataset"], published["method"], strict=True):
        if (dataset, method) in cases_run:
            continue
        row = {
            "study": study,
            "dataset": dataset,
            "feature_scaling": feature_scaling,
            "method": method,
        } | facts.get(dataset, {})
        substitutes = [
            name for name, substitute_facts in facts.items() if substitute_facts["substitute_for"] == dataset
        ]
        if substitutes and dataset not in facts:
            reason = f"not public; its declared substitute is {', '.join(substitutes)}"
            row |= {"data_status": STATUS_NOT_OBTAINED, "reason": reason}
        elif row.get("data_status") != STATUS_NOT_OBTAINED:
            row |= {"data_status": STATUS_NOT_RUN, "reason": "not part of this run's configuration"}
        added.append(row | {"splits": 0, "splits_used": 0, "statuses": row["data_status"], "chosen": "none"})
    return added


def add_published_values(
    table: pd.DataFrame, published: pd.DataFrame | None, quantities: Sequence[str]
) -> pd.DataFrame:
    """Put published values beside ours; a substitute or another variant has those that it stands for."""
    claims = [name for name in ("substitute_for", "variant_of") if name in table]
    table[claims] = table[claims].fillna("none")
    table["published_dataset"] = "none"
    if published is None:
        return table
    sizes = published.drop_duplicates("dataset").set_index("dataset")
    candidates = table[["dataset", *claims]].to_numpy()
    names = [next((name for name in row if name in sizes.index), "none") for row in candidates]
    table["published_dataset"] = names
    table[["published_rows", "published_features"]] = sizes.reindex(names)[
        ["rows", "features_count"]
    ].to_numpy()
    keys = pd.MultiIndex.from_arrays([names, table["method"]])
    published_rows = published.set_index(["dataset", "method"]).reindex(keys)
    return table.assign(**{f"published_{q}": published_rows[q].to_numpy() for q in quantities})


def sort_as_published(table: pd.DataFrame, published: pd.DataFrame | None) -> pd.DataFrame:
    """Order rows as the paper does (a substitute after its original), then other data sets by name."""
    datasets = [] if published is None else list(dict.fromkeys(published["dataset"]))

    def key(i: int) -> tuple:
        row = table.loc[i]
        published_dataset = row.get("published_dataset", row["dataset"])
        position = datasets.index(published_dataset) if published_dataset in datasets else len(datasets)
        is_other = row["dataset"] != published_dataset
        return (
            position,
            is_other,
            row["dataset"],
            scaling_sort_key(row["feature_scaling"]),
            method_sort_key(row["method"]),
        )

    return table.loc[sorted(table.index, key=key)].reset_index(drop=True)
