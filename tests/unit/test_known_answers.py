"""The known answers are found, and a slip in what they ask is a failed row."""

import dataclasses

import numpy as np
import pytest
from report_runs import run

from reproduction.core.result_columns import VERIFICATION_COLUMNS
from reproduction.core.results import read_verification
from reproduction.fitting import feature_scaling as features
from reproduction.splits import splits
from reproduction.verification import known_answers as known
from reproduction.verification.known_answers import (
    CASES,
    count_misplaced_rows,
    count_test_leaks,
    run_checks,
)
from toprank import metrics

SUBJECTS = {"metrics", "splits", "leaks", "statistics", "labels", "verdicts"}


def test_every_answer_is_found_and_read_with_the_solvers(tmp_path):
    run("known_answers", tmp_path, [], [str(tmp_path / "known.csv")])
    rows = read_verification(tmp_path / "known.csv")
    assert tuple(rows) == VERIFICATION_COLUMNS and len(rows) == len(CASES)
    assert rows["passed"].all() and set(rows["method"]) == SUBJECTS
    assert not rows.duplicated(["method", "case"]).any()


def test_another_answer_and_an_error_are_failed_rows():
    other = [
        dataclasses.replace(case, answer=case.answer + 1e-6) for case in CASES if case.topic == "metrics"
    ]
    assert not any(row["passed"] for row in run_checks(other))
    (row,) = run_checks([known.KnownAnswer("metrics", "none", lambda: 1 / 0, 1.0)])
    assert row["passed"] is False and row["status"] == "failed: ZeroDivisionError: division by zero"


def test_statistics_of_the_test_part_are_a_leak(monkeypatch):
    right = features.standardise

    def leaking(*parts):
        return right(np.vstack(parts), *parts)[1:]

    monkeypatch.setattr(features, "standardise", leaking)
    assert count_test_leaks() > 0


def test_a_choice_by_the_test_part_is_a_leak(monkeypatch):
    monkeypatch.setattr(splits.Splits, "train", lambda self, split: self.inner[split] > splits.OTHER_SAMPLE)
    assert count_test_leaks() > 0 and count_misplaced_rows() > 0


@pytest.mark.parametrize("name", ["ndcg", "rate_at_top"])
def test_a_wrong_metric_fails_its_rows(monkeypatch, name):
    right = getattr(metrics, name)
    monkeypatch.setattr(
        known, name, lambda *arguments, **options: 0.99 * right(*arguments, **options) + 0.001
    )
    assert {row["method"] for row in run_checks() if not row["passed"]} == {"metrics"}
