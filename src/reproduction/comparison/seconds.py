"""Times are compared as factors between methods, since print comes from another machine."""

import math
from itertools import combinations

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.comparison.counts import why_absent
from reproduction.comparison.table import FACTORS, as_rows, kind_of
from reproduction.comparison.table import SECONDS as KIND
from reproduction.comparison.verdicts import NO_VERDICT, OTHER, SAME
from reproduction.core.formatting import format_short
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import method_label
from reproduction.specs.published_values import KEY

OF_SECONDS = """
{% for one in factors %}{{ one.printed }} times the seconds of {{ one.other }} in print, {{ one.ours }} here
{%- if not loop.last %}; {% endif %}{% endfor %}
{%- if not factors %}no other method has both times{% endif %}
"""


def compare_seconds(study: Study, ours: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Set the factors between the times of the methods beside the printed ones.

    `study`: with printed numbers. `ours`: mean, std and splits by data set and method. Returns `rows`: rows
    of the comparison, without a verdict; `factors`: the columns of `rows.FACTORS`: a row a data set and pair
    of methods; it is as published where the same method is the faster one.
    """
    times = study.published_values[study.published_values["quantity"].map(kind_of) == KIND]
    keys = pd.MultiIndex.from_frame(times[["dataset", "method"]])
    times = times.assign(study=study.name, **ours.reindex(keys).set_index(times.index))
    factors = pd.DataFrame(
        [pair for _, of_set in times.groupby(["artefact", "dataset"], sort=False) for pair in _pairs(of_set)],
        columns=list(FACTORS),
    )
    rows = []
    for row in times.to_dict("records"):
        has = not math.isnan(row["mean"])
        found = {name: row[name] for name in ("study", *KEY, "splits")}
        found |= {"published": row["number"], "published_std": row["deviation"]}
        found |= {"ours_mean": row["mean"], "ours_std": row["std"]}
        found["shown_in"] = f"{study.name}/{row['artefact']}.csv: {row['dataset']}, {row['method']}"
        reason = _said(row, times) if has else why_absent(study, row["dataset"], row["method"])
        rows.append(found | {"verdict": NO_VERDICT if has else STATUS_NOT_OBTAINED, "reason": reason})
    return as_rows(rows), factors


def _pairs(times: pd.DataFrame) -> list[dict]:
    """Compare the methods of one data set, two at a time, in the order of the paper."""
    found = []
    for first, second in combinations(times[times["mean"].notna()].to_dict("records"), 2):
        printed, ours = first["number"] / second["number"], first["mean"] / second["mean"]
        found.append(
            {name: first[name] for name in ("study", "artefact", "dataset", "method")}
            | {"other": second["method"], "printed": printed, "ours": ours}
            | {"verdict": SAME if (printed > 1) == (ours > 1) else OTHER}
        )
    return found


def _said(row: dict, times: pd.DataFrame) -> str:
    """Write the factors from one method to every other one of its data set."""
    of_set = times[(times["dataset"] == row["dataset"]) & (times["artefact"] == row["artefact"])]
    others = of_set[(of_set["method"] != row["method"]) & of_set["mean"].notna()]
    factors = [
        {
            "other": method_label(other["method"]),
            "printed": format_short(row["number"] / other["number"]),
            "ours": format_short(row["mean"] / other["mean"]),
        }
        for other in others.to_dict("records")
    ]
    return fill_template(OF_SECONDS, {"factors": factors})
