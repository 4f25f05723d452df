"""Memory and time that jobs request on a cluster, where the default of profiles/slurm may not be enough.

The default is 1000 MB and an hour. Each retry requests twice as much as the attempt before.
"""

import math

from paths import Layout

from reproduction.datasets import registry
from reproduction.datasets.toy_names import toy_size

#: Snakemake's two processes around a script on a cluster, and the libraries of the script.
PROCESSES_MB = 800
LEAST_MB, LEAST_MINUTES = 1000, 60
#: Requested time over that of the slowest method on this project's machine.
TIME_FACTOR = 3
#: Rows and features of a data set whose size is not in the registry.
UNKNOWN_SIZE = (100_000, 100)


class Needs:
    """Memory and time of the jobs of one configuration, as functions for the resources of a rule."""

    def __init__(self, layout: Layout):
        self.layout = layout

    def of_data(self, copies: int) -> dict:
        """The resources of a job on a block of splits that holds ``copies`` dense copies of the data."""

        def mem_mb(wildcards, attempt):
            rows, features = self.size(wildcards.dataset)
            if not toy_size(wildcards.dataset) and registry.get(wildcards.dataset).storage == "mapped":
                return asked(mapped_mb(rows, features), attempt)
            return asked(copies * rows * features * 8 / 1e6, attempt)

        def runtime(wildcards, attempt):
            """Time of the slowest method per split: a minute plus 0.7 ms x rows x √features."""
            rows, features = self.size(wildcards.dataset)
            first, last = map(int, getattr(wildcards, "block", "0-0").split("-"))
            seconds = (60 + 0.7e-3 * rows * math.sqrt(features)) * (last - first + 1)
            return max(LEAST_MINUTES, math.ceil(TIME_FACTOR * seconds / 60)) * 2 ** (attempt - 1)

        return {"mem_mb": mem_mb, "runtime": runtime}

    @staticmethod
    def preparing(wildcards, attempt) -> int:
        """Memory that reading a data set takes, as its entry in the registry says."""
        return max(LEAST_MB, registry.get(wildcards.dataset).memory_mb) * 2 ** (attempt - 1)

    def measuring(self, wildcards, attempt) -> int:
        """Memory of a part of a block: its own estimate, or four copies of the data that it reads."""
        block, study = self.layout.block(wildcards), self.layout.study(wildcards)
        if block.memory:
            return asked(block.memory(study, wildcards.part), attempt)
        sizes = [self.size(dataset) for dataset, _ in self.layout.folds(wildcards)]
        return asked(max((4 * rows * features * 8 / 1e6 for rows, features in sizes), default=0), attempt)

    @staticmethod
    def size(dataset: str) -> tuple[int, int]:
        """Rows and features of a data set."""
        if toy_size(dataset):
            return toy_size(dataset)
        expected = registry.get(dataset).expected
        return expected.get("rows") or UNKNOWN_SIZE[0], expected.get("features") or UNKNOWN_SIZE[1]


def asked(data_mb: float, attempt: int) -> int:
    """Megabytes of a job that holds ``data_mb``, with Snakemake's processes."""
    return max(LEAST_MB, math.ceil((PROCESSES_MB + data_mb) / 100) * 100) * 2 ** (attempt - 1)


def mapped_mb(rows: int, features: int) -> float:
    """Memory of a job on a memory-mapped set: the float32 file, and four matrices of features²."""
    return (4 * rows * features + 4 * 8 * features**2) / 1e6
