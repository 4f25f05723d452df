"""Sentences of docs/which_method.md, of the snapshot: ``python tests/documented_answers.py``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from documented_across import FOLDER, decimal, read

from reproduction.papers.across.decisions import ROPE
from reproduction.specs.labels import method_label
from reproduction.specs.metrics import LABELS

METRIC_WORDS = {
    "rate_at_top": "the rate at the top",
    "average_precision": "average precision",
    "precision_at_10": "the top 10",
    "bedroc": "BEDROC",
}
RIVAL_WORDS = {"depth_1": "at depth 1", "logistic": "of logistic regression"}


def join_words(words: list[str]) -> str:
    """Write a list with an "and"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def describe_size(folder: Path = FOLDER) -> str:
    """Write how many methods and data sets the study has."""
    facts, results = read("facts", folder), read("results", folder)
    n_lists = int((facts["queries"] == 0).sum())
    return (
        f"{results['method'].nunique()} methods on {len(facts)} data sets: {n_lists} lists and "
        f"{len(facts) - n_lists} sets of queries."
    )


def describe_top_loss(folder: Path = FOLDER) -> str:
    """Write on how many lists TopPush at depth 1 is better than logistic regression, and worse."""
    facts = read("facts", folder).dropna(subset=["gain_rate_at_top"]).set_index("dataset")
    gains = facts["gain_rate_at_top"]
    better, n_worse = sorted(gains.index[gains > ROPE]), int((gains < -ROPE).sum())
    zero = sorted(facts.index[facts["zero_optimal_share"] == 1])
    bayes = read("bayes", folder).set_index(["metric", "method"]).loc["rate_at_top", "toppush_exact"]
    movable = facts.drop(index=zero)
    medians = (decimal(movable[f"gain_{name}"].median(), 4) for name in ("rate_at_top", "average_precision"))
    return (
        f"On {len(gains)} lists the rate at the top of certified TopPush is more than .01 above that of "
        f"logistic regression on {len(better)} ({join_words([f'`{name}`' for name in better])}) and more "
        f"than "
        f".01 below it on {n_worse}; over the lists it is worse with a probability of "
        f"{decimal(bayes['p_worse'])}, better with {decimal(bayes['p_better'])}. On {len(zero)} lists "
        f"({join_words([f'`{name}`' for name in zero])}) its optimum is w = 0 at every λ, so it ranks at "
        f"random; without these the median difference is "
        f"{next(medians)}, and {next(medians)} in average precision."
    )


def describe_depth(folder: Path = FOLDER) -> str:
    """Write on how many lists a tuned depth is better than depth 1, and than logistic regression."""
    gains = read("depth_gains", folder)
    parts = []
    for rival, words in RIVAL_WORDS.items():
        values = gains[f"{rival}_average_precision"].dropna()
        counts = int((values > ROPE).sum()), len(values), int((values < -ROPE).sum())
        parts.append(f"above that {words} on {counts[0]} of {counts[1]} lists and below it on {counts[2]}")
    bayes = read("bayes", folder).set_index(["metric", "method"]).loc["average_precision", "toppush_depth"]
    return (
        "With its depth tuned, the average precision of TopPush is more than .01 "
        f"{parts[0]}; it is {parts[1]} (over the lists: better with a probability of "
        f"{decimal(bayes['p_better'])}, the same with {decimal(bayes['p_same'])}, worse with "
        f"{decimal(bayes['p_worse'])})."
    )


def describe_scaffolds(folder: Path = FOLDER) -> str:
    """Write what is left of TopPush at the top of the compounds if no scaffold is in two parts."""
    study_folder = folder.parent / "across_scaffolds"
    means = read("results", study_folder).groupby("method")["rate_at_top_mean"].mean()
    bayes = read("bayes", study_folder).set_index(["metric", "method"]).loc["rate_at_top", "toppush_exact"]
    return (
        f"With the scaffolds kept whole this is gone: TopPush has {decimal(means['toppush_exact'])}, "
        f"logistic regression {decimal(means['logistic_regression'])} (TopPush is better with a "
        f"probability of {decimal(bayes['p_better'])}, worse with {decimal(bayes['p_worse'])})."
    )


def describe_decision(situation: str, metric: str, folder: Path = FOLDER) -> str:
    """Write which method has the best mean rank in a situation, its runner-up, and logistic regression."""
    row = read("decisions", folder).set_index(["situation", "metric"]).loc[situation, metric]
    text = f"{method_label(row['method'])} by {METRIC_WORDS[metric]} ({decimal(row['mean'])}"
    if row["rival"] == row["rival"]:
        text += f"; logistic regression {decimal(row['rival_mean'])}"
        if row["p_better"] == row["p_better"]:
            text += f", better than it with a probability of {decimal(row['p_better'])}"
    if row["runner_up"] != row["runner_up"]:
        return f"{text}), the only one"
    text += f"), before {method_label(row['runner_up'])} ({decimal(row['runner_up_mean'])}"
    if row["p_better_runner_up"] == row["p_better_runner_up"]:
        text += f", better than it with {decimal(row['p_better_runner_up'])}"
    return text + ")"


def name_sparse_method(name: str) -> str:
    """Write a method's name; a penalty that stands for it in tables is named as one in a sentence."""
    penalty = {"log_ranksvm": "the log penalty", "mcp_ranksvm": "MCP"}.get(name)
    return f"RankSVM with {penalty}" if penalty else method_label(name)


