"""Sentences of docs/which_method.md, of the snapshot: ``python tests/documented_answers.py``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from documented_across import FOLDER, METRIC_NAMES, decimal, probability, read, word_probability
from documented_decisions import (
    STATED_SITUATIONS,
    compare_on_compounds,
    describe_missing,
    describe_situation,
    join_words,
    list_compounds,
    name_method,
    read_lists,
)

from reproduction.papers.across.decisions import ROPE
from reproduction.specs.labels import method_label

RIVAL_WORDS = {"depth_1": "depth 1", "logistic": "logistic regression"}
FACT_WORDS = {
    "smallest_depth_share": "K\\*",
    "positives_share": "the share of positives",
    "train_positives": "the number of positives to learn from",
    "features_per_row": "features per row",
    "noise": "noise",
}
SIMILAR_CORRELATIONS = 0.1
"""Correlations that differ by less are said to be about as large."""


def read_bayes(metric: str, method: str, folder: Path = FOLDER) -> pd.Series:
    """Read the comparison of a method with logistic regression over the lists."""
    return read("bayes", folder).set_index(["metric", "method"]).loc[metric, method]


def read_chance(claim: str, folder: Path = FOLDER) -> dict[str, str]:
    """Read on how many data sets a claim holds, and by chance: mean and 95 % point."""
    evidence = pd.read_csv(folder.parent / "claims.csv").set_index("claim").loc[claim, "evidence"]
    pattern = (
        r" on (?P<holds>\d+) of (?P<total>\d+) measured.* methods: (?P<mean>[\d.]+) data sets, "
        r"95 % point (?P<upper>\d+)"
    )
    return re.search(pattern, evidence, re.DOTALL).groupdict()


def describe_loss(metric: str, folder: Path = FOLDER) -> str:
    """Write by how much certified TopPush is below logistic regression, on average over the lists."""
    difference = read_bayes(metric, "toppush_exact", folder)["mean_difference"]
    assert difference < 0.0, "the sentences say that it is lower"
    return decimal(-difference)


def describe_size(folder: Path = FOLDER) -> str:
    """Write how many methods and data sets the study has."""
    facts, results = read("facts", folder), read("results", folder)
    n_lists = int((facts["queries"] == 0).sum())
    return (
        f"{results['method'].nunique()} methods on {len(facts)} data sets: {n_lists} lists and "
        f"{len(facts) - n_lists} sets of queries."
    )


def describe_top_loss(folder: Path = FOLDER) -> str:
    """Write how TopPush at depth 1 compares with logistic regression, at the top of the lists and below."""
    facts = read("facts", folder).dropna(subset=["gain_rate_at_top"]).set_index("dataset")
    gains = facts["gain_rate_at_top"]
    better, n_worse = sorted(gains.index[gains > ROPE]), int((gains < -ROPE).sum())
    bayes = read_bayes("rate_at_top", "toppush_exact", folder)
    losses, chances = [], []
    for metric in ("average_precision", "precision_at_10", "bedroc"):
        losses.append(describe_loss(metric, folder))
        chances.append(read_bayes(metric, "toppush_exact", folder)["p_worse"])
    return (
        f"On {len(gains)} lists its rate at the top is more than .01 above that of logistic regression on "
        f"{len(better)} ({join_words([f'`{name}`' for name in better])}) and more than .01 below it on "
        f"{n_worse} (by chance it would be above on {read_chance('top-pays', folder)['mean']}); over the "
        f"lists it is better with a probability of {decimal(bayes['p_better'])} and worse with "
        f"{decimal(bayes['p_worse'])}. Its average precision is lower by {losses[0]} on average (worse with "
        f"a probability {word_probability(chances[0])}), its precision at 10 by {losses[1]} (worse with one "
        f"{word_probability(chances[1])}) and its BEDROC by {losses[2]} (worse with one "
        f"{word_probability(chances[2])})."
    )


def describe_zero_lists(folder: Path = FOLDER) -> str:
    """Write on which lists TopPush at depth 1 is w = 0, and what is left of the differences without them."""
    facts = read("facts", folder).dropna(subset=["gain_rate_at_top"]).set_index("dataset")
    zero = sorted(facts.index[facts["zero_optimal_share"] == 1])
    movable = facts.drop(index=zero)
    medians = (decimal(movable[f"gain_{name}"].median(), 4) for name in ("rate_at_top", "average_precision"))
    return (
        f"On {len(zero)} lists ({join_words([f'`{name}`' for name in zero])}) w = 0 is its optimum at every "
        f"λ, so that it ranks at random; on the others the median difference from logistic regression is "
        f"{next(medians)} in the rate at the top and {next(medians)} in average precision."
    )


def describe_depth(folder: Path = FOLDER) -> str:
    """Write on how many lists a tuned depth is better than depth 1, and than logistic regression."""
    gains = read("depth_gains", folder)
    counts = {}
    for rival in RIVAL_WORDS:
        values = gains[f"{rival}_average_precision"].dropna()
        counts[rival] = int((values > ROPE).sum()), len(values), int((values < -ROPE).sum())
    bayes = read_bayes("average_precision", "toppush_depth", folder)
    (n_first, n_lists, n_first_below), (n_above, _, n_below) = counts["depth_1"], counts["logistic"]
    chance = read_chance("tuned-depth-beats-logistic-regression", folder)["mean"]
    return (
        f"With a tuned depth its average precision is more than .01 above that at depth 1 on {n_first} of "
        f"{n_lists} lists and below it on {n_first_below}. It is more than .01 above that of logistic "
        f"regression on {n_above} and below it on {n_below} (by chance above on {chance}; over the lists "
        f"better with a probability {word_probability(bayes['p_better'])}, within .01 with "
        f"{probability(bayes['p_same'])}, worse with {probability(bayes['p_worse'])})."
    )


def describe_compounds(folder: Path = FOLDER) -> str:
    """Write what TopPush at depth 1 gains on compounds, by three metrics, and with scaffolds kept whole."""
    compounds = list_compounds(folder)
    gains = read("facts", folder).set_index("dataset").loc[compounds, "gain_rate_at_top"]
    bayes = read("decisions", folder).set_index(["situation", "metric"])
    bayes = bayes.loc["compounds (MUV and DUD), by their fingerprints", "rate_at_top"]
    assert bayes["method"] == "toppush_exact"
    study = folder.parent / "across_scaffolds"
    chances = read_bayes("rate_at_top", "toppush_exact", study)
    return (
        f"On random splits of the {len(compounds)} lists of compounds its rate at the top is more than .01 "
        f"above that of logistic regression on {int((gains > ROPE).sum())} and below it on "
        f"{int((gains < -ROPE).sum())} (mean {compare_on_compounds('rate_at_top', folder)}; better with a "
        f"probability {word_probability(bayes['p_better'])}). Other metrics show no clear gain: BEDROC is "
        f"{compare_on_compounds('bedroc', folder)}, average precision "
        f"{compare_on_compounds('average_precision', folder)}, and the enrichment in the first 1 % "
        f"{compare_on_compounds('enrichment_at_percent', folder)}. With scaffold splits the gain at the top "
        f"is gone: {compare_on_compounds('rate_at_top', study)} (better with a probability "
        f"{word_probability(chances['p_better'])}, worse with {probability(chances['p_worse'])})."
    )


def name_sparse_method(name: str) -> str:
    """Write a method's name; a penalty that stands for it in tables is named as one in a sentence."""
    penalty = {"log_ranksvm": "the log penalty", "mcp_ranksvm": "MCP"}.get(name)
    return f"RankSVM with {penalty}" if penalty else method_label(name)


