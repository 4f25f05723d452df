"""The default specification of a study from its tables, where a test has no table of specifications."""

import pandas as pd

from reproduction.specs.labels import scaling_sort_key
from reproduction.specs.published_values import NUMBER_KEY

SOURCES = {
    "table4": ("sparsity_ratio",),
    "table5": ("map",),
    "table6": ("ndcg10",),
    "table1": ("pos_at_top", "rate_at_top", "variables"),
}
"""Table -> the quantities whose means it holds."""


def default_specification_rows(study):
    """Rows of multiverse.csv, the first block of features of each data set."""
    artefacts = {table.name for table in study.paper.tables}
    rows = []
    for artefact, quantities in SOURCES.items():
        if artefact not in artefacts:
            continue
        table = study.table(artefact).sort_values(
            "feature_scaling", key=lambda names: names.map(scaling_sort_key)
        )
        for row in table.drop_duplicates(["dataset", "method"]).to_dict("records"):
            rows += [
                dict(zip(NUMBER_KEY, (artefact, row["dataset"], row["method"], quantity), strict=True))
                | {"ours_mean": row[f"{quantity}_mean"], "ours_std": row[f"{quantity}_std"]}
                | {"splits": row["splits_used"], "zero_models": 0}
                for quantity in quantities
                if f"{quantity}_mean" in row and f"{quantity}_std" in row and row["dataset"] != "mean"
            ]
            if "decrease_percent" in row and row["dataset"] != "mean":
                key = (artefact, row["dataset"], row["method"], f"{quantities[0]}_decrease")
                decrease = 0.0 if row["relation"] == "best" else row["decrease_percent"]
                measured = {"ours_mean": decrease, "splits": row["splits_used"], "zero_models": 0}
                rows.append(dict(zip(NUMBER_KEY, key, strict=True)) | measured)
    merged = pd.DataFrame(rows).merge(
        study.published_values[[*NUMBER_KEY, "number", "deviation"]], on=NUMBER_KEY
    )
    merged = merged.rename(columns={"number": "published", "deviation": "published_std"})
    merged["default_mean"] = merged["ours_mean"]
    merged["default_std"] = merged["ours_std"]
    return merged.assign(study=study.name, specification="default", changes=0)
