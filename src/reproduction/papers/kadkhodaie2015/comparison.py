"""The published numbers of K15 beside ours, and its two marks: ● better at the top, ★ faster."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from reproduction.comparison.counts import compare_counts, missing_number_reason
from reproduction.comparison.results import compare_results, note_zero_models
from reproduction.comparison.seconds import compare_seconds
from reproduction.comparison.table import Comparison, comparison_rows
from reproduction.comparison.verdicts import DIFFERS_FROM_PUBLISHED, MATCHES, UNMARKED
from reproduction.core.formatting import format_short
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_label, scaling_sort_key
from reproduction.specs.published_values import MARK_QUANTITIES
from reproduction.specs.study_results import Study

MARK_COLUMNS = {"pos_at_top": "mark_best", "seconds": "mark_fast"}
"""Quantity beside which the paper has a mark -> the column of our Table 1 with the mark of this run."""

MARK_REASON = """
the mark follows the decimal exponents of the means: {% for mean in means %}{{ mean.label }} {{ mean.ours }}
(published {{ mean.published }}){% if not loop.last %}, {% endif %}{% endfor %}
"""


def compare(study: Study) -> Comparison:
    """Compare the published values of K15 with those of this run: results, counts, seconds and marks.

    Parameters
    ----------
    study : Study

    Returns
    -------
    Comparison
    """
    counts = compare_counts(study.name, study.published_values, study.data)
    compared = compare_results(study, study.table("multiverse"), counts)
    # K15 prints one number for each data set: it stands beside the features as distributed
    table = select_default_scaling(study.table("table1"))
    times = table.set_index(["dataset", "method"])[["seconds_mean", "seconds_std", "splits_used"]]
    seconds, factors = compare_seconds(study, times.set_axis(["mean", "std", "splits"], axis=1))
    # a model w = 0 ranks nothing: note this at its times and significance marks
    seconds_and_marks = note_zero_models(pd.concat([seconds, compare_marks(study, table)]), compared.rows)
    rows = pd.concat([compared.rows, counts, seconds_and_marks], ignore_index=True)
    return replace(compared, rows=rows, factors=factors)


def select_default_scaling(table: pd.DataFrame) -> pd.DataFrame:
    """Select for each data set and method the features as distributed, or the first feature scaling there is.

    Parameters
    ----------
    table : DataFrame
        Table 1.

    Returns
    -------
    DataFrame
        One row of the table for each data set and method, in the table's order.
    """
    order = table.sort_values("feature_scaling", key=lambda names: names.map(scaling_sort_key), kind="stable")
    return order.drop_duplicates(["dataset", "method"]).sort_index()


def compare_marks(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    """Compare the published marks, and their absence, with those of this run's means by the same rule.

    Parameters
    ----------
    study : Study
    table : DataFrame
        Table 1 with one feature scaling.

    Returns
    -------
    DataFrame
        Rows of the comparison. A cell that is marked in neither has the verdict `UNMARKED`, not an agreement.
    """
    ours = table.set_index(["dataset", "method"])
    rows = []
    for published_row in study.published_values[study.published_values["mark"] != ""].to_dict("records"):
        key, column = (
            (published_row["dataset"], published_row["method"]),
            MARK_COLUMNS[published_row["quantity"]],
        )
        # the mark of this run: "0" or "1", or why there is none
        cell = ours[column].get(key, "")
        mark_row = {
            "study": study.name,
            "artefact": published_row["artefact"],
            "dataset": key[0],
            "method": key[1],
        }
        mark_row |= {
            "quantity": MARK_QUANTITIES[published_row["quantity"]],
            "published": published_row["marked"],
        }
        mark_row["shown_in"] = f"{study.name}/{published_row['artefact']}.csv: {key[0]}, {key[1]}"
        if cell not in ("0", "1"):
            rows.append(
                mark_row | {"verdict": STATUS_NOT_OBTAINED, "reason": missing_number_reason(study, *key)}
            )
            continue
        marked = float(cell)
        # A mark that stands in neither table says little: most cells have none, so it is counted apart.
        verdict = (
            DIFFERS_FROM_PUBLISHED if marked != published_row["marked"] else MATCHES if marked else UNMARKED
        )
        reason = _describe_means(ours.loc[[key[0]]], published_row["quantity"])
        rows.append(mark_row | {"ours_mean": marked, "verdict": verdict, "reason": reason})
    return comparison_rows(rows)


def _describe_means(dataset_rows: pd.DataFrame, quantity: str) -> str:
    """Write the means behind the marks of one data set, this run's and the published ones."""
    pairs = dataset_rows[[f"{quantity}_mean", f"published_{quantity}_mean"]].dropna()
    means = [
        {"label": method_label(method), "ours": format_short(ours), "published": format_short(published)}
        for (_, method), ours, published in pairs.itertuples(name=None)
    ]
    return fill_template(MARK_REASON, {"means": means})
