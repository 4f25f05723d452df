"""Recommended methods in sentences of docs/which_method.md, from the tables of the snapshot."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from documented_across import FOLDER, METRIC_NAMES, decimal, probability, read, word_probability

from reproduction.papers.across.decisions import BASELINES, COMPOUND_FAMILIES
from reproduction.papers.across.results import fill_with_worst, pivot_means
from reproduction.specs.labels import method_label

METHOD_WORDS = {
    "toppush_exact": "certified TopPush",
    "toppush_depth": "TopPush with a tuned depth",
    "random_forest": "the random forest",
    "boosted_trees": "boosted trees",
    "logistic_regression": "logistic regression",
    "linear_svc": "the linear SVM",
    "nearest_active": "the nearest active",
}
"""Methods whose labels are written differently in a sentence."""
FINGERPRINT_METHOD = "nearest_active"
"""A method for fingerprints alone: it is missing on all other lists by design."""

STATED_SITUATIONS = (
    "lists of other features than fingerprints",
    "100 positives or more to learn from",
    "fewer than 50 positives to learn from",
)


def join_words(words: list[str]) -> str:
    """Write a list with an "and"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def name_method(name: str) -> str:
    """Write the name of a method in a sentence."""
    return METHOD_WORDS.get(name, method_label(name))


def list_compounds(folder: Path = FOLDER) -> pd.Index:
    """Name the lists of compounds."""
    families = read("facts", folder).set_index("dataset")["family"]
    return families.index[families.isin(COMPOUND_FAMILIES)]


def compare_on_compounds(metric: str, folder: Path = FOLDER) -> str:
    """Write the means of certified TopPush and of logistic regression over the lists of compounds."""
    table = read("results", folder)
    means = table[table["dataset"].isin(list_compounds(folder))].groupby("method")[f"{metric}_mean"].mean()
    digits = 0 if metric == "enrichment_at_percent" else 2
    ours, rival = (decimal(means[name], digits) for name in ("toppush_exact", "logistic_regression"))
    return f"{ours} against {rival}"


def read_lists(folder: Path) -> pd.DataFrame:
    """Read the results on lists, features in the scaling that the study reports."""
    facts = read("facts", folder)
    return read("results", folder).query(
        "dataset in @names", local_dict={"names": set(facts.loc[facts["queries"] == 0, "dataset"])}
    )


def compare(name: str, mean: float, p_better: float, p_same: float) -> str:
    """Write whether the recommended method is better than another one, by the probabilities of it."""
    rival = name_method(name)
    if p_better >= 0.5:
        return f"better than {rival} ({decimal(mean)}) with a probability {word_probability(p_better)}"
    if p_same >= 0.5:
        return f"within .01 of {rival} ({decimal(mean)}) with a probability {word_probability(p_same)}"
    chances = [probability(number) for number in (p_better, p_same, 1.0 - p_better - p_same)]
    return (
        f"not clearly different from {rival} ({decimal(mean)}; better with {chances[0]}, within .01 with "
        f"{chances[1]}, worse with {chances[2]})"
    )


def describe_decision(situation: str, metric: str, folder: Path = FOLDER) -> str:
    """Write which method has the best mean rank in a situation, its runner-up, and logistic regression."""
    row = read("decisions", folder).set_index(["situation", "metric"]).loc[situation, metric]
    text = f"by {METRIC_NAMES[metric]}, {name_method(row['method'])} ({decimal(row['mean'])})"
    rivals = {row["runner_up"]: (row["runner_up_mean"], row["p_better_runner_up"], row["p_same_runner_up"])}
    if row["rival"] == row["rival"]:
        rivals.setdefault(row["rival"], (row["rival_mean"], row["p_better"], row["p_same"]))
    return f"{text}, {' and '.join(compare(name, *numbers) for name, numbers in rivals.items())}"


def describe_situation(situation: str, folder: Path = FOLDER) -> str:
    """Write the size of a situation, and the recommended method at the top of a list and over all of it."""
    row = read("decisions", folder).set_index(["situation", "metric"]).loc[situation, "rate_at_top"]
    n_compounds = len(set(row["datasets"].split(", ")) & set(list_compounds(folder)))
    aside = f" ({n_compounds} of them compounds)" if n_compounds else ""
    decisions = [
        describe_decision(situation, metric, folder) for metric in ("rate_at_top", "average_precision")
    ]
    return f"On {int(row['n_sets'])} lists{aside}: {'; '.join(decisions)}."


def describe_missing(folder: Path = FOLDER) -> str:
    """Write which methods are missing on some lists, and whether this decides the first place."""
    table = pivot_means(read_lists(folder), "average_precision").drop(columns=list(BASELINES))
    missing = table.isna().drop(columns=FINGERPRINT_METHOD, errors="ignore")
    cells = [
        f"{name_method(name)} on {join_words([f'`{dataset}`' for dataset in missing.index[missing[name]]])}"
        for name in missing.columns[missing.any()]
    ]
    complete = table[~missing.any(axis=1)]
    best, of_complete = (
        fill_with_worst(rows).round(12).rank(axis=1, ascending=False).mean().idxmin()
        for rows in (table, complete)
    )
    is_decisive = "would not be first" if of_complete != best else "is first"
    means = fill_with_worst(table).mean()
    text = (
        f"A method that takes too long on a list has the rank and the value of the worst method there, which "
        f"lowers its means: {', '.join(cells)}. On any list, {name_method(best)} {is_decisive} in average "
        f"precision also without these lists"
    )
    if means.idxmax() != best:
        text += (
            f"; {name_method(means.idxmax())} have the higher mean ({decimal(means.max())} against "
            f"{decimal(means[best])}) and the worse mean rank"
        )
    return f"{text}."
