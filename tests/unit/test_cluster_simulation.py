"""A simulated cluster: cases whose end is known, bounds that hold always, and a run that was measured."""

import csv
import inspect
import math
from pathlib import Path

import pytest
from cluster_simulation import (
    POLLING,
    Cluster,
    Job,
    batched,
    critical_path,
    longest_first,
    lower_bound,
    makespan,
    one_machine,
    shuffled,
    submitted,
    work,
)
from hypothesis import given
from hypothesis import strategies as st
from snakemake_executor_plugin_slurm import Executor, ExecutorSettings

REAL_RUN = Path(__file__).resolve().parents[1] / "quick_run.csv"


@st.composite
def job_lists(draw):
    """Up to 25 jobs, each of which may need some of those before it."""
    jobs = []
    for position in range(draw(st.integers(1, 25))):
        needs = draw(st.sets(st.integers(0, position - 1), max_size=4)) if position else set()
        jobs.append(Job(draw(st.floats(0.1, 1000)), tuple(sorted(needs)), draw(st.booleans())))
    return jobs


@st.composite
def clusters(draw):
    return Cluster(
        cores=draw(st.integers(1, 40)),
        jobs=draw(st.sampled_from([1, 7, math.inf])),
        per_minute=draw(st.sampled_from([6.0, 60.0, math.inf])),
        overhead=draw(st.sampled_from([0.0, 10.0])),
        polling=draw(st.sampled_from([POLLING, None])),
        local_cores=draw(st.integers(1, 4)),
    )


@pytest.mark.parametrize(
    ("number", "cores", "rounds"), [(1, 1, 1), (7, 1, 7), (7, 7, 1), (8, 7, 2), (100, 16, 7)]
)
def test_equal_jobs_go_in_rounds(number, cores, rounds):
    assert makespan([Job(5.0)] * number, one_machine(cores)) == 5.0 * rounds


def test_a_batch_is_one_job_after_all_that_its_members_need():
    fetch, other = Job(2.0, local=True), Job(9.0)
    jobs = [fetch, Job(5.0, (0,)), other, Job(7.0, (1, 2)), Job(1.0, (3,))]
    assert batched(jobs, [None, 4, None, 4, None]) == [
        fetch,
        Job(12.0, (0, 2)),
        other,
        Job(1.0, (1,)),
    ]
    assert batched(jobs, [None] * 5) == jobs


