"""Times are compared as factors between methods, since print comes from another machine."""

import math
from itertools import combinations

import pandas as pd

from reproduction.comparison.counts import missing_number_reason
from reproduction.comparison.table import FACTOR_COLUMNS, SECONDS, comparison_rows, quantity_kind
from reproduction.comparison.verdicts import DIFFERS_FROM_PUBLISHED, MATCHES, NO_VERDICT
from reproduction.core.formatting import format_short
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_label
from reproduction.specs.published_values import NUMBER_KEY
from reproduction.specs.study_results import Study

SECONDS_TEXT = """
{% for one in factors %}{{ one.published }} times the seconds of {{ one.other }} as published,
{{ one.ours }} here
{%- if not loop.last %}; {% endif %}{% endfor %}
{%- if not factors %}no other method has both times{% endif %}
"""


def compare_seconds(study: Study, ours: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Set the factors between the times of the methods beside the published ones.

    Parameters
    ----------
    study : Study
        Study with published numbers.
    ours : pd.DataFrame
        mean, std and splits by data set and method.

    Returns
    -------
    rows : DataFrame
        Rows of the comparison, without a verdict.
    factors : DataFrame
        The columns of `table.FACTOR_COLUMNS`: a row a data set and pair of methods; it is as published where
        the same method is the faster one.
    """
    times = study.published_values[study.published_values["quantity"].map(quantity_kind) == SECONDS]
    keys = pd.MultiIndex.from_frame(times[["dataset", "method"]])
    # Ours beside each published time; NaN where there is none.
    times = times.assign(study=study.name, **ours.reindex(keys).set_index(times.index))
    factors = pd.DataFrame(
        [
            pair
            for _, dataset_times in times.groupby(["artefact", "dataset"], sort=False)
            for pair in _compare_pairs(dataset_times)
        ],
        columns=list(FACTOR_COLUMNS),
    )
    rows = []
    # Seconds of another machine and year have no margin: only their order, in `factors`, has a verdict.
    for row in times.to_dict("records"):
        has_time = not math.isnan(row["mean"])
        comparison_row = {name: row[name] for name in ("study", *NUMBER_KEY, "splits")}
        comparison_row |= {"published": row["number"], "published_std": row["deviation"]}
        comparison_row |= {"ours_mean": row["mean"], "ours_std": row["std"]}
        comparison_row["shown_in"] = f"{study.name}/{row['artefact']}.csv: {row['dataset']}, {row['method']}"
        reason = (
            _explain_factors(row, times)
            if has_time
            else missing_number_reason(study, row["dataset"], row["method"])
        )
        rows.append(
            comparison_row | {"verdict": NO_VERDICT if has_time else STATUS_NOT_OBTAINED, "reason": reason}
        )
    return comparison_rows(rows), factors


def _compare_pairs(times: pd.DataFrame) -> list[dict]:
    """Compare the methods of one data set, two at a time, in the order of the paper."""
    pairs = []
    for first, second in combinations(times[times["mean"].notna()].to_dict("records"), 2):
        published, ours = first["number"] / second["number"], first["mean"] / second["mean"]
        pairs.append(
            {name: first[name] for name in ("study", "artefact", "dataset", "method")}
            | {"other": second["method"], "published": published, "ours": ours}
            # Only the order is judged: whether both ratios of the two times lie on the same side of 1.
            | {"verdict": MATCHES if (published > 1) == (ours > 1) else DIFFERS_FROM_PUBLISHED}
        )
    return pairs


def _explain_factors(row: dict, times: pd.DataFrame) -> str:
    """Write the factors from one method to every other one of its data set."""
    dataset_times = times[(times["dataset"] == row["dataset"]) & (times["artefact"] == row["artefact"])]
    rivals = dataset_times[(dataset_times["method"] != row["method"]) & dataset_times["mean"].notna()]
    factors = [
        {
            "other": method_label(rival["method"]),
            "published": format_short(row["number"] / rival["number"]),
            "ours": format_short(row["mean"] / rival["mean"]),
        }
        for rival in rivals.to_dict("records")
    ]
    return fill_template(SECONDS_TEXT, {"factors": factors})
