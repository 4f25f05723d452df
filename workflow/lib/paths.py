"""The names of all files of a run, derived from the configuration."""

from __future__ import annotations

from pathlib import Path

from fit_paths import FitPaths

from reproduction.reporting.standard_artefacts import COMPARISON_FIGURES, RUN_TABLES


class Paths(FitPaths):
    """The files of a run: those of its fits, and what is made of them."""

    # Rows of a study

    def list_experiment_files(self, study: str) -> list[str]:
        """List the files that the experiments of a study write, one for each part of an experiment.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths; empty for a study without experiments.
        """
        settings = self.studies.settings[study]
        return [
            f"{self.results}/{study}/experiments/{experiment.name}.{part}.jsonl"
            for experiment in self.studies.papers[study].experiments_of(settings)
            if experiment.run
            for part in experiment.parts(settings)
        ]

    def list_collected_files(self, study: str) -> list[str]:
        """List the files with the rows of all fits of a study.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Path of ``fits.csv``, and of ``diagnosis.csv`` or ``queries.csv``.
        """
        diagnosis = "queries" if self.studies.papers[study].queries else "diagnosis"
        return [f"{self.results}/{study}/{name}.csv" for name in ("fits", diagnosis)]

    def get_provenance_file(self, study: str) -> str:
        """Return the file with the provenance of a study's fits: commit, date, data and machine.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        str
            Path of ``provenance.csv``.
        """
        return f"{self.results}/{study}/provenance.csv"

    def list_row_files(self, study: str) -> list[str]:
        """List all rows that the jobs of a study have written; tables and figures are made from them.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths.
        """
        collected, provenance = self.list_collected_files(study), self.get_provenance_file(study)
        return [*collected, provenance, *self.list_experiment_files(study)]

    # Tables, figures and reports

    def list_tables(self, study: str) -> list[str]:
        """List the CSV file of each table of a study, and the LaTeX file of those that have one.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths, first all CSV files.
        """
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
        """List the figures of a study as SVG for the page, and the data of those of published values.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths.
        """
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
        """List the files of a study that the page shows.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths of CSV and SVG files.
        """
        files = [*self.list_row_files(study), *self.list_tables(study), *self.list_figures(study)]
        return [file for file in files if file.endswith((".csv", ".svg"))]

    def list_study_latex(self, study: str) -> list[str]:
        """List the LaTeX tables of a study in this order: its own, its claims, the comparison.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths of LaTeX files.
        """
        files = [file for file in self.list_tables(study) if file.endswith(".tex")]
        studies_with = {"claims": self.studies.with_claims, "comparison": self.studies.with_published_values}
        names = [name for name, studies in studies_with.items() if study in studies]
        return [*files, *(f"{self.results}/{study}/{name}.tex" for name in names)]

    def list_run_latex(self) -> list[str]:
        """List the LaTeX tables of the whole run.

        Returns
        -------
        list[str]
        """
        is_compared = any(self.list_published_values(study) for study in self.studies.settings)
        return [f"{self.results}/{name}.tex" for name in RUN_TABLES if name != "coverage" or is_compared]


def find_snapshot(folder: str, root: Path) -> str:
    """Find the folder of a snapshot: in the working directory, or else in the project.

    Another workflow may run this one as a module from a folder of its own, which need not have the snapshot.

    Parameters
    ----------
    folder : str
        Folder as the configuration names it, absolute or relative.
    root : pathlib.Path
        Folder of the project.

    Returns
    -------
    str
        Path, relative to the working directory if it lies below it.
    """
    is_here = Path(folder, "config.yaml").is_file()
    return folder if is_here else relative_to_cwd(Path(root, folder))


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
