"""How long would the jobs of a workflow take on a cluster? A simulation from their seconds and dependencies.

Snakemake's main process hands ready jobs to the batch system, one after the other and at most so many at a
time; these wait for a core, first come, first served; that one is done is noticed when the main process next
looks, and only then what depends on it becomes ready. Every job takes one core. With no limit on
submissions, no looks in between and no overhead this is list scheduling on one machine.
"""

import heapq
import math
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

#: Seconds between two looks of the SLURM executor (check_active_jobs of its plugin 2.8): at first and after a
#: look that found a finished job; how many more after each look that found none; and at most.
POLLING = (40.0, 10.0, 180.0)


@dataclass(frozen=True)
class Job:
    """One job.

    Attributes
    ----------
    seconds : float
        What it computes.
    needs : tuple of int
        Positions, in the list of all jobs, of those that have to be done before.
    local : bool
        Whether the main process runs it itself.
    """

    seconds: float
    needs: tuple[int, ...] = ()
    local: bool = False


@dataclass(frozen=True)
class Cluster:
    """Where the jobs run, and how the main process deals with it.

    Attributes
    ----------
    cores : int
        Cores of the whole cluster.
    jobs : float
        How many jobs may be submitted and not yet known to be done (``--jobs``).
    per_minute : float
        How many submissions the main process gets through in a minute.
    overhead : float
        Seconds that a submitted job takes beside what it computes.
    polling : tuple of float or None
        As `POLLING`; None: a job that is done is noticed at once.
    local_cores : int
        Cores for the local jobs.
    """

    cores: int
    jobs: float = math.inf
    per_minute: float = math.inf
    overhead: float = 0.0
    polling: tuple[float, float, float] | None = None
    local_cores: int = 1


def one_machine(cores: int) -> Cluster:
    """One machine without a batch system: local jobs take its cores like all others, see `submitted`."""
    return Cluster(cores=cores, jobs=cores)


def submitted(jobs: Sequence[Job]) -> list[Job]:
    """The same jobs with no local ones among them."""
    return [replace(job, local=False) for job in jobs]


def batched(jobs: Sequence[Job], batches: Sequence[int | None]) -> list[Job]:
    """The submissions: each batch as one job, whose members run one after the other, and the other jobs.

    Parameters
    ----------
    jobs : sequence of Job
    batches : sequence of int or None
        Of each job, the number of its batch; None: it is submitted alone.
    """
    together: dict[object, list[int]] = {}
    for position, batch in enumerate(batches):
        together.setdefault(("alone", position) if batch is None else batch, []).append(position)
    place = {position: new for new, members in enumerate(together.values()) for position in members}
    return [
        Job(
            seconds=sum(jobs[member].seconds for member in members),
            needs=tuple(sorted({place[need] for member in members for need in jobs[member].needs} - {new})),
            local=jobs[members[0]].local,
        )
        for new, members in enumerate(together.values())
    ]


def shuffled(jobs: Sequence[Job], seed: int) -> list[Job]:
    """The same jobs in another order: which of the ready ones goes first."""
    order = list(range(len(jobs)))
    random.Random(seed).shuffle(order)
    return _reordered(jobs, order)


def longest_first(jobs: Sequence[Job]) -> list[Job]:
    """The same jobs, those at the head of the longest chains first."""
    ahead = _seconds_ahead(jobs)
    return _reordered(jobs, sorted(range(len(jobs)), key=lambda position: -ahead[position]))


def work(jobs: Sequence[Job], cluster: Cluster) -> float:
    """Seconds of one core that the jobs take, with their overhead."""
    return sum(job.seconds + (0 if job.local else cluster.overhead) for job in jobs)


def critical_path(jobs: Sequence[Job], overhead: float = 0.0) -> float:
    """Seconds of the longest chain of jobs, each of which needs the one before."""
    padded = [replace(job, seconds=job.seconds + (0 if job.local else overhead)) for job in jobs]
    return max(_seconds_ahead(padded), default=0.0)


def lower_bound(jobs: Sequence[Job], cluster: Cluster) -> float:
    """Seconds that no order of the jobs can beat: of the critical path, or of the work shared evenly."""
    outside = [job for job in jobs if not job.local]
    local = [job for job in jobs if job.local]
    return max(
        critical_path(jobs, cluster.overhead),
        work(outside, cluster) / cluster.cores,
        work(local, cluster) / cluster.local_cores,
    )


def makespan(jobs: Sequence[Job], cluster: Cluster) -> float:
    """Seconds until the main process knows that the last job is done.

    Raises
    ------
    ValueError
        The jobs need one another in a circle.
    """
    return _Run(jobs, cluster).seconds()