def describe_variables(folder: Path = FOLDER) -> str:
    """Write what fewer variables cost in average precision, on average over the lists."""
    results = _read_lists(folder)
    sizes = results.groupby("dataset")["data_features"].first()
    shares = results.pivot(index="dataset", columns="method", values="n_variables_mean").div(sizes, axis=0)
    precision = results.pivot(index="dataset", columns="method", values="average_precision_mean")
    losses = precision.rsub(precision["logistic_regression"], axis=0)
    cells = [
        f"{name_sparse_method(name)} uses {decimal(shares[name].mean())} of them and loses "
        f"{decimal(losses[name].mean(), 3)}"
        for name in ("l1_ranksvm", "logistic_l1", "log_ranksvm", "mcp_ranksvm")
    ]
    return (
        "On average over the lists, in average precision against logistic regression on all variables: "
        f"{join_words(cells)}."
    )


def describe_seconds(folder: Path = FOLDER) -> str:
    """Write the seconds of a search with its refits on one split."""
    seconds = _read_lists(folder).pivot(index="dataset", columns="method", values="search_seconds")
    cells = []
    for name in ("logistic_regression", "toppush_exact", "toppush_depth", "random_forest", "boosted_trees"):
        values = seconds[name].dropna()
        numbers = [_format_seconds(value) for value in (values.median(), values.max())]
        cells.append(
            f"{numbers[0]} s with {method_label(name)} (at most {numbers[1]} s, on `{values.idxmax()}`)"
        )
    return f"A search on one split takes, in the median over the lists, {join_words(cells)}."


def describe_agreement(folder: Path = FOLDER) -> str:
    """Write how often two metrics have the same best method, and what choosing by another one costs."""
    table = read("agreement", folder)
    pairs = table[table["chosen_by"] != table["reported"]]
    # the enrichment is no share: its loss has another unit
    largest = pairs[pairs["reported"] != "enrichment_at_percent"].nlargest(1, "mean_loss").iloc[0]
    return (
        f"The best method on a data set by one metric is also the best by another in "
        f"{100 * pairs['same_best_share'].mean():.0f} % of the cases. Choosing the model by another metric "
        f"costs at most {decimal(largest['mean_loss'], 3)}, on average over the data sets "
        f"({LABELS[largest['reported']]}, if chosen by {LABELS[largest['chosen_by']]})."
    )


def describe_explanation(folder: Path = FOLDER) -> str:
    """Write which fact explains the gain of a tuned depth on held-out halves of the lists."""
    table = read("depth_explains", folder)
    rows = table[table["metric"] == "average_precision"]
    texts = []
    for rival, words in RIVAL_WORDS.items():
        of_rival = rows[rows["rival"] == rival]
        best = of_rival.dropna(subset=["spearman"]).nlargest(1, "held_out").iloc[0]
        chosen = of_rival[of_rival["spearman"].isna()].iloc[0]
        texts.append(
            f"the gain over that {words} goes best with {best['fact'].replace('_', ' ')} (rank correlation "
            f"{decimal(best['spearman'])}; {decimal(best['held_out'])} on the halves that did not choose its "
            f"sign, p = {decimal(best['p_value'], 3)}), and the fact that one half chooses has "
            f"{decimal(chosen['held_out'])} on the other (95 % point by chance "
            f"{decimal(chosen['placebo_upper'])}, p = "
            f"{decimal(chosen['p_value'], 3)})"
        )
    return f"Over {int(rows['n_sets'].max())} lists, in average precision, {'; '.join(texts)}."


def describe_chance(folder: Path = FOLDER) -> str:
    """Write on how many data sets the claims on losses for the top hold, and by chance."""
    claims = pd.read_csv(folder.parent / "claims.csv").set_index("claim")
    names = {
        "top-pays": "TopPush at depth 1 above logistic regression by the rate at the top",
        "tuned-depth-pays": "a tuned depth above depth 1 in average precision",
        "tuned-depth-beats-logistic-regression": "a tuned depth above logistic regression in the same",
        "trees-win": "the best trees above the best linear method in average precision",
    }
    texts = []
    for name, words in names.items():
        evidence = claims.loc[name, "evidence"]
        holds, total = re.search(r" on (\d+) of (\d+) measured", evidence).groups()
        mean, upper = re.search(r"methods: ([\d.]+) data sets, 95 % point (\d+)", evidence).groups()
        texts.append(f"{words} on {holds} of {total} (by chance {mean}, 95 % point {upper})")
    return "; ".join(texts) + "."


def _read_lists(folder: Path) -> pd.DataFrame:
    """Read the results on lists, features in the scaling that the study reports."""
    facts = read("facts", folder)
    return read("results", folder).query(
        "dataset in @names", local_dict={"names": set(facts.loc[facts["queries"] == 0, "dataset"])}
    )


def _format_seconds(seconds: float) -> str:
    """Two digits below a tenth, one below ten, then none: .03, 1.4, 22."""
    return decimal(seconds, 2 if seconds < 0.1 else 1 if np.round(seconds, 1) < 10 else 0)


SENTENCES = (
    *(describe_size, describe_top_loss, describe_scaffolds, describe_depth, describe_chance),
    describe_variables,
    *(describe_seconds, describe_agreement, describe_explanation),
)
STATED_DECISIONS = (
    ("compounds (MUV and DUD), by their fingerprints", "rate_at_top"),
    *(
        (situation, metric)
        for situation in (
            "lists of other features than fingerprints",
            "100 positives or more to learn from",
            "fewer than 50 positives to learn from",
        )
        for metric in ("rate_at_top", "average_precision")
    ),
)

if __name__ == "__main__":
    chosen_folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for sentence in SENTENCES:
        print(sentence(chosen_folder), end="\n\n")
    for named in STATED_DECISIONS:
        print(named[0], describe_decision(*named, chosen_folder), sep=": ")