def describe_variables(folder: Path = FOLDER) -> str:
    """Write what fewer variables cost in average precision, on average over the lists."""
    results = read_lists(folder)
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
    seconds = read_lists(folder).pivot(index="dataset", columns="method", values="search_seconds")
    cells = []
    for name in ("logistic_regression", "toppush_exact", "toppush_depth", "random_forest", "boosted_trees"):
        values = seconds[name].dropna()
        numbers = [_format_seconds(value) for value in (values.median(), values.max())]
        cells.append(
            f"{numbers[0]} s with {name_method(name)} (at most {numbers[1]} s, on `{values.idxmax()}`)"
        )
    return (
        "A search on one split with its refits takes, by the clock with one thread, in the median over the "
        f"lists, {join_words(cells)}."
    )


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
        f"({METRIC_NAMES[largest['reported']]}, if chosen by {METRIC_NAMES[largest['chosen_by']]})."
    )


def describe_explanation(folder: Path = FOLDER) -> str:
    """Write which facts go with the gain of a tuned depth, and what the one chosen on a half is worth."""
    table = read("depth_explains", folder)
    table = table[table["metric"] == "average_precision"].set_index("fact")
    chosen = table[table["spearman"].isna()].set_index("rival")
    facts = table.dropna(subset=["spearman"])
    texts = {}
    for rival in RIVAL_WORDS:
        sizes = facts.loc[facts["rival"] == rival, "spearman"]
        order = sizes.abs().sort_values(ascending=False)
        similar = order.index[order > order.iloc[0] - SIMILAR_CORRELATIONS]
        texts[rival] = [f"{FACT_WORDS[name]} ({decimal(sizes[name])})" for name in similar], similar
    words, similar = texts["depth_1"]
    gains = read("depth_gains", folder)
    correlations = gains[list(similar)].corr("spearman").abs().to_numpy()[np.triu_indices(len(similar), 1)]
    held_out = [
        f"{decimal(row['held_out'])} (95 % point by chance {decimal(row['placebo_upper'])}, p = "
        f"{decimal(row['p_value'], 3)})"
        for row in (chosen.loc[rival] for rival in RIVAL_WORDS)
    ]
    return (
        f"Over {int(facts['n_sets'].max())} lists, the gain in average precision over depth 1 goes about "
        f"equally with {join_words(words)} (rank correlations). These facts are correlated with each other "
        f"({decimal(correlations.min())} to {decimal(correlations.max())}, without the sign), and none of "
        f"them can be called the cause. The fact that one half of the lists chooses has {held_out[0]} on "
        f"the other half. The gain over logistic regression goes with {join_words(texts['logistic'][0])}; "
        f"the fact that one half chooses has {held_out[1]} on the other."
    )


