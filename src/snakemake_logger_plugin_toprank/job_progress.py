"""Counts of a run's jobs, and an estimate of the time that is left."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: So many running jobs are named in a line; a cluster runs a hundred at once.
MAX_NAMED_JOBS = 3


@dataclass
class RunningJob:
    """A job that has been started (on a cluster: submitted).

    Parameters
    ----------
    rule : str
    wildcards : mapping of str to str
    started_at : float
        Time by the clock of its `JobProgress`, in seconds.
    """

    rule: str
    wildcards: Mapping[str, str]
    started_at: float

    def __str__(self) -> str:
        """Return the rule and the values of its wildcards."""
        return " ".join((self.rule, *map(str, self.wildcards.values())))


class JobProgress:
    """Which jobs of a run are done, running and left.

    Parameters
    ----------
    jobs_of_rule
        Rule -> number of its jobs, and their sum under ``"total"``, as in Snakemake's event ``RUN_INFO``.
    clock
        Returns a time in seconds.
    """

    def __init__(self, jobs_of_rule: Mapping[str, int], clock: Callable[[], float] = time.monotonic):
        self.clock = clock
        self.started_at = clock()
        self.total = jobs_of_rule["total"]
        self.waiting = Counter({rule: count for rule, count in jobs_of_rule.items() if rule != "total"})
        self.running: dict[int, RunningJob] = {}
        self.failed: dict[int, str] = {}
        self.finished: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()

    @property
    def n_done(self) -> int:
        """The number of jobs that have succeeded."""
        return self.finished.total()

    def start(self, job_id: int, rule: str, wildcards: Mapping[str, str]) -> None:
        """Note that a job starts, perhaps again after a failure.

        Parameters
        ----------
        job_id : int
        rule : str
        wildcards : mapping of str to str
        """
        if self.failed.pop(job_id, None) is None:
            self.waiting[rule] -= 1
        self.running[job_id] = RunningJob(rule, wildcards or {}, self.clock())

    def finish(self, job_id: int) -> None:
        """Note that a job has succeeded, and the time that it took.

        Parameters
        ----------
        job_id : int
        """
        if job := self.running.pop(job_id, None):
            self.finished[job.rule] += 1
            self.seconds[job.rule] += self.clock() - job.started_at

    def fail(self, job_id: int) -> None:
        """Note that a job has failed.

        Parameters
        ----------
        job_id : int
        """
        if job := self.running.pop(job_id, None):
            self.failed[job_id] = job.rule

    def estimate_seconds_left(self) -> float | None:
        """Estimate the time until all jobs are done; None before the first one is.

        A job is expected to take the mean time of the finished jobs of its rule (of all rules, if none of its
        own has finished), and as many jobs to run at once as on average until now.

        Returns
        -------
        float | None
        """
        elapsed = self.clock() - self.started_at
        if not self.n_done or elapsed <= 0:
            return None
        mean_of_all = self.seconds.total() / self.n_done
        mean_of_rule = {rule: self.seconds[rule] / count for rule, count in self.finished.items()}
        remaining = sum(
            max(count, 0) * mean_of_rule.get(rule, mean_of_all) for rule, count in self.waiting.items()
        )
        busy = self.seconds.total()
        for job in self.running.values():
            age = self.clock() - job.started_at
            busy += age
            remaining += max(mean_of_rule.get(job.rule, mean_of_all) - age, 0)
        return remaining / (busy / elapsed) if busy else None

    def describe(self) -> str:
        """Return a line: time since the start, jobs done, failed and running, and the time that is left.

        Returns
        -------
        str
        """
        line = f"{format_duration(self.clock() - self.started_at)}  {self.n_done} of {self.total} jobs done"
        if self.failed:
            line += f", {len(self.failed)} failed"
        if self.running:
            seconds_left = self.estimate_seconds_left()
            if seconds_left is not None:
                line += f", about {format_duration(seconds_left)} left"
            oldest = sorted(self.running.values(), key=lambda job: job.started_at)
            line += "; running: " + ", ".join(map(str, oldest[:MAX_NAMED_JOBS]))
            if len(oldest) > MAX_NAMED_JOBS:
                line += f" and {len(oldest) - MAX_NAMED_JOBS} more"
        return line


def format_duration(seconds: float) -> str:
    """Return a duration as hours:minutes:seconds.

    Parameters
    ----------
    seconds : float

    Returns
    -------
    str
    """
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