class _Run:
    """The state of one simulation; times are seconds since its start."""

    def __init__(self, jobs: Sequence[Job], cluster: Cluster):
        _seconds_ahead(jobs)  # a circle would never end
        self.jobs, self.cluster = jobs, cluster
        self.missing = [len(set(job.needs)) for job in jobs]
        self.followers: list[list[int]] = [[] for _ in jobs]
        for position, job in enumerate(jobs):
            for need in set(job.needs):
                self.followers[need].append(position)
        #: ready to be submitted, or to be run by the main process: the first of the list first
        self.ready: list[int] = []
        self.ready_local: list[int] = []
        self.waiting: deque[int] = deque()  # submitted, without a core
        self.finished: list[int] = []  # done, and not noticed yet
        self.free_cores, self.free_local = cluster.cores, cluster.local_cores
        self.active = 0  # submitted and not known to be done
        self.submitting = False
        self.events: list[tuple[float, int, str, int]] = []
        self.number_of_events = 0
        self.interval = cluster.polling[0] if cluster.polling else 0.0

    def seconds(self) -> float:
        for position, missing in enumerate(self.missing):
            if not missing:
                self.becomes_ready(position)
        left, now = len(self.jobs), 0.0
        if self.cluster.polling:
            self.at(self.interval, "look")
        self.hand_out(now)
        while left:
            now, _, event, position = heapq.heappop(self.events)
            if event == "submitted":
                self.submitting = False
                self.waiting.append(position)
            elif event == "local done":
                self.free_local += 1
                self.noticed([position])
                left -= 1
            elif event == "done":
                self.free_cores += 1
                self.finished.append(position)
                if not self.cluster.polling:
                    left -= self.look()
            else:
                left -= self.look()
                self.at(now + self.interval, "look")
            self.hand_out(now)
        return now

    def look(self) -> int:
        """Notice what is done; returns how many jobs that are."""
        found = len(self.finished)
        if self.cluster.polling:
            first, more, last = self.cluster.polling
            # a look without a submitted job starts again too
            self.interval = first if found or not self.active else min(self.interval + more, last)
        self.active -= found
        self.noticed(self.finished)
        self.finished = []
        return found

    def noticed(self, done: list[int]) -> None:
        for position in done:
            for follower in self.followers[position]:
                self.missing[follower] -= 1
                if not self.missing[follower]:
                    self.becomes_ready(follower)

    def becomes_ready(self, position: int) -> None:
        heapq.heappush(self.ready_local if self.jobs[position].local else self.ready, position)

    def hand_out(self, now: float) -> None:
        """Start and submit what can be."""
        cluster = self.cluster
        while self.free_local and self.ready_local:
            position = heapq.heappop(self.ready_local)
            self.free_local -= 1
            self.at(now + self.jobs[position].seconds, "local done", position)
        pause = 60 / cluster.per_minute
        while self.ready and self.active < cluster.jobs and not self.submitting:
            position = heapq.heappop(self.ready)
            self.active += 1
            if pause:
                self.submitting = True
                self.at(now + pause, "submitted", position)
            else:
                self.waiting.append(position)
        while self.free_cores and self.waiting:
            position = self.waiting.popleft()
            self.free_cores -= 1
            self.at(now + cluster.overhead + self.jobs[position].seconds, "done", position)

    def at(self, time: float, event: str, position: int = -1) -> None:
        self.number_of_events += 1  # of two at the same time, the older one comes first
        heapq.heappush(self.events, (time, self.number_of_events, event, position))


def _seconds_ahead(jobs: Sequence[Job]) -> list[float]:
    """Of each job: the seconds of the longest chain that begins with it."""
    followers: list[list[int]] = [[] for _ in jobs]
    for position, job in enumerate(jobs):
        for need in set(job.needs):
            followers[need].append(position)
    left = [len(after) for after in followers]
    ahead = [0.0] * len(jobs)
    ends = [position for position, count in enumerate(left) if not count]
    seen = 0
    while ends:
        position = ends.pop()
        seen += 1
        ahead[position] = jobs[position].seconds + max((ahead[f] for f in followers[position]), default=0.0)
        for need in set(jobs[position].needs):
            left[need] -= 1
            if not left[need]:
                ends.append(need)
    if seen < len(jobs):
        raise ValueError(f"{len(jobs) - seen} jobs wait for one another: their needs form a circle.")
    return ahead


def _reordered(jobs: Sequence[Job], order: Sequence[int]) -> list[Job]:
    """The jobs at the positions of ``order``, one after the other."""
    place = {position: new for new, position in enumerate(order)}
    return [
        replace(jobs[position], needs=tuple(sorted(place[need] for need in jobs[position].needs)))
        for position in order
    ]
