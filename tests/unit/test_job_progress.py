"""Counts of jobs and the estimate of the time that is left."""

import pytest

from snakemake_logger_plugin_toprank.job_progress import JobProgress, format_duration


class Clock:
    """A clock that the test sets."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


def test_no_time_is_estimated_before_a_job_is_done(clock):
    progress = JobProgress({"fit": 4, "total": 4}, clock)
    progress.start(1, "fit", {"dataset": "wdbc", "splits": "0-3"})
    clock.seconds = 90.0
    assert progress.estimate_seconds_left() is None
    assert progress.describe() == "0:01:30  0 of 4 jobs done; running: fit wdbc 0-3"


def test_a_job_is_expected_to_take_the_mean_time_of_its_rule(clock):
    progress = JobProgress({"fit": 3, "page": 2, "total": 5}, clock)
    for job_id, rule, seconds in ((1, "fit", 10.0), (2, "fit", 20.0), (3, "page", 2.0)):
        progress.start(job_id, rule, {})
        clock.seconds += seconds
        progress.finish(job_id)
    # one job at once until now: the third fit takes 15 s, the second page 2 s
    assert progress.estimate_seconds_left() == pytest.approx(17.0)
    progress.start(4, "fit", {})
    clock.seconds += 5.0
    assert progress.estimate_seconds_left() == pytest.approx(12.0)
    clock.seconds += 100.0  # longer than expected: only the page is left
    assert progress.estimate_seconds_left() == pytest.approx(2.0)


def test_jobs_that_run_at_once_shorten_what_is_left(clock):
    progress = JobProgress({"fit": 4, "total": 4}, clock)
    progress.start(1, "fit", {})
    progress.start(2, "fit", {})
    clock.seconds = 10.0
    progress.finish(1)
    progress.finish(2)
    assert progress.estimate_seconds_left() == pytest.approx(10.0)


def test_a_rule_without_a_finished_job_takes_the_mean_of_all(clock):
    progress = JobProgress({"fit": 1, "verify": 3, "total": 4}, clock)
    progress.start(1, "fit", {})
    clock.seconds = 4.0
    progress.finish(1)
    assert progress.estimate_seconds_left() == pytest.approx(12.0)


def test_a_failed_job_is_counted_until_it_starts_again(clock):
    progress = JobProgress({"fit": 2, "total": 2}, clock)
    progress.start(1, "fit", {})
    clock.seconds = 1.0
    progress.finish(1)
    progress.start(2, "fit", {})
    progress.fail(2)
    assert progress.describe() == "0:00:01  1 of 2 jobs done, 1 failed"
    progress.start(2, "fit", {})
    assert progress.describe().startswith("0:00:01  1 of 2 jobs done, about")
    assert progress.waiting["fit"] == 0
    progress.finish(2)
    assert progress.n_done == 2


def test_a_job_of_which_nothing_is_known_changes_nothing(clock):
    progress = JobProgress({"fit": 1, "total": 1}, clock)
    progress.finish(7)
    progress.fail(7)
    assert progress.describe() == "0:00:00  0 of 1 jobs done"


def test_the_oldest_jobs_are_named_and_the_others_counted(clock):
    progress = JobProgress({"fit": 9, "total": 9}, clock)
    for job_id in range(5):
        progress.start(job_id, "fit", {"split": str(job_id)})
        clock.seconds += 1.0
    assert progress.describe().endswith("running: fit 0, fit 1, fit 2 and 2 more")


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00:00"), (59.6, "0:01:00"), (90_061, "25:01:01")])
def test_durations(seconds, text):
    assert format_duration(seconds) == text