def describe_chance(folder: Path = FOLDER) -> str:
    """Write on how many data sets the claims on losses for the top hold, and by chance."""
    names = {
        "top-pays": "TopPush at depth 1 above logistic regression by the rate at the top",
        "tuned-depth-pays": "a tuned depth above depth 1 in average precision",
        "tuned-depth-beats-logistic-regression": "a tuned depth above logistic regression in the same",
        "trees-win": "the best trees above the best linear method in average precision",
    }
    texts = []
    for name, words in names.items():
        chance = read_chance(name, folder)
        texts.append(
            f"{words} on {chance['holds']} of {chance['total']} (by chance {chance['mean']}, 95 % point "
            f"{chance['upper']})"
        )
    return "; ".join(texts) + "."


def _format_seconds(seconds: float) -> str:
    """Two digits below a tenth, one below ten, then none: .03, 1.4, 22."""
    return decimal(seconds, 2 if seconds < 0.1 else 1 if np.round(seconds, 1) < 10 else 0)


SENTENCES = (
    *(describe_size, describe_top_loss, describe_zero_lists, describe_compounds, describe_depth),
    *(describe_chance, describe_variables, describe_seconds, describe_agreement, describe_explanation),
    describe_missing,
)
if __name__ == "__main__":
    chosen_folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for sentence in SENTENCES:
        print(sentence(chosen_folder), end="\n\n")
    for named in STATED_SITUATIONS:
        print(named, describe_situation(named, chosen_folder), sep=": ", end="\n\n")
