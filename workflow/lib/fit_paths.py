"""The names of the files of data, splits and fits, derived from the configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from config_consistency import list_methods
from split_batches import SplitBatches
from study_settings import Studies

from reproduction.datasets import registry
from reproduction.datasets.synthetic_families import find_family, list_families

if TYPE_CHECKING:
    from snakemake.io import Wildcards


class FitPaths:
    """The files of the data, splits and fits of a run; patterns keep their wildcards in braces.

    Parameters
    ----------
    config : dict
        Configuration of the run, after its validation.
    """

    def __init__(self, config: dict) -> None:
        self.studies = Studies(config)
        self.split_batches = SplitBatches(self.studies)
        self.results = config["results"]

    # Data

    def get_download_record(self, dataset: str) -> Path:
        """Return the file that records the download of a data set.

        Parameters
        ----------
        dataset : str
            Name of a data set.

        Returns
        -------
        pathlib.Path
            Path of its ``fetch.json``.
        """
        return Path(self.results, "data", dataset, "fetch.json")

    def list_download_records(self, wildcards: Wildcards) -> list[str]:
        """List what rule prepare reads: the download record; nothing if the data set has no files.

        Parameters
        ----------
        wildcards : snakemake.io.Wildcards
            Wildcards of the job.

        Returns
        -------
        list[str]
            Paths relative to the working directory; empty for a data set without files.
        """
        files = registry.get(wildcards.dataset).files
        return [str(self.get_download_record(wildcards.dataset))] if files else []

    def read_attempt(self, dataset: str) -> str:
        """Read the parameter of rule fetch that changes to try a data set again; see `note_retries`.

        Parameters
        ----------
        dataset : str
            Name of a data set of the registry, or of a synthetic one.

        Returns
        -------
        str
            Text of the note; empty before the first failure.
        """
        note = self.get_download_record(dataset).with_name("attempt")
        return note.read_text(encoding="utf-8") if note.is_file() else ""

    def select_prepared_file(self, name: str) -> Callable:
        """Return an input function: a file of a job's data set; each study has its own synthetic data.

        Parameters
        ----------
        name : str
            Name of the file in the folder of a data set, such as ``arrays.npz``.

        Returns
        -------
        Callable
            Function of the wildcards that returns the path.
        """

        def get_file(wildcards: Wildcards) -> str:
            """Return the path for the wildcards of a job.

            Parameters
            ----------
            wildcards : Wildcards
                Wildcards of the job.

            Returns
            -------
            str
                Path; of a synthetic data set in the folder of the study and the batch of splits.
            """
            # each batch of synthetic data has rows of its own, and so its own file
            if family := find_family(wildcards.dataset):
                folder = f"{self.results}/{wildcards.study}/{family.name}/{wildcards.dataset}"
                return f"{folder}/{wildcards.split_batch}/{name}"
            return f"{self.results}/data/{wildcards.dataset}/{name}"

        return get_file

    # Splits and fits

    def get_split_inputs(self, study: str, dataset: str, split: int) -> dict[str, str]:
        """Return the files that an experiment on one split reads: arrays, manifest and splits.

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
        dict[str, str]
            Paths of the keys ``arrays``, ``manifest`` and ``splits``.
        """
        data = f"{self.results}/data/{dataset}"
        batch = self.split_batches.find_batch(study, dataset, split)
        splits = f"{self.results}/{study}/splits/{dataset}.{batch}.npz"
        return {"arrays": f"{data}/arrays.npz", "manifest": f"{data}/manifest.json", "splits": splits}

    def get_fit_inputs(self) -> dict:
        """Return the inputs of a fit: arrays, manifest and splits of its data set.

        Returns
        -------
        dict
            Input functions of ``arrays`` and ``manifest``, pattern of ``splits``.
        """
        return {
            "arrays": self.select_prepared_file("arrays.npz"),
            "manifest": self.select_prepared_file("manifest.json"),
            "splits": f"{self.results}/{{study}}/splits/{{dataset}}.{{split_batch}}.npz",
        }

    def get_fit_pattern(self, method: str) -> str:
        """Return the pattern of the files of fits of a method, the output of its rule.

        Parameters
        ----------
        method : str
            Method, named after its rule file.

        Returns
        -------
        str
            Path with the wildcards study, dataset, feature_scaling and split_batch in braces.
        """
        return f"{self.results}/{{study}}/fits/{{dataset}}.{{feature_scaling}}.{method}.{{split_batch}}.csv"

    def list_batch_files(self, study: str, dataset: str, feature_scaling: str, method: str) -> list[str]:
        """List the files of fits of a method on a data set, one for each batch of splits.

        Parameters
        ----------
        study : str
            Name of a study of the run.
        dataset : str
            Name of a data set of the registry, or of a synthetic one.
        feature_scaling : str
            ``raw`` or ``standardised``.
        method : str
            Method, named after its rule file.

        Returns
        -------
        list[str]
            Paths in the order of the batches.
        """
        pattern = self.get_fit_pattern(method)
        return [
            pattern.format(study=study, dataset=dataset, feature_scaling=feature_scaling, split_batch=batch)
            for batch in self.split_batches.list_batches(study, dataset)
        ]

    def list_fit_files(self, study: str) -> list[str]:
        """List the files of all fits of a study.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths, a data set after the other, and within it a method after the other.
        """
        settings = self.studies.settings[study]
        jobs = [(*case, list_methods(settings)) for case in self.studies.list_cases(study)]
        for family in list_families():
            datasets = self.studies.list_family(study, family)
            # synthetic data come standardised from their experiment
            jobs += [(dataset, "standardised", settings[family.name]["methods"]) for dataset in datasets]
        return [
            file
            for dataset, feature_scaling, methods in jobs
            for method in methods
            for file in self.list_batch_files(study, dataset, feature_scaling, method)
        ]

    def list_default_cases(self, study: str) -> list[tuple[str, str]]:
        """List the data sets of a study's default specification, with the feature scaling that it takes.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[tuple[str, str]]
            Pairs; the scaling is the first that the configuration names.
        """
        other_class = self.studies.settings[study].get("other_class", {})
        # The first feature scaling of a data set is its default: reversed, it is the one that a dictionary
        # keeps.
        cases = dict(reversed(self.studies.list_cases(study)))
        return [case for case in reversed(cases.items()) if case[0] not in other_class]

    def list_default_fit_files(self, study: str) -> list[str]:
        """List the files of the fits of a study's default specification.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths, a data set after the other, and within it a method after the other.
        """
        return [
            file
            for case in self.list_default_cases(study)
            for method in list_methods(self.studies.settings[study])
            for file in self.list_batch_files(study, *case, method)
        ]

    def list_diagnosis_files(self, study: str) -> list[str]:
        """List the files that describe the splits of a study before any fit; none for queries.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths, a data set after the other; empty for a study of queries.
        """
        if self.studies.papers[study].queries:
            return []
        return [
            f"{self.results}/{study}/splits/{dataset}.{batch}.csv"
            for dataset in dict.fromkeys(dataset for dataset, _ in self.studies.list_cases(study))
            for batch in self.split_batches.list_batches(study, dataset)
        ]
