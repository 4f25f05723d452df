"""Memory and time that jobs request on a cluster, where the default of profiles/slurm may not be enough.

The default is 1000 MB and an hour. Each retry requests twice as much as the attempt before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from experiments import Experiments

from reproduction.datasets import registry
from reproduction.datasets.synthetic_families import find_family
from reproduction.specs.paper import import_object

if TYPE_CHECKING:
    from snakemake.io import Wildcards

#: Snakemake's two processes around a script on a cluster, and the libraries of the script.
PROCESSES_MB = 800
#: The defaults of profiles/slurm, below which a request would take away what any job may have.
MIN_MB, MIN_MINUTES = 1000, 60
#: Requested time over that of the slowest method on this project's machine.
TIME_FACTOR = 3
#: Rows and features of a data set whose size is not in the registry.
DEFAULT_SIZE = (100_000, 100)


class JobResources:
    """Memory and time of the jobs of one configuration, as functions for the resources of a rule.

    Parameters
    ----------
    experiments : Experiments
        The experiments of the run.
    """

    def __init__(self, experiments: Experiments) -> None:
        self.experiments = experiments

    def request_for_splits(self, copies: int) -> dict:
        """Return the resources of a job on a batch of splits with ``copies`` dense copies of the data.

        Parameters
        ----------
        copies : int
            Dense copies of the data, in float64, that the job holds at once.

        Returns
        -------
        dict
            ``mem_mb`` (megabytes) and ``runtime`` (minutes) as functions of wildcards and attempt.
        """

        def mem_mb(wildcards: Wildcards, attempt: int) -> int:
            """Return the megabytes of a job on a batch of splits.

            Parameters
            ----------
            wildcards : Wildcards
                Wildcards of the job.
            attempt : int
                Number of the attempt, from 1; each requests twice as much as the one before.

            Returns
            -------
            int
                Megabytes.
            """
            rows, features = self.get_size(wildcards.dataset, wildcards)
            # synthetic data: the rows of all splits of the batch are held at once
            if find_family(wildcards.dataset):
                rows *= count_splits(wildcards)  # each split has rows of its own
            elif registry.get(wildcards.dataset).storage == "mapped":
                # a mapped data set stays on the disk: its pages do not count as copies
                return request_mb(estimate_mapped_mb(rows, features), attempt)
            return request_mb(copies * rows * features * 8 / 1e6, attempt)

        def runtime(wildcards: Wildcards, attempt: int) -> int:
            """Return the minutes of the slowest method per split: a minute plus 0.7 ms x rows x √features.

            Parameters
            ----------
            wildcards : Wildcards
                Wildcards of the job.
            attempt : int
                Number of the attempt, from 1; each requests twice as much as the one before.

            Returns
            -------
            int
                Minutes.
            """
            rows, features = self.get_size(wildcards.dataset, wildcards)
            # A batch of splits is one job, so its time is that of all its splits.
            seconds = (60 + 0.7e-3 * rows * math.sqrt(features)) * count_splits(wildcards)
            # an attempt after a failure asks for twice as much, of time here and of memory below
            return max(MIN_MINUTES, math.ceil(TIME_FACTOR * seconds / 60)) * 2 ** (attempt - 1)

        return {"mem_mb": mem_mb, "runtime": runtime}

    def request_for_fit(self, **amounts: int) -> dict:
        """Return the resources of a method's rule, with some amounts of its own.

        Snakemake replaces the resources of an inherited rule as a whole, so a rule states all of them.

        Parameters
        ----------
        **amounts : int
            Amounts for the first attempt in place of those that follow from the size of the data: ``mem_mb``
            (megabytes), ``runtime`` (minutes), or further resources.

        Returns
        -------
        dict
            ``mem_mb`` and ``runtime``, which double with each attempt, and ``bandwidth``.
        """
        defaults = self.request_for_splits(copies=4)
        own = {
            name: _grow_by_attempt(amount) if name in defaults else amount for name, amount in amounts.items()
        }
        return defaults | {"bandwidth": self.experiments.studies.get_bandwidth} | own

    @staticmethod
    def request_for_preparation(wildcards: Wildcards, attempt: int) -> int:
        """Return the megabytes that reading a data set takes, as its entry in the registry says.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.
        attempt : int
            Number of the attempt, from 1; each requests twice as much as the one before.

        Returns
        -------
        int
            Megabytes.
        """
        return max(MIN_MB, registry.get(wildcards.dataset).memory_mb) * 2 ** (attempt - 1)

    def request_for_experiment(self, wildcards: Wildcards, attempt: int) -> int:
        """Return the megabytes of a part of an experiment: its own estimate, or four copies of its data.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.
        attempt : int
            Number of the attempt, from 1; each requests twice as much as the one before.

        Returns
        -------
        int
            Megabytes.
        """
        experiment = self.experiments.get_experiment(wildcards)
        if experiment.memory:
            settings = self.experiments.studies.get_settings(wildcards)
            return request_mb(experiment.memory(settings, wildcards.part), attempt)
        datasets = {dataset for dataset, _ in self.experiments.list_split_inputs(wildcards)}
        sizes = [self.get_size(dataset, wildcards) for dataset in sorted(datasets)]
        # dense float64: 8 bytes an entry
        return request_mb(
            max((4 * rows * features * 8 / 1e6 for rows, features in sizes), default=0), attempt
        )

    def get_size(self, dataset: str, wildcards: Wildcards) -> tuple[int, int]:
        """Return the rows and features of a data set; of a synthetic one, those of one split.

        Parameters
        ----------
        dataset : str
            Name of a data set of the registry, or of a synthetic one.
        wildcards : snakemake.io.Wildcards
            Wildcards of the job, whose study draws the synthetic one.

        Returns
        -------
        tuple[int, int]
            Rows and features; `DEFAULT_SIZE` where the registry does not say.
        """
        if family := find_family(dataset):
            settings = import_object(family.select_settings)(self.experiments.studies.get_settings(wildcards))
            return import_object(family.measure_size)(settings, dataset)
        expected = registry.get(dataset).expected
        return expected.get("rows") or DEFAULT_SIZE[0], expected.get("features") or DEFAULT_SIZE[1]


def _grow_by_attempt(amount: int) -> Callable:
    """Return a resource that doubles with each attempt."""

    def request(wildcards: Wildcards, attempt: int) -> int:
        """Return the amount of an attempt, from 1.

        Parameters
        ----------
        wildcards : Wildcards
        attempt : int
        """
        return amount * 2 ** (attempt - 1)

    return request


def count_splits(wildcards: Wildcards) -> int:
    """Return the number of splits of a job.

    Parameters
    ----------
    wildcards : snakemake.io.Wildcards
        Wildcards of the job; without a split batch it has one.

    Returns
    -------
    int
        Number of splits.
    """
    first, last = map(int, getattr(wildcards, "split_batch", "0-0").split("-"))
    return last - first + 1


def request_mb(data_mb: float, attempt: int) -> int:
    """Return the megabytes of a job that holds ``data_mb``, with Snakemake's processes.

    Parameters
    ----------
    data_mb : float
        Megabytes of the data of the job.
    attempt : int
        Number of the attempt, from 1; each requests twice as much as the one before.

    Returns
    -------
    int
        Megabytes, a multiple of 100 times a power of 2.
    """
    # in steps of 100 MB, so that small changes of an estimate do not change the request
    return max(MIN_MB, math.ceil((PROCESSES_MB + data_mb) / 100) * 100) * 2 ** (attempt - 1)


def estimate_mapped_mb(rows: int, features: int) -> float:
    """Return the megabytes for a memory-mapped set: the float32 file, and four matrices of features².

    Parameters
    ----------
    rows : int
        Rows of the data set.
    features : int
        Features of the data set.

    Returns
    -------
    float
        Megabytes.
    """
    return (4 * rows * features + 4 * 8 * features**2) / 1e6
