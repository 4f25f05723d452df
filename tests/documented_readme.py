"""Sentences of README.md on the choice of a method: ``python tests/documented_readme.py``."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from documented_across import FOLDER, decimal, read
from documented_answers import describe_loss, read_chance
from documented_decisions import compare_on_compounds, list_compounds, name_method

from reproduction.papers.across.decisions import ROPE

LISTS = Path(__file__).resolve().parents[1] / "docs/depth_of_lists.csv"
EXAMPLE = "diabetes"
MANY_POSITIVES = "100 positives or more to learn from"
FEW_POSITIVES = "fewer than 50 positives to learn from"
METRICS = ("rate_at_top", "average_precision")


def describe_top_loss(folder: Path = FOLDER) -> str:
    """Write how TopPush at depth 1 compares with logistic regression, at the top of the lists and below."""
    gains = read("facts", folder)["gain_rate_at_top"].dropna()
    return (
        f"On {len(gains)} lists its rate at the top (the share of the positives that score above every "
        f"negative) is higher by more than .01 on {int((gains > ROPE).sum())} and lower on "
        f"{int((gains < -ROPE).sum())} (by chance higher on {read_chance('top-pays', folder)['mean']}), its "
        f"average precision is lower by {describe_loss('average_precision', folder)} on average, and its "
        f"precision at 10 by {describe_loss('precision_at_10', folder)}."
    )


def describe_compounds(folder: Path = FOLDER) -> str:
    """Write on how many lists of compounds TopPush at depth 1 gains, and in which metric alone."""
    compounds = list_compounds(folder)
    gains = read("facts", folder).set_index("dataset").loc[compounds, "gain_rate_at_top"]
    study = folder.parent / "across_scaffolds"
    return (
        f"On compounds it is higher on {int((gains > ROPE).sum())} of {len(compounds)} lists, but other "
        f"metrics show no clear gain (BEDROC {compare_on_compounds('bedroc', folder)}, average precision "
        f"{compare_on_compounds('average_precision', folder)}, the enrichment in the first 1 % "
        f"{compare_on_compounds('enrichment_at_percent', folder)}), and with scaffold splits the rate at the "
        f"top is {compare_on_compounds('rate_at_top', study)}."
    )


def describe_depth(folder: Path = FOLDER) -> str:
    """Write what a tuned depth removes of the loss, and that it adds nothing; with an example."""
    gains = read("depth_gains", folder)["logistic_average_precision"].dropna()
    chance = read_chance("tuned-depth-beats-logistic-regression", folder)["mean"]
    with LISTS.open(encoding="utf-8") as file:
        example = {row["model"]: row for row in csv.DictReader(file) if row["list"] == EXAMPLE}
    first = example["logistic"]
    n_positives, n_rows = int(first["positives"]), int(first["positives"]) + int(first["negatives"])
    precision = {name: decimal(float(row["ap"])) for name, row in example.items() if row["ap"]}
    return (
        f"A tuned depth removes most of this loss but gives no gain: its average precision is above that of "
        f"logistic regression by more than .01 on {int((gains > ROPE).sum())} of {len(gains)} lists and "
        f"below on {int((gains < -ROPE).sum())} (by chance above on {chance}). On `{EXAMPLE}` "
        f"({n_positives} of {n_rows} rows positive) it is {precision['depth 1']} at depth 1, about chance "
        f"({decimal(n_positives / n_rows)}), and {precision['depth searched']} at a tuned depth; logistic "
        f"regression has {precision['logistic']}."
    )


def describe_methods(folder: Path = FOLDER) -> str:
    """Write which methods have the best mean ranks with many and with few positives, by two metrics."""
    table = read("decisions", folder).set_index(["situation", "metric"])
    best_of_many, best_of_few = (
        [name_method(table.loc[(situation, metric), "method"]) for metric in METRICS]
        for situation in (MANY_POSITIVES, FEW_POSITIVES)
    )
    few_lists = table.loc[(FEW_POSITIVES, "rate_at_top"), "datasets"].split(", ")
    n_compounds = len(set(few_lists) & set(list_compounds(folder)))
    n_lists = int(table.loc[(MANY_POSITIVES, "rate_at_top"), "n_sets"])
    return (
        f"With 100 positives or more to learn from ({n_lists} lists), {_name_best(best_of_many)}; with fewer "
        f"than 50 ({len(few_lists)} lists, {n_compounds} of them compounds), {_name_best(best_of_few)}."
    )


def _name_best(methods):
    """The best method by the rate at the top and by average precision, which may be one method."""
    by_rate, by_precision = methods
    if by_rate == by_precision:
        return f"{by_rate} has the best mean rank by rate at the top and by average precision"
    return f"{by_rate} has the best mean rank by rate at the top, and {by_precision} by average precision"


SENTENCES = (describe_top_loss, describe_compounds, describe_depth, describe_methods)

if __name__ == "__main__":
    chosen_folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for sentence in SENTENCES:
        print(sentence(chosen_folder), end="\n\n")
