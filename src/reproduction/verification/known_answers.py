"""Known answers: metrics, splits, leaks, statistics, labels and verdicts on tiny sets, checked in every run.

Solvers are compared with a conic solver (`reproduction.verification.solver_checks`). All that follows
from their weights is compared here with numbers computed by hand from a definition; a wrong one fails the
run, as a wrong solver does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reproduction.comparison.verdicts import (
    AGREES,
    CONSISTENT,
    DIFFERS,
    VALUE_BELOW_MARGIN,
    Mean,
    judge_result,
    welch_interval,
)
from reproduction.core.result_columns import VERIFICATION_COLUMNS
from reproduction.datasets import registry
from reproduction.datasets.prepare import binarize_labels
from reproduction.datasets.row_counts import count_queries
from reproduction.fitting.cross_validation import CrossValidation
from reproduction.fitting.method import Method
from reproduction.fitting.tie_breaking import select_best
from reproduction.fitting.validation_fold import ValidationFold
from reproduction.splits.letor_folds import rotate_letor_folds
from reproduction.splits.splits import Splits, draw_hold_out_splits, draw_random_splits
from reproduction.statistics.paired_tests import (
    adjust_holm,
    corrected_t,
    paired_t_p,
    rank_biserial,
    wilcoxon_p,
)
from reproduction.statistics.rank_tests import critical_difference, mean_ranks
from toprank.labels import as_grades
from toprank.metrics import (
    average_precision_per_query,
    ndcg,
    positives_at_top,
    rate_at_top,
    selected_variables,
)

KNOWN_ANSWER_TOLERANCE = 1e-9
"""Largest relative error of a known answer, absolute below 1: rounding."""

KNOWN_ANSWER_STATUS = "known answer"


@dataclass(frozen=True)
class KnownAnswer:
    """A known number, and the function that computes it.

    Parameters
    ----------
    topic, case : str
        The cells "method" and "case" of its row.
    compute : callable
        Returns a number or a truth value.
    answer : float
        The number by hand, from a definition.
    """

    topic: str
    case: str
    compute: Callable[[], float]
    answer: float


def judge_number(
    published: Sequence[float], ours: Sequence[float], margin: float, random_splits: bool = False
) -> str:
    """Return the verdict on a number of this run beside the published one.

    Parameters
    ----------
    published, ours : sequence of float
        Mean, or mean, standard deviation and number of splits.
    margin : float
        Difference that counts as none.
    random_splits : bool
        Whether the published number is an average over random splits.

    Returns
    -------
    str
    """
    return judge_result(Mean(*published), Mean(*ours), margin, random_splits).verdict


def count_misplaced_rows() -> int:
    """Count the rows that a random split both trains and tests on, holds out twice, or leaves out.

    Returns
    -------
    int
        0 if the splits are right.
    """
    # both generators of random splits: K15's thirds and R12's 70/30 hold-out
    count, y = 0, np.arange(30) % 3 == 0
    for splits in (
        draw_random_splits(30, 4, 1 / 3, 3, 1, "known"),
        draw_hold_out_splits(y, 20, 4, 0.3, 1, "known"),
    ):
        for split in splits:
            held_out = sum(mask.astype(int) for *_, mask in splits.folds(split))
            trained = [train & mask for _, train, mask in splits.folds(split)]
            train, test = splits.train(split), splits.test(split)
            # each row in train or test, held-out rows among the training rows only, and never fitted to
            count += np.count_nonzero(train == test) + np.count_nonzero(held_out[test]) + np.sum(trained)
            count += np.count_nonzero(held_out > 1)
    return int(count)


def count_test_leaks() -> int:
    """Count the fits and choices that change when the test part is replaced by outliers of the other class.

    Two searches are run, one on a list and one on queries.

    Returns
    -------
    int
        0 if no test row leaks into the training.
    """
    random = np.random.default_rng(0)
    X, y = random.normal(size=(45, 3)), np.arange(45) % 3 == 0
    X[y] += 1.0  # the classes differ in their means, so that the searches have something to find
    # nine queries of five rows: four only to fit (127), two to validate (fold 0), three to test (−1)
    qid, inner = np.repeat(np.arange(9), 5), np.repeat([127, 127, 0, 127, 127, 0, -1, -1, -1], 5)
    of_queries = Splits(inner[None].astype(np.int8), np.zeros(1, dtype=np.int64))
    of_list = draw_random_splits(45, 1, 1 / 3, 3, 1, "known")

    def run_searches(test: np.ndarray) -> list[tuple]:
        """Fit all candidates with the test part as it is, or as outliers of the other class.

        Parameters
        ----------
        test : ndarray of shape (n,)
            Whether a row is replaced by an outlier.

        Returns
        -------
        list of tuple
            The searched and the chosen fits, without their times.
        """
        # If a scaler, a search or a choice saw the test part, outliers of 1000 with flipped labels would
        # change it.
        X_seen, y_seen = np.where(test[:, None], 1e3, X), np.where(test, ~y, y).astype(float)
        top = Method("toprank.TopPush", grid={"alpha": [0.01, 1.0]})
        pairs = Method("toprank.RankSVM", grid={"C": [0.01, 1.0]})
        rows = [
            *CrossValidation(top, X_seen, y_seen, of_list, "standardised").run_split(0),
            *ValidationFold(pairs, X_seen, y_seen, qid, of_queries, "standardised").run_split(0),
        ]
        columns = ("role", "params", "status", "objective", "validation_map", "n_variables")
        return [
            tuple(row.get(name) for name in columns) for row in rows if row["role"] in ("search", "chosen")
        ]

    # rows that are test rows under both kinds of splits, since one change of the data serves both searches
    of_test = of_list.test(0) & of_queries.test(0)
    pairs = zip(run_searches(np.zeros(45, dtype=bool)), run_searches(of_test), strict=True)
    return sum(row != changed_row for row, changed_row in pairs)


def apply_label_rule(name: str, *labels: str) -> str:
    """Binarise raw labels by the rule of a data set.

    Parameters
    ----------
    name : str
        A data set of the registry.
    *labels : str
        Labels as they stand in its file.

    Returns
    -------
    str
        A digit for each label, "1" for a positive.
    """
    return "".join(map(str, binarize_labels(np.array(labels), registry.get(name))))


# One list for NDCG: the scores leave the rows in their order. Discounts are logarithms to the base 2.
GRADES, SCORES = [0, 2, 1, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0]
LOG3, LOG5 = math.log2(3), math.log2(5)
_T_QUANTILE = 0.95 / math.sqrt(2 * 0.975 * 0.025)  # of Student's t with two degrees of freedom, at .975
# A published number on fixed splits, and mean, standard deviation and number of random splits.
PUBLISHED_FIXED, PUBLISHED_RANDOM = (0.5,), (0.5, 0.1, 10)

CASES = (
    KnownAnswer("metrics", "a tie is not above", lambda: rate_at_top([1, 1, 1, 0], [4, 3, 3, 3]), 1 / 3),
    KnownAnswer("metrics", "grades above 0 count", lambda: positives_at_top([2, 1, 0], [3, 2, 1]), 2),
    # average precision of relevance 1, 0, 1 in this order: (1/1 + 2/3) / 2
    KnownAnswer("metrics", "precision", lambda: average_precision_per_query([1, 0, 2], [3, 2, 1])[0], 5 / 6),
    KnownAnswer("metrics", "LETOR's discount", lambda: ndcg(GRADES, SCORES, k=2, convention="letor"), 3 / 4),
    KnownAnswer(
        "metrics",
        "LETOR's NDCG",
        lambda: ndcg(GRADES, SCORES, k=5, convention="letor"),
        (3 + 1 / LOG3 + 1 / LOG5) / (4 + 1 / LOG3),
    ),
    KnownAnswer(
        "metrics", "fewer documents than 10", lambda: ndcg(GRADES, SCORES, k=10, convention="letor"), 0
    ),
    KnownAnswer("metrics", "standard NDCG", lambda: ndcg([0, 1], [2, 1]), 1 / LOG3),
    KnownAnswer("metrics", "NDCG of a tie", lambda: ndcg([1, 0], [1, 1]), (1 + 1 / LOG3) / 2),
    KnownAnswer(
        "metrics", "precision of a tie", lambda: average_precision_per_query([1, 0], [1, 1])[0], 3 / 4
    ),
    KnownAnswer("metrics", "variables", lambda: selected_variables([1e-7, -2e-6, 1.0]).sum(), 2),
    KnownAnswer("splits", "rows in two parts or none", count_misplaced_rows, 0),
    KnownAnswer(
        "splits", "test rows of 30", lambda: draw_random_splits(30, 1, 1 / 3, 3, 1).test(0).sum(), 10
    ),
    KnownAnswer(
        "splits", "S5 is tested first", lambda: rotate_letor_folds(np.arange(5) + 1).test(0).argmax(), 4
    ),
    KnownAnswer(
        "splits",
        "S4 validates first",
        lambda: next(rotate_letor_folds(np.arange(5) + 1).folds(0))[2].argmax(),
        3,
    ),
    KnownAnswer("leaks", "fits and choices that follow the test part", count_test_leaks, 0),
    KnownAnswer(
        "leaks", "ties go to the middle", lambda: select_best([2, 2, 1, 2], [1, 2, 3, 4], "middle"), 1
    ),
    KnownAnswer("leaks", "w = 0 is not chosen", lambda: select_best([3, 2], [0, 5], "strongest"), 1),
    KnownAnswer("statistics", "Wilcoxon", lambda: wilcoxon_p([1, 2, 3, 4, 5], [0] * 5), 2 / 32),
    KnownAnswer(
        "statistics", "Student", lambda: paired_t_p([1, 2, 3], [2, 4, 6]), 0.5 - math.sqrt(12 / 14) / 2
    ),
    # Holm: .01 · 3, then .03 · 2 and .04 · 1, the last raised to the one before it
    KnownAnswer("statistics", "Holm", lambda: adjust_holm([0.01, 0.04, 0.03]).sum(), 0.03 + 0.06 + 0.06),
    KnownAnswer("statistics", "rank-biserial", lambda: rank_biserial([1, 2, 3, 0], [0, 0, 0, 4]), 0.2),
    KnownAnswer(
        "statistics",
        "Nadeau and Bengio",
        # a mean of 2, s² of 2, and (1/2 + .5) of it; the quantile of one degree of freedom is tan(.475 π)
        lambda: corrected_t([1, 3], [0, 0], 0.5).low,
        2 - math.sqrt(2) * math.tan(0.475 * math.pi),
    ),
    KnownAnswer("statistics", "mean rank of the best", lambda: mean_ranks([[3, 2, 1], [3, 2, 2]])[0], 1),
    # Demšar's q of two methods is the normal quantile: 1.96 √(2 · 3 / (6 · 4))
    KnownAnswer("statistics", "Nemenyi", lambda: critical_difference(2, 4), 1.959963984540054 / 2),
    KnownAnswer("labels", "wpbc: R and not N", lambda: apply_label_rule("wpbc", "R", "N") == "10", 1),
    KnownAnswer(
        "labels", "covtype: 2 and no other", lambda: apply_label_rule("covtype", *"1234567") == "0100000", 1
    ),
    KnownAnswer("labels", "colon: tumour", lambda: apply_label_rule("colon", "normal", "tumour") == "01", 1),
    KnownAnswer("labels", "of -1 and 1", lambda: as_grades([-1, 1, -1]) @ [1, 10, 100], 10),
    KnownAnswer(
        "labels",
        "preferences of two queries",
        lambda: count_queries(np.array([0, 1, 2, 1, 1]), np.array([7, 7, 7, 9, 9]))["preferences"],
        3,
    ),
    KnownAnswer(
        "verdicts", "beyond the margin", lambda: judge_number(PUBLISHED_FIXED, (0.5504,), 0.05) == DIFFERS, 1
    ),
    KnownAnswer(
        "verdicts", "within the margin", lambda: judge_number(PUBLISHED_FIXED, (0.5496,), 0.05) == AGREES, 1
    ),
    KnownAnswer(
        "verdicts", "below the margin", lambda: judge_number((0.04,), (0.9,), 0.05) == VALUE_BELOW_MARGIN, 1
    ),
    KnownAnswer(
        "verdicts",
        "a wide interval",
        lambda: judge_number(PUBLISHED_RANDOM, (0.58, 0.1, 10), 0.03, True) == CONSISTENT,
        1,
    ),
    KnownAnswer(
        "verdicts",
        "an interval without 0",
        lambda: judge_number(PUBLISHED_RANDOM, (0.7, 0.1, 10), 0.03, True) == DIFFERS,
        1,
    ),
    KnownAnswer(
        "verdicts",
        "Welch's interval",
        lambda: welch_interval(Mean(0.0, 1.0, 2), Mean(0.0, 1.0, 2))[1],
        _T_QUANTILE,
    ),
)


def run_checks(cases: Iterable[KnownAnswer] = CASES) -> list[dict]:
    """Compute each known answer, and check it.

    Parameters
    ----------
    cases : iterable of KnownAnswer

    Returns
    -------
    list of dict
        Rows with the keys `VERIFICATION_COLUMNS`, as those of `solver_checks.verify_solver`.
    """
    rows = []
    for case in cases:
        try:
            value, status = float(case.compute()), KNOWN_ANSWER_STATUS
        except Exception as error:  # a failed row stops the run at its end, with the others beside it
            value, status = math.nan, f"failed: {type(error).__name__}: {error}".splitlines()[0]
        # relative above 1, absolute below
        gap = abs(value - case.answer) / max(abs(case.answer), 1.0)
        gap = math.inf if math.isnan(gap) else gap
        row = (
            case.topic,
            case.case,
            value,
            case.answer,
            gap,
            KNOWN_ANSWER_TOLERANCE,
            gap <= KNOWN_ANSWER_TOLERANCE,
            status,
        )
        rows.append(dict(zip(VERIFICATION_COLUMNS, row, strict=True)))
    return rows
