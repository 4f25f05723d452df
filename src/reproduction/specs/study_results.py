"""A study of a run: its paper, its settings and its files, which are read when they are asked for."""

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import pandas as pd

from reproduction.core.atomic_io import read_manifest, wrap_read_errors
from reproduction.core.provenance import PROVENANCE_COLUMNS
from reproduction.core.results import (
    FITS_TEXT_COLUMNS,
    PROVENANCE_KEY,
    STATUS_NOT_OBTAINED,
    drop_rows_not_run,
    read_data,
    read_diagnosis,
    read_fits,
    read_queries,
    read_text,
)
from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.metrics import FURTHER_METRICS
from reproduction.specs.multiverse import complete_specifications
from reproduction.specs.paper import Paper
from reproduction.specs.published_values import read_published_values


class Study:
    """A study as the tables, figures and comparisons see it.

    Parameters
    ----------
    settings : mapping
        Its part of the configuration.
    files : iterable of path-like
        What was made of it, and the table of data sets.
    name : str
    paper : Paper

    Attributes
    ----------
    published_file : Path or None
        The file of the numbers that its paper prints, where they stand beside ours.
    files : dict of str to list of Path
        By their names.
    tables : dict of str to pandas.DataFrame
        Those that were read or made, by their names.
    """

    def __init__(self, name: str, paper: Paper, settings: Mapping, files: Iterable[str | Path]) -> None:
        self.name, self.paper, self.settings = name, paper, settings
        self.published_file = paper.published_values if settings.get("published") else None
        # several files may have the same name, such as manifests of data sets: keep their order
        self.files: dict[str, list[Path]] = {}
        for file in map(Path, files):
            self.files.setdefault(file.name, []).append(file)
        self.tables: dict[str, pd.DataFrame] = {}

    def file(self, name: str) -> Path | None:
        """Return the first file of a name, or None where there is none.

        Parameters
        ----------
        name : str
            Name of the file, with its suffix.

        Returns
        -------
        pathlib.Path or None
        """
        return self.files[name][0] if name in self.files else None

    def table(self, name: str) -> pd.DataFrame:
        """Read a table of the study, or make it where there is no file of it; once.

        Parameters
        ----------
        name : str
            Name of the table, without suffix.

        Returns
        -------
        pandas.DataFrame
            The table; the same object at each call.
        """
        if name not in self.tables:
            records = {table.name: table for table in self.paper.tables_of(self.settings)}
            form = records[name].form if name in records else PlainCsv(missing_text="none")
            file = self.file(f"{name}.csv")
            # a table without a file is made from the fits: this is the job that writes it
            self.tables[name] = form.read(file) if file else drop_rows_not_run(records[name].make(self))
        return self.tables[name]

    @cached_property
    def specifications(self) -> dict[str, pd.DataFrame]:
        """The outcomes of each specification, whole."""
        return complete_specifications(self.table("outcomes"))

    @cached_property
    def superseded(self) -> set[str]:
        """Substitutes whose original was obtained: both hold the same rows, so only the original counts."""
        if "data.csv" not in self.files or "substitute_for" not in self.data:
            return set()
        obtained = set(self.data.loc[self.data["status"] != STATUS_NOT_OBTAINED, "dataset"])
        originals = dict(zip(self.data["dataset"], self.data["substitute_for"], strict=True))
        # a substitute counts only as long as its original is missing from this run
        datasets = self.settings.get("datasets", {})
        return {name for name in datasets if originals.get(name) in obtained.intersection(datasets)}

    def _drop_superseded(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Leave out the rows of substitutes whose original was obtained."""
        return (
            rows[~rows["dataset"].isin(self.superseded)].reset_index(drop=True) if self.superseded else rows
        )

    @cached_property
    def fits(self) -> pd.DataFrame:
        """The collected fits, sorted by identity, numbers as floats; none of a superseded substitute."""
        # columns of numbers: all but texts, and those that are read for a purpose of their own
        optional = [name for name in self.paper.fits if name in FURTHER_METRICS]
        excluded = {*FITS_TEXT_COLUMNS, "split", "fold", "weights", *optional}
        numbers = [name for name in self.paper.fits if name not in excluded]
        return self._drop_superseded(read_fits(self.file("fits.csv"), numbers, optional))

    @cached_property
    def has_missing_data(self) -> bool:
        """Whether a data set that it asked for was not obtained."""
        return bool((self.fits["status"] == STATUS_NOT_OBTAINED).any())

    @cached_property
    def provenance(self) -> pd.DataFrame:
        """What made the files of its fits, a row a file; `collect.join_provenance`."""
        return read_text(self.file("provenance.csv"), (*PROVENANCE_KEY, *PROVENANCE_COLUMNS))

    @cached_property
    def diagnosis(self) -> pd.DataFrame:
        """What is known of each split before any fit."""
        return self._drop_superseded(read_diagnosis(self.file("diagnosis.csv")))

    @cached_property
    def queries(self) -> pd.DataFrame | None:
        """What each query is worth under the chosen fits; None where lists are ranked."""
        return read_queries(self.file("queries.csv")) if "queries.csv" in self.files else None

    @cached_property
    def published_values(self) -> pd.DataFrame | None:
        """The numbers that its paper prints; None where they do not stand beside ours."""
        return read_published_values(self.published_file)

    @cached_property
    def data(self) -> pd.DataFrame:
        """The table of data sets."""
        return read_data(self.file("data.csv"))

    @cached_property
    def manifests(self) -> dict[str, dict]:
        """The manifests of the prepared data sets, by name."""
        manifests = [read_manifest(path) for path in self.files["manifest.json"]]
        return {manifest["dataset"]: manifest for manifest in manifests}

    def read_experiment(self, experiment: str, table: str, part: str = "") -> list[dict]:
        """Read the rows that an experiment wrote for a table, part after part.

        Parameters
        ----------
        experiment : str
            Name of the experiment.
        table : str
            Name of the table.
        part : str, default ""
            Only this part; by default all parts.

        Returns
        -------
        list of dict
            Rows of the table.
        """
        parts = [part] if part else self.paper.experiment(experiment).parts(self.settings)
        lines = []
        for path in (self.file(f"{experiment}.{name}.jsonl") for name in parts):
            with wrap_read_errors(path):
                lines += map(json.loads, path.read_text(encoding="utf-8").splitlines())
        # an experiment writes the rows of all its tables into one file
        rows = [line["row"] for line in lines if line["table"] == table]
        return [row for row in rows if row.get("dataset") not in self.superseded]
