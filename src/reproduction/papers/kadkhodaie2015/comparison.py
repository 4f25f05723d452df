"""The published numbers of K15 beside ours, and its two marks: ● better at the top, ★ faster."""

from __future__ import annotations

import pandas as pd

from reproduction.collection.study_results import Study
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

COLUMNS = {"pos_at_top": "mark_best", "seconds": "mark_fast"}
"""Quantity beside which a mark is published -> the column of Table 1 that holds ours."""

OF_MARK = """
the mark follows the decimal exponents of the means: {% for one in means %}{{ one.label }} {{ one.ours }}
(published {{ one.published }}){% if not loop.last %}, {% endif %}{% endfor %}
"""


def compare(study: Study) -> Comparison:
    """Set everything that the paper prints beside ours."""
    counts = compare_counts(study.name, study.published_values, study.data)
    results, options = compare_results(study, study.table("multiverse"), counts)
    table = default_features(study.table("table1"))
    times = table.set_index(["dataset", "method"])[["seconds_mean", "seconds_std", "splits_used"]]
    seconds, factors = compare_seconds(study, times.set_axis(["mean", "std", "splits"], axis=1))
    apart = note_zero_models(pd.concat([seconds, compare_marks(study, table)]), results)
    return Comparison(pd.concat([results, counts, apart], ignore_index=True), options, factors)


def default_features(table: pd.DataFrame) -> pd.DataFrame:
    """Keep of every data set and method the features as distributed, or the first block that there is."""
    order = table.sort_values("feature_scaling", key=lambda names: names.map(scaling_sort_key), kind="stable")
    return order.drop_duplicates(["dataset", "method"]).sort_index()


def compare_marks(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    """Set every published mark, and that none is published, beside ours.

    `table`: table 1 with one feature scaling. Returns: rows of the comparison. Where neither is marked,
    nothing agrees.
    """
    ours = table.set_index(["dataset", "method"])
    rows = []
    for row in study.published_values[study.published_values["mark"] != ""].to_dict("records"):
        key, column = (row["dataset"], row["method"]), COLUMNS[row["quantity"]]
        cell = ours[column].get(key, "")
        found = {"study": study.name, "artefact": row["artefact"], "dataset": key[0], "method": key[1]}
        found |= {"quantity": MARK_QUANTITIES[row["quantity"]], "published": row["marked"]}
        found["shown_in"] = f"{study.name}/{row['artefact']}.csv: {key[0]}, {key[1]}"
        if cell not in ("0", "1"):
            rows.append(
                found | {"verdict": STATUS_NOT_OBTAINED, "reason": missing_number_reason(study, *key)}
            )
            continue
        marked = float(cell)
        verdict = DIFFERS_FROM_PUBLISHED if marked != row["marked"] else MATCHES if marked else UNMARKED
        said = _means(ours.loc[[key[0]]], row["quantity"])
        rows.append(found | {"ours_mean": marked, "verdict": verdict, "reason": said})
    return comparison_rows(rows)


def _means(of_set: pd.DataFrame, quantity: str) -> str:
    both = of_set[[f"{quantity}_mean", f"published_{quantity}_mean"]].dropna()
    means = [
        {"label": method_label(method), "ours": format_short(ours), "published": format_short(published)}
        for (_, method), ours, published in both.itertuples(name=None)
    ]
    return fill_template(OF_MARK, {"means": means})
