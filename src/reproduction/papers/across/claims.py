"""What one may believe of losses for the top, judged in every specification, and what was found, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd

from reproduction.comparison.claims import DATASETS_TEXT, OUTCOMES, Claim, sort_datasets
from reproduction.papers.across.decisions import ROPE
from reproduction.papers.across.facts.experiment import LOGISTIC, TOP

TREES = ("boosted_trees", "lambdamart", "xgboost_ranker")
LINEAR = (TOP, "l2_infinite_push", "l2_ranksvm", LOGISTIC, "linear_svc")


def _means(rows: pd.DataFrame, metric: str, methods: Sequence[str]) -> pd.DataFrame:
    """Average over the splits; the methods that were run, side by side."""
    wide = rows.pivot_table(index="dataset", columns="method", values=metric)
    return wide.reindex(columns=[name for name in methods if name in wide.columns])


def beats(rows: pd.DataFrame, metric: str, ours: Sequence[str], theirs: Sequence[str]) -> dict | None:
    """Find where the best of some methods is more than `ROPE` above the best of others."""
    sides = [_means(rows, metric, methods).max(axis=1) for methods in (ours, theirs)]
    difference = (sides[0] - sides[1]).dropna()
    return _answer(rows, difference > ROPE, difference)


def sparse_is_free(rows: pd.DataFrame) -> dict | None:
    """Find the data sets on which the ℓ₁ norm halves the variables and loses no more than the region."""
    pair = ("l1_infinite_push", "l2_infinite_push")
    quality, used = (_means(rows, name, pair).dropna() for name in ("average_precision", "n_variables"))
    if len(quality.columns) < 2:
        return None
    free = (quality[pair[0]] >= quality[pair[1]] - ROPE) & (used[pair[0]] <= used[pair[1]] / 2)
    return _answer(rows, free, used[pair[0]] / used[pair[1]])


def _answer(rows: pd.DataFrame, found: pd.Series, measured: pd.Series) -> dict | None:
    """Say on which data sets it was found, and the median of what was measured."""
    sets = sort_datasets(sorted(set(rows["dataset"])), found.to_dict())
    holds = len(sets.yes) > len(sets.no)
    return {"sets": sets, "holds": holds, "median": measured.median()} if len(found) else None


def _claim(name: str, sentence: str, asked: str, judge: Callable) -> Claim:
    question = asked + " Median: {{ median | round(4) | to('.3g') }}. " + DATASETS_TEXT
    return Claim(name, "this study", sentence, question, judge, (OUTCOMES,))


CLAIMS = (
    _claim(
        "top-pays",
        "A loss for the top of the list ranks more positives above all negatives than logistic regression.",
        "Is the mean rate at the top of TopPush higher by more than .01?",
        partial(beats, metric="rate_at_top", ours=(TOP,), theirs=(LOGISTIC,)),
    ),
    _claim(
        "top-pays-precision",
        "A loss for the top of the list has a higher average precision than logistic regression.",
        "Is the mean average precision of TopPush higher by more than .01?",
        partial(beats, metric="average_precision", ours=(TOP,), theirs=(LOGISTIC,)),
    ),
    _claim(
        "pairs-pay",
        "A loss on pairs has a higher AUC than logistic regression.",
        "Is the mean AUC of ℓ₂ RankSVM higher by more than .01?",
        partial(beats, metric="auc", ours=("l2_ranksvm",), theirs=(LOGISTIC,)),
    ),
    _claim(
        "trees-win",
        "Boosted trees rank better than linear methods.",
        "Is the best mean average precision of trees more than .01 above that of all linear methods?",
        partial(beats, metric="average_precision", ours=TREES, theirs=LINEAR),
    ),
    _claim(
        "trees-win-at-the-top",
        "Boosted trees rank more positives above all negatives than linear methods.",
        "Is the best mean rate at the top of trees more than .01 above that of all linear methods?",
        partial(beats, metric="rate_at_top", ours=TREES, theirs=LINEAR),
    ),
    _claim(
        "sparse-is-free",
        "Half of the variables are enough.",
        "Does the ℓ₁ infinite push use at most half the variables of the ℓ₂ one, at a loss of average "
        "precision of at most .01?",
        sparse_is_free,
    ),
    _claim(
        "one-is-not-enough",
        "A single feature is not enough.",
        "Is the mean average precision of logistic regression higher by more than .01?",
        partial(beats, metric="average_precision", ours=(LOGISTIC,), theirs=("best_feature",)),
    ),
)