@given(job_lists(), st.integers(1, 5))
def test_batches_keep_the_work(jobs, size):
    together = batched(jobs, [None if job.local else position // size for position, job in enumerate(jobs)])
    assert work(together, one_machine(1)) == pytest.approx(work(jobs, one_machine(1)))
    assert len(together) <= len(jobs)


def test_a_chain_takes_the_sum():
    chain = [Job(float(seconds), (seconds - 1,) if seconds else ()) for seconds in range(10)]
    assert makespan(chain, one_machine(16)) == critical_path(chain) == 45.0


def test_a_diamond():
    jobs = [Job(1.0), Job(5.0, (0,)), Job(2.0, (0,)), Job(1.0, (1, 2))]
    assert makespan(jobs, one_machine(2)) == 7.0 and makespan(jobs, one_machine(1)) == 9.0


def test_more_cores_may_take_longer():
    """Graham's anomaly (1969): in the order of the list nine jobs take 12 on three machines, 15 on four."""
    seconds = [3, 2, 2, 2, 4, 4, 4, 4, 9]
    needs = {8: (0,), 4: (3,), 5: (3,), 6: (3,), 7: (3,)}
    jobs = [Job(float(value), needs.get(position, ())) for position, value in enumerate(seconds)]
    assert makespan(jobs, one_machine(3)) == 12.0
    assert makespan(jobs, one_machine(4)) == 15.0


def test_submissions_are_limited():
    """The tenth of ten jobs is submitted after ten pauses of six seconds."""
    assert makespan([Job(1.0)] * 10, Cluster(cores=10, per_minute=10)) == pytest.approx(61.0)


def test_jobs_at_a_time_are_limited():
    assert makespan([Job(1.0)] * 10, Cluster(cores=10, jobs=2)) == 5.0


def test_overhead_is_of_submitted_jobs_only():
    cluster = Cluster(cores=1, overhead=10.0)
    assert makespan([Job(1.0)], cluster) == 11.0 and makespan([Job(1.0, local=True)], cluster) == 1.0


@pytest.mark.parametrize(("seconds", "noticed"), [(1, 40), (41, 90), (91, 150), (151, 220), (1000, 1140)])
def test_looks_become_rarer(seconds, noticed):
    """A look after 40 s; the pauses after it are 50, 60, ..., 140, 150."""
    assert makespan([Job(float(seconds))], Cluster(cores=1, polling=POLLING)) == noticed


def test_a_look_that_finds_something_begins_anew():
    """Two jobs of 100 s, one after the other: seen at 150, submitted then, looked at 190, 240 and 300."""
    assert makespan([Job(100.0), Job(100.0, (0,))], Cluster(cores=1, polling=POLLING)) == 300.0


def test_the_looks_are_those_of_the_installed_executor():
    first, more, last = (round(seconds) for seconds in POLLING)
    assert ExecutorSettings().init_seconds_before_status_checks == first
    source = inspect.getsource(Executor.check_active_jobs)
    assert f"max_sleep_time = {last}\n" in source
    assert f"self.next_seconds_between_status_checks + {more}," in source


def test_local_jobs_need_no_submission():
    slow = Cluster(cores=1, per_minute=1, polling=POLLING, local_cores=2)
    assert makespan([Job(3.0, local=True)] * 4, slow) == 6.0


def test_jobs_in_a_circle_are_refused():
    with pytest.raises(ValueError, match="2 jobs wait for one another"):
        makespan([Job(1.0), Job(1.0, (2,)), Job(1.0, (1,))], one_machine(1))


def test_the_order_of_no_job_changes_what_it_needs():
    jobs = [Job(1.0), Job(5.0, (0,)), Job(2.0, (0,)), Job(1.0, (1, 2))]
    for other in (shuffled(jobs, 3), longest_first(jobs)):
        assert sorted(job.seconds for job in other) == [1.0, 1.0, 2.0, 5.0]
        assert critical_path(other) == 7.0
    assert [job.seconds for job in longest_first(jobs)] == [1.0, 5.0, 2.0, 1.0]


@given(job_lists(), clusters())
def test_never_below_the_bound(jobs, cluster):
    assert makespan(jobs, cluster) >= lower_bound(jobs, cluster) * (1 - 1e-12)


@given(job_lists(), clusters())
def test_never_above_one_job_after_the_other(jobs, cluster):
    """At the slowest, each job waits for its submission, its overhead and the longest pause between looks."""
    pause = 60 / cluster.per_minute + (POLLING[2] if cluster.polling else 0)
    outside = sum(not job.local for job in jobs)
    assert makespan(jobs, cluster) <= (work(jobs, cluster) + outside * pause) * (1 + 1e-12)


@given(job_lists(), st.integers(1, 20))
def test_graham_bound_of_list_scheduling(jobs, cores):
    """No list is worse than work / cores + (1 - 1 / cores) of the critical path."""
    jobs = submitted(jobs)
    bound = work(jobs, one_machine(1)) / cores + (1 - 1 / cores) * critical_path(jobs)
    assert makespan(jobs, one_machine(cores)) <= bound * (1 + 1e-12)


@given(job_lists(), st.integers(0, 5))
def test_where_every_order_ends_at_the_same_time(jobs, seed):
    jobs = shuffled(submitted(jobs), seed)
    assert makespan(jobs, one_machine(1)) == pytest.approx(work(jobs, one_machine(1)))
    assert makespan(jobs, one_machine(len(jobs))) == pytest.approx(critical_path(jobs))


def test_a_real_run_of_the_quick_study():
    """`snakemake --cores 2` on the quick study of Rakotomamonjy 2012, as Snakemake recorded it."""
    with REAL_RUN.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    jobs = [
        Job(float(row["end"]) - float(row["start"]), tuple(int(need) for need in row["needs"].split()))
        for row in rows
    ]
    took = max(float(row["end"]) for row in rows)
    assert makespan(jobs, one_machine(2)) == pytest.approx(took, rel=0.01)  # in the order of their begin
    simulated = [makespan(shuffled(jobs, seed), one_machine(2)) for seed in range(5)]
    assert all(abs(seconds / took - 1) < 0.05 for seconds in simulated), (took, simulated)
    assert min(simulated) >= lower_bound(jobs, one_machine(2))
