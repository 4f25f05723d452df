"""The splits of a study's data sets, and their batches: a job draws, fits or describes one batch."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from study_settings import Studies

from reproduction.datasets import registry
from reproduction.datasets.synthetic_families import find_family

if TYPE_CHECKING:
    from snakemake.io import Wildcards


class SplitBatches:
    """The batches of splits of the studies of a run, named first-last.

    Parameters
    ----------
    studies : Studies
        The studies of the run.
    """

    def __init__(self, studies: Studies) -> None:
        self.studies = studies
        self.list_batches = cache(self.list_batches)

    def count_splits(self, study: str, dataset: str) -> int:
        """Return the number of splits of a data set of a study.

        Parameters
        ----------
        study : str
            Name of a study of the run.
        dataset : str
            Name of a data set of the registry, or of a synthetic one.

        Returns
        -------
        int
            Number of splits.
        """
        settings = self.studies.settings[study]
        return settings.get("splits_by_dataset", {}).get(dataset, settings["splits"])

    def list_batches(self, study: str, dataset: str) -> list[str]:
        """List the batches of splits of a data set.

        Batches that exist already are kept, whatever their size. So if a study gets more splits, only the
        new ones are computed.

        Parameters
        ----------
        study : str
            Name of a study of the run.
        dataset : str
            Name of a data set of the registry, or of a synthetic one.

        Returns
        -------
        list[str]
            Names ``first-last``, both inclusive, in order.
        """
        settings = self.studies.settings[study]
        if family := find_family(dataset):
            # synthetic data are drawn anew in each trial, and trials are their splits
            n_splits, size = (settings[family.name][key] for key in ("trials", "trials_per_job"))
        else:
            n_splits = self.count_splits(study, dataset)
            size = settings.get("splits_per_job_by_dataset", {}).get(dataset, settings["splits_per_job"])
        # Batches that exist keep their limits: a study with more splits, or another size of batches, adds
        # files and makes none again.
        last_of: dict[int, int] = {}  # first split -> last split of the existing batches
        for file in Path(self.studies.results, study, "splits").glob(f"{dataset}.*.npz"):
            numbers = re.fullmatch(rf"{re.escape(dataset)}\.(\d+)-(\d+)\.npz", file.name)
            if numbers and int(numbers[2]) < n_splits:
                last_of[int(numbers[1])] = max(int(numbers[2]), last_of.get(int(numbers[1]), 0))
        names, first = [], 0
        while first < n_splits:
            # an existing batch with this first split, or a new one up to the next limit
            last = last_of.get(first, min(first + size, n_splits) - 1)
            names.append(f"{first}-{last}")
            first = last + 1
        return names

    def list_batches_by_dataset(self, study: str) -> dict[str, list[str]]:
        """List the batches of splits of every data set of a study, synthetic ones included.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        dict[str, list[str]]
            Batches by the name of the data set.
        """
        datasets = [*self.studies.settings[study]["datasets"], *self.studies.list_synthetic_datasets(study)]
        return {dataset: self.list_batches(study, dataset) for dataset in datasets}

    def find_batch(self, study: str, dataset: str, split: int) -> str:
        """Return the batch that holds a split.

        Parameters
        ----------
        study : str
            Name of a study of the run.
        dataset : str
            Name of a data set of the registry, or of a synthetic one.
        split : int
            Number of the split, from 0.

        Returns
        -------
        str
            Name ``first-last`` of the batch.

        Raises
        ------
        ValueError
            The study has no such split.
        """
        for batch in self.list_batches(study, dataset):
            first, last = map(int, batch.split("-"))
            if first <= split <= last:
                return batch
        raise ValueError(f"study {study} has no split {split}")

    def get_split_settings(self, wildcards: Wildcards) -> dict:
        """Return the settings on which the splits of a data set depend; their number is not one of them.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        dict
            Protocol (``kind`` and its options) and the feature scalings; the key ``of`` names the data set of
            which this one is a variant.
        """
        settings = self.studies.get_settings(wildcards)
        protocol = dict(self.studies.get_paper(wildcards).splits(settings, wildcards.dataset))
        if original := registry.get(wildcards.dataset).variant_of:
            protocol["of"] = original  # a variant of the same rows has the same splits
        scalings = settings["datasets"].get(wildcards.dataset, [])
        # folds of queries are not diagnosed, which alone depends on the scaling of the features
        return {**protocol, "feature_scaling": [] if protocol["kind"] == "folds" else scalings}

    def count_inner_folds(self, wildcards: Wildcards) -> int:
        """Return the inner folds of a split: one validation part, unless the splits are drawn with more.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        int
            Number of inner folds, at least 1.
        """
        if find_family(wildcards.dataset):
            return 1
        return self.get_split_settings(wildcards).get("inner_folds", 1)
