"""Metrics of a list without ties, straight from their definitions, and all orders of the ties of a list."""

import math
from itertools import combinations, product

import numpy as np


def order_ties(y, scores):
    """Yield the labels of a list, best first, in each order of its equal scores that differs."""
    y, scores = np.asarray(y), np.asarray(scores)
    groups = []
    for score in np.unique(scores)[::-1]:
        labels = y[scores == score]
        places = combinations(range(labels.size), int(labels.sum()))
        groups.append([[int(place in positives) for place in range(labels.size)] for positives in places])
    for orders in product(*groups):
        yield [label for order in orders for label in order]


def precision(labels, k):
    """Share of positives among the first k."""
    return sum(labels[:k]) / k


def recall(labels, k):
    """Share of the positives that are among the first k."""
    return sum(labels[:k]) / sum(labels)


def enrichment(labels, k):
    """Precision over prevalence."""
    return precision(labels, k) / (sum(labels) / len(labels))


def recall_at_fpr(labels, max_fpr):
    """Largest recall of a threshold with a false positive rate of at most `max_fpr`."""
    n_negatives, recalls = labels.count(0), []
    for n_above in range(len(labels) + 1):
        if labels[:n_above].count(0) / n_negatives <= max_fpr + 1e-9:
            recalls.append(labels[:n_above].count(1) / labels.count(1))
    return max(recalls)


def partial_auc(labels, max_fpr):
    """Area under the staircase up to `max_fpr`, standardised after McClish."""
    n_positives, n_negatives = labels.count(1), labels.count(0)
    area, hits, right = 0.0, 0, 0.0
    for label in labels:
        if label:
            hits += 1
        else:
            left, right = right, right + 1 / n_negatives
            area += hits / n_positives * max(0.0, min(right, max_fpr) - left)
    least = max_fpr**2 / 2
    return (1 + (area - least) / (max_fpr - least)) / 2


def average_precision(labels):
    """Mean precision at the ranks of the positives."""
    return np.mean([precision(labels, rank) for rank, label in enumerate(labels, 1) if label])


def ndcg(labels, k):
    """Discounted gains of the first k over those of the best order."""
    discounts = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
    gains, best_gains = (
        sum(map(math.prod, zip(order, discounts, strict=False))) for order in (labels, sorted(labels)[::-1])
    )
    return gains / best_gains


def bedroc(labels, alpha):
    """BEDROC as in RDKit's ``ML.Scoring.Scoring``: the enhancement between its extremes."""
    n_rows, n_positives = len(labels), sum(labels)
    sum_exp = sum(math.exp(-alpha * rank / n_rows) for rank, label in enumerate(labels, 1) if label)
    random_sum = (1 - math.exp(-alpha)) / (math.exp(alpha / n_rows) - 1) / n_rows
    enhancement, ratio = sum_exp / (n_positives * random_sum), n_positives / n_rows
    best = (1 - math.exp(-alpha * ratio)) / (ratio * (1 - math.exp(-alpha)))
    worst = (1 - math.exp(alpha * ratio)) / (ratio * (1 - math.exp(alpha)))
    return (enhancement - worst) / (best - worst)
