"""Claims on losses for the top of the list, judged in every specification of the study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd

from reproduction.comparison.claims import OUTCOMES, Claim, make_outcomes_template
from reproduction.comparison.dataset_outcomes import sort_datasets
from reproduction.papers.across.decisions import BASELINES, ROPE
from reproduction.papers.across.depth.experiment import DEPTH
from reproduction.papers.across.facts.experiment import LOGISTIC, TOPPUSH
from reproduction.statistics.chance_of_better import compute_better_probability, compute_count_level

# What the sentences call trees and linear methods; a run may have some of them only.
TREE_METHODS = ("boosted_trees", "lambdamart", "xgboost_ranker")
LINEAR_METHODS = (TOPPUSH, "l2_infinite_push", "l2_ranksvm", LOGISTIC, "linear_svc")


DETAILS_TEXT = """, median {{ quantity }} {{ median | round(4) | to(".3g") }}
{%- if chance %} (by chance, with the numbers of each data set permuted among its methods:
{{ chance[0] | to(".1f") }} data sets, 95 % point {{ chance[1] }}){% endif %}"""
"""The median of what a claim of this study compares, and on how many data sets it holds by chance."""


def _average_by_dataset(rows: pd.DataFrame, metric: str, methods: Sequence[str]) -> pd.DataFrame:
    """Average a metric over the splits, a row a data set, a column each method that was run."""
    wide = rows.pivot_table(index="dataset", columns="method", values=metric)
    return wide.reindex(columns=[name for name in methods if name in wide.columns])


def _judge_better(
    rows: pd.DataFrame, metric: str, first_methods: Sequence[str], second_methods: Sequence[str]
) -> dict | None:
    """Find where the best of some methods is more than `ROPE` above the best of others."""
    # The best of each group on each data set: a group is as good as its best member there.
    sides = tuple(first_methods), tuple(second_methods)
    best_means = [_average_by_dataset(rows, metric, methods).max(axis=1) for methods in sides]
    difference = (best_means[0] - best_means[1]).dropna().rename("difference")
    facts = _judge_by_dataset(rows, difference > ROPE, difference)
    return facts and facts | {"chance": _measure_chance(rows, metric, difference.index, sides)}


def _measure_chance(
    rows: pd.DataFrame, metric: str, datasets: pd.Index, sides: Sequence[Sequence[str]]
) -> tuple[float, int]:
    """Measure on how many data sets the claim holds by chance: the mean and the 95 % point."""
    methods = [name for name in rows["method"].unique() if name not in BASELINES or name in sum(sides, ())]
    means = _average_by_dataset(rows, metric, methods).loc[datasets]
    return compute_count_level(
        compute_better_probability(
            # A method of a side that cannot rank the data set has no number there.
            means.loc[name].dropna().to_numpy(),
            *(int(means.loc[name].reindex(side).notna().sum()) for side in sides),
            margin=ROPE,
        )
        for name in datasets
    )


def _judge_sparse_is_free(rows: pd.DataFrame) -> dict | None:
    """Find where the ℓ₁ norm halves the variables and loses at most `ROPE` of average precision."""
    pair = ("l1_infinite_push", "l2_infinite_push")
    quality, used = (
        _average_by_dataset(rows, name, pair).dropna() for name in ("average_precision", "n_variables")
    )
    if len(quality.columns) < 2:
        return None
    # Half of the variables or fewer, at a loss of quality that makes no difference in practice.
    is_free = (quality[pair[0]] >= quality[pair[1]] - ROPE) & (used[pair[0]] <= used[pair[1]] / 2)
    return _judge_by_dataset(rows, is_free, (used[pair[0]] / used[pair[1]]).rename("ratio of the variables"))


def _judge_by_dataset(rows: pd.DataFrame, holds_on_dataset: pd.Series, values: pd.Series) -> dict | None:
    """Return on which data sets a claim holds, and the median of the values compared."""
    sets = sort_datasets(sorted(set(rows["dataset"])), holds_on_dataset.to_dict())
    # Data sets without a number count on neither side.
    holds = len(sets.yes) > len(sets.no)
    facts = {"sets": sets, "holds": holds, "median": values.median(), "quantity": values.name, "chance": None}
    return facts if len(holds_on_dataset) else None


def _make_claim(name: str, sentence: str, finding: str, judge: Callable) -> Claim:
    """Make a claim of this study, with the data sets on which its finding holds, and a median."""
    evidence = make_outcomes_template(finding, DETAILS_TEXT)
    reading = f"{finding} on more than half of the measured data sets"
    # a claim on lists as they are: that a file of one is missing decides nothing
    options = {"reading": reading, "reads_partial_data": True}
    return Claim(name, "this study", sentence, evidence, judge, (OUTCOMES,), **options)


CLAIMS = (
    _make_claim(
        "top-pays",
        "A loss for the top of the list ranks more positives above all negatives than logistic regression.",
        "TopPush has a mean rate at the top more than .01 above that of logistic regression",
        partial(_judge_better, metric="rate_at_top", first_methods=(TOPPUSH,), second_methods=(LOGISTIC,)),
    ),
    _make_claim(
        "top-pays-precision",
        "A loss for the top of the list has a higher average precision than logistic regression.",
        "TopPush has a mean average precision more than .01 above that of logistic regression",
        partial(
            _judge_better, metric="average_precision", first_methods=(TOPPUSH,), second_methods=(LOGISTIC,)
        ),
    ),
    _make_claim(
        "tuned-depth-pays-at-the-top",
        "A tuned depth ranks more positives above all negatives than depth 1.",
        "TopPush with its depth tuned has a mean rate at the top more than .01 above that at depth 1",
        partial(_judge_better, metric="rate_at_top", first_methods=(DEPTH,), second_methods=(TOPPUSH,)),
    ),
    _make_claim(
        "tuned-depth-pays",
        "A tuned depth has a higher average precision than depth 1.",
        "TopPush with its depth tuned has a mean average precision more than .01 above that at depth 1",
        partial(_judge_better, metric="average_precision", first_methods=(DEPTH,), second_methods=(TOPPUSH,)),
    ),
    _make_claim(
        "tuned-depth-beats-logistic-regression",
        "A loss for the top of the list at a tuned depth has a higher average precision than logistic "
        "regression.",
        "TopPush with its depth tuned has a mean average precision more than .01 above that of logistic "
        "regression",
        partial(
            _judge_better, metric="average_precision", first_methods=(DEPTH,), second_methods=(LOGISTIC,)
        ),
    ),
    _make_claim(
        "pairs-pay",
        "A loss on pairs has a higher AUC than logistic regression.",
        "ℓ₂ RankSVM has a mean AUC more than .01 above that of logistic regression",
        partial(_judge_better, metric="auc", first_methods=("l2_ranksvm",), second_methods=(LOGISTIC,)),
    ),
    _make_claim(
        "trees-win",
        "Boosted trees rank better than linear methods.",
        "The best mean average precision of trees is more than .01 above that of all linear methods",
        partial(
            _judge_better,
            metric="average_precision",
            first_methods=TREE_METHODS,
            second_methods=LINEAR_METHODS,
        ),
    ),
    _make_claim(
        "trees-win-at-the-top",
        "Boosted trees rank more positives above all negatives than linear methods.",
        "The best mean rate at the top of trees is more than .01 above that of all linear methods",
        partial(
            _judge_better, metric="rate_at_top", first_methods=TREE_METHODS, second_methods=LINEAR_METHODS
        ),
    ),
    _make_claim(
        "sparse-is-free",
        "Half of the variables are enough.",
        "The ℓ₁ infinite push uses at most half of the variables of the ℓ₂ one and loses at most .01 of "
        "average precision",
        _judge_sparse_is_free,
    ),
    _make_claim(
        "one-is-not-enough",
        "A single feature is not enough.",
        "Logistic regression has a mean average precision more than .01 above that of the best feature",
        partial(
            _judge_better,
            metric="average_precision",
            first_methods=(LOGISTIC,),
            second_methods=("best_feature",),
        ),
    ),
)
