"""The names of all files of a run, derived from the configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from config_consistency import list_methods
from split_batches import SplitBatches
from study_settings import Studies

from reproduction.datasets import registry
from reproduction.datasets.synthetic_families import find_family, list_families
from reproduction.reporting.standard_artefacts import COMPARISON_FIGURES, RUN_TABLES

if TYPE_CHECKING:
    from snakemake.io import Wildcards


class Paths:
    """The files of a run; patterns keep their wildcards in braces."""

    def __init__(self, config: dict) -> None:
        self.studies = Studies(config)
        self.split_batches = SplitBatches(self.studies)
        self.results = config["results"]

    # Data

    def get_download_record(self, dataset: str) -> Path:
        """Return the file that records the download of a data set."""
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
            Name of a method, that of its rule file.

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
            Name of a method, that of its rule file.

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
        """List the files of all fits of a study."""
        settings = self.studies.settings[study]
        jobs = [(*case, list_methods(settings)) for case in self.studies.list_cases(study)]
        for family in list_families():
            datasets = self.studies.list_family(study, family)
            jobs += [(dataset, "standardised", settings[family.name]["methods"]) for dataset in datasets]
        return [
            file
            for dataset, feature_scaling, methods in jobs
            for method in methods
            for file in self.list_batch_files(study, dataset, feature_scaling, method)
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

    # Rows of a study

    def list_experiment_files(self, study: str) -> list[str]:
        """List the files that the experiments of a study write, one for each part of an experiment."""
        settings = self.studies.settings[study]
        return [
            f"{self.results}/{study}/experiments/{experiment.name}.{part}.jsonl"
            for experiment in self.studies.papers[study].experiments_of(settings)
            if experiment.run
            for part in experiment.parts(settings)
        ]

    def list_collected_files(self, study: str) -> list[str]:
        """List the files with the rows of all fits of a study."""
        diagnosis = "queries" if self.studies.papers[study].queries else "diagnosis"
        return [f"{self.results}/{study}/{name}.csv" for name in ("fits", diagnosis)]

    def get_provenance_file(self, study: str) -> str:
        """Return the file with the provenance of a study's fits: commit, date, data and machine."""
        return f"{self.results}/{study}/provenance.csv"

    def list_row_files(self, study: str) -> list[str]:
        """List all rows that the jobs of a study have written; tables and figures are made from them."""
        collected, provenance = self.list_collected_files(study), self.get_provenance_file(study)
        return [*collected, provenance, *self.list_experiment_files(study)]

    # Tables, figures and reports

    def list_tables(self, study: str) -> list[str]:
        """List the CSV file of each table of a study, and the LaTeX file of those that have one."""
        tables = self.studies.papers[study].tables_of(self.studies.settings[study])
        names = [f"{table.name}.csv" for table in tables]
        names += [f"{table.name}.tex" for table in tables if table.has_latex]
        return [f"{self.results}/{study}/{name}" for name in names]

    def list_csv_tables(self, study: str) -> list[str]:
        """List the files of a study that its claims and its figures read: its tables as CSV.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths of CSV files.
        """
        return [file for file in self.list_tables(study) if file.endswith(".csv")]

    def list_compared_tables(self, study: str) -> list[str]:
        """List the files of a study that the comparison with published values reads.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths of CSV files.
        """
        tables = self.studies.papers[study].tables_of(self.studies.settings[study])
        names = [table.name for table in tables if table.compared]
        return [f"{self.results}/{study}/{name}.csv" for name in (*names, "fits")]

    def list_published_values(self, study: str) -> list[str]:
        """List the file with the published values of a study's paper, if the study is compared with them.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            One path or none.
        """
        is_compared = study in self.studies.with_published_values
        return [relative_to_cwd(self.studies.papers[study].published_values)] if is_compared else []

    def list_figures(self, study: str) -> list[str]:
        """List the figures of a study as SVG for the page, and the data of those of published values."""
        is_compared = study in self.studies.with_published_values
        comparisons = [figure.name for figure in COMPARISON_FIGURES] if is_compared else []
        figures = self.studies.papers[study].figures_of(self.studies.settings[study])
        names = [figure.name for figure in figures] + comparisons
        files = [*(f"{name}.svg" for name in names), *(f"{name}.csv" for name in comparisons)]
        return [f"{self.results}/{study}/{file}" for file in files]

    def list_figure_exports(self, study: str) -> list[str]:
        """List the figures of a study as PDF and as PNG.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths of PDF and PNG files, a figure after the other.
        """
        names = [file.removesuffix(".svg") for file in self.list_figures(study) if file.endswith(".svg")]
        return [f"{name}{suffix}" for name in names for suffix in (".pdf", ".png")]

    def list_page_files(self, study: str) -> list[str]:
        """List the files of a study that the page shows."""
        files = [*self.list_row_files(study), *self.list_tables(study), *self.list_figures(study)]
        return [file for file in files if file.endswith((".csv", ".svg"))]

    def list_study_latex(self, study: str) -> list[str]:
        """List the LaTeX tables of a study in this order: its own, its claims, the comparison."""
        files = [file for file in self.list_tables(study) if file.endswith(".tex")]
        studies_with = {"claims": self.studies.with_claims, "comparison": self.studies.with_published_values}
        names = [name for name, studies in studies_with.items() if study in studies]
        return [*files, *(f"{self.results}/{study}/{name}.tex" for name in names)]

    def list_run_latex(self) -> list[str]:
        """List the LaTeX tables of the whole run."""
        is_compared = any(self.list_published_values(study) for study in self.studies.settings)
        return [f"{self.results}/{name}.tex" for name in RUN_TABLES if name != "coverage" or is_compared]


def relative_to_cwd(file: Path) -> str:
    """Name a file of the project: relative if it can be, so that a moved checkout reruns nothing.

    Parameters
    ----------
    file : pathlib.Path
        File, absolute or relative.

    Returns
    -------
    str
        Path relative to the working directory if the file lies below it, else unchanged.
    """
    return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)
