"""The names of all files and jobs, derived from the configuration."""

import re
from functools import cache
from itertools import chain, product
from pathlib import Path

from config_consistency import every_method, methods_of

from reproduction.core.result_columns import list_job_columns
from reproduction.datasets import registry
from reproduction.datasets.toy_names import toy_name, toy_size
from reproduction.papers import PAPERS, paper
from reproduction.reporting.standard_artefacts import BESIDE_PRINT, OF_THE_RUN
from reproduction.specs.multiverse import Universes

SECONDS_OF_OTHERS = 600
"""The default of a study's `limits.seconds`. By the clock: 40 minutes of the hour of a job."""


class Layout:
    """The configuration as the rules see it."""

    def __init__(self, config: dict):
        self.config = config
        self.results = config["results"]
        self.studies = {name: config["studies"][name] for name in config["run"]}
        self.methods = list(dict.fromkeys(chain(*map(every_method, self.studies.values()))))
        extra = registry.names() if config["datasets"] == "all" else config["datasets"]
        used = [name for study in self.studies.values() for name in study["datasets"]]
        used += config["verification"]["datasets"]
        #: all data sets to obtain, in the order of the registry
        self.datasets = [name for name in registry.names() if name in {*extra, *used}]
        #: study -> its paper
        self.papers = {name: paper(study["paper"]) for name, study in self.studies.items()}
        published = {name: self.papers[name] for name, study in self.studies.items() if study["published"]}
        #: studies that are compared with the numbers in print, and studies whose claims are judged
        self.beside_print = [name for name, paper in published.items() if paper.printed]
        self.judges = [name for name, paper in published.items() if paper.claims]
        self.blocks = cache(self.blocks)

    def study(self, wildcards) -> dict:
        """The study of a job."""
        return self.studies[wildcards.study]

    def paper(self, wildcards):
        """The paper that the study of a job follows."""
        return self.papers[wildcards.study]

    def module(self, study: str) -> str:
        """The module with the record of a study's paper, for code digests."""
        return PAPERS[self.papers[study].name].partition(":")[0]

    def record_of(self, study: str) -> str:
        """The record of a study's paper as "module:name", for scripts to load."""
        return PAPERS[self.papers[study].name]

    def with_block(self, block: str) -> str:
        """Constraint of the wildcard ``study``: the studies that have an optional block."""
        names = [name for name, study in self.studies.items() if study.get(block)]
        return "|".join(names) or "(?!)"

    # Data

    def record(self, dataset: str) -> Path:
        """The file that records the download of a data set."""
        return Path(self.results, "data", dataset, "fetch.json")

    def fetched(self, wildcards) -> list[str]:
        """The download record that rule prepare reads; none if the data set has no files."""
        return [str(self.record(wildcards.dataset))] if registry.get(wildcards.dataset).files else []

    def attempt(self, dataset: str) -> str:
        """A parameter of rule fetch that changes if a data set is to be tried again; see `note_retries`."""
        note = self.record(dataset).with_name("attempt")
        return note.read_text(encoding="utf-8") if note.is_file() else ""

    def prepared(self, name: str):
        """Input function: a file of a job's prepared data set; each study has toy data of its own."""

        def path(wildcards) -> str:
            if toy_size(wildcards.dataset):
                return f"{self.results}/{wildcards.study}/toy/{wildcards.dataset}/{wildcards.block}/{name}"
            return f"{self.results}/data/{wildcards.dataset}/{name}"

        return path

    def fold_block(self) -> dict:
        """The inputs of a fit: arrays, manifest and splits of its data set."""
        return {
            "arrays": self.prepared("arrays.npz"),
            "manifest": self.prepared("manifest.json"),
            "splits": f"{self.results}/{{study}}/splits/{{dataset}}.{{block}}.npz",
        }

    def one_split(self, study: str, dataset: str, split: int) -> dict[str, str]:
        """The same inputs for a measurement on one split of a data set."""
        data = f"{self.results}/data/{dataset}"
        for block in self.blocks(study, dataset):
            first, last = map(int, block.split("-"))
            if first <= split <= last:
                splits = f"{self.results}/{study}/splits/{dataset}.{block}.npz"
                return {"arrays": f"{data}/arrays.npz", "manifest": f"{data}/manifest.json", "splits": splits}
        raise ValueError(f"study {study} has no split {split}")

    # Splits and fits

    def blocks(self, study: str, dataset: str) -> list[str]:
        """Names of a data set's blocks of splits, first-last.

        Blocks that exist already are kept, whatever their size. So if a study gets more splits, only the new
        ones are computed.
        """
        settings = self.studies[study]
        if toy_size(dataset):
            total, size = settings["toy"]["trials"], settings["toy"]["trials_per_job"]
        else:
            total = self.splits(study, dataset)
            size = settings.get("splits_per_job_of", {}).get(dataset, settings["splits_per_job"])
        had: dict[int, int] = {}
        for file in Path(self.results, study, "splits").glob(f"{dataset}.*.npz"):
            found = re.fullmatch(rf"{re.escape(dataset)}\.(\d+)-(\d+)\.npz", file.name)
            if found and int(found[2]) < total:
                had[int(found[1])] = max(int(found[2]), had.get(int(found[1]), 0))
        names, first = [], 0
        while first < total:
            last = had.get(first, min(first + size, total) - 1)
            names.append(f"{first}-{last}")
            first = last + 1
        return names

    def blocks_of(self, study: str) -> dict[str, list[str]]:
        """The blocks of splits of every data set of a study, toy problems included."""
        names = [*self.studies[study]["datasets"], *self.toys(study)]
        return {name: self.blocks(study, name) for name in names}

    def cases(self, study: str) -> list[tuple[str, str]]:
        """Pairs of a data set and a feature variant (raw or standardised) of a study's table."""
        settings = self.studies[study]
        datasets = settings["datasets"] if settings.get("table", True) else {}
        return [(dataset, features) for dataset, variants in datasets.items() for features in variants]

    def job_columns(self, study: str) -> list[str]:
        """The columns of the rows of a job that fits."""
        return list_job_columns(self.papers[study].fits, self.papers[study].queries)

    def limits(self, wildcards) -> dict:
        """Limits of a search on a data set: ``candidates`` per method, ``seconds`` per fit."""
        given = self.study(wildcards).get("limits", {})
        if "candidates" not in given:
            return {}
        fewer = given.get("candidates_of", {}).get(wildcards.dataset, given["candidates"])
        return {"candidates": fewer, "seconds": given["seconds"]}

    def seconds_of_others(self, wildcards) -> float:
        """Processor time that a fit of a program or of another package's estimator may take."""
        return self.study(wildcards).get("limits", {}).get("seconds", SECONDS_OF_OTHERS)

    def toys(self, study: str) -> list[str]:
        """Toy data sets of a study: those of R12's Figure 1, then those that Figure 2 adds."""
        toy = self.studies[study].get("toy")
        if not toy:
            return []
        sizes = [
            *product(toy["rows"], toy["noise"]),
            *product([toy["retrieval_rows"]], toy["retrieval_noise"]),
        ]
        # other covariances are tried with the fewest noise features
        others = self.universes(study).others("covariance")
        sizes += product(toy["rows"], [min(toy["noise"])], others)
        return list(dict.fromkeys(toy_name(*size) for size in sizes))

    def splits(self, study: str, dataset: str) -> int:
        """Number of splits of a data set of a study."""
        settings = self.studies[study]
        return settings.get("splits_of", {}).get(dataset, settings["splits"])

    def split_settings(self, wildcards) -> dict:
        """The settings on which the splits of a data set depend; their number is not one of them."""
        drawn = dict(self.paper(wildcards).splits(self.study(wildcards), wildcards.dataset))
        if of := registry.get(wildcards.dataset).reading_of:
            drawn["of"] = of  # another reading of the same rows has the same splits
        features = self.study(wildcards)["datasets"].get(wildcards.dataset, [])
        return {**drawn, "features": [] if drawn["kind"] == "folds" else features}

    def inner_folds(self, wildcards) -> int:
        """Inner folds of a split: one validation part, unless the splits are drawn with more."""
        return 1 if toy_size(wildcards.dataset) else self.split_settings(wildcards).get("inner_folds", 1)

    def diagnosed(self, study: str) -> list[str]:
        """The files that describe the splits of a study before any fit; none for queries."""
        if self.papers[study].queries:
            return []
        return [
            f"{self.results}/{study}/splits/{dataset}.{block}.csv"
            for dataset in dict.fromkeys(dataset for dataset, _ in self.cases(study))
            for block in self.blocks(study, dataset)
        ]

    def fits_of(self, method: str) -> str:
        """Pattern of the files of fits of a method, the output of its rule."""
        return f"{self.results}/{{study}}/fits/{{dataset}}.{{features}}.{method}.{{block}}.csv"

    def fit_files(self, study: str) -> list[str]:
        """The files of all fits of a study."""
        settings = self.studies[study]
        jobs = [(*case, methods_of(settings)) for case in self.cases(study)]
        jobs += [(dataset, "standardised", settings["toy"]["methods"]) for dataset in self.toys(study)]
        return [
            file
            for dataset, features, methods in jobs
            for method in methods
            for file in self._fits(study, dataset, features, method)
        ]

    def _fits(self, study: str, dataset: str, features: str, method: str) -> list[str]:
        """The files of fits of a method on a data set, one for each block of splits."""
        pattern, about = self.fits_of(method), {"study": study, "dataset": dataset, "features": features}
        return [pattern.format(**about, block=block) for block in self.blocks(study, dataset)]

    def looked_at(self, wildcards) -> dict:
        """Further shares at which a sparse method is fitted, on the data sets of the table."""
        shares = self.study(wildcards).get("looked_at")
        return {} if toy_size(wildcards.dataset) or not shares else {"share": shares}

    def bandwidth(self, wildcards) -> int:
        """Return 1 if memory bandwidth limits a fit; ``--resources bandwidth=1`` runs one such fit at a time.

        From 100 000 rows on, the vectors of an iteration do not fit into a core's share of the cache.
        """
        if toy_size(wildcards.dataset):
            return 0
        return int((registry.get(wildcards.dataset).expected.get("rows") or 0) >= 100_000)

    # The multiverse

    def universes(self, study: str) -> Universes:
        """The axes of a study with their levels."""
        return Universes(self.papers[study].axes, self.studies[study])

    def ties(self, wildcards) -> list[str]:
        """The rules for ties between candidates: the default, then the others to try."""
        universes = self.universes(wildcards.study)
        axis = universes.axes.get("ties")
        if axis is None:
            return ["strongest"]
        return [universes.defaults["ties"], *(universes.others("ties") if axis.reuses else [])]

    # Blocks: measurements beside the fits

    def block(self, wildcards):
        """The block that a job measures."""
        return self.paper(wildcards).block(wildcards.kind)

    def measured(self, study: str) -> list[str]:
        """The files that a study measures beside its fits, one for each part of a block."""
        settings = self.studies[study]
        return [
            f"{self.results}/{study}/measured/{block.name}.{part}.jsonl"
            for block in self.papers[study].blocks_of(settings)
            if block.measure
            for part in block.parts(settings)
        ]

    def folds(self, wildcards) -> list[tuple[str, int]]:
        """Pairs of a data set and a split, on which a part of a block is measured."""
        return [*self.block(wildcards).folds(self.study(wildcards), wildcards.part)]

    def folds_files(self, name: str):
        """Input function: one file of each of these, "arrays", "manifest" or "splits"."""

        def paths(wildcards) -> list[str]:
            study = wildcards.study
            return [self.one_split(study, *fold)[name] for fold in self.folds(wildcards)]

        return paths

    def folds_fits(self, wildcards) -> list[str]:
        """Input function: the files of fits that a part of a block reads."""
        needed = self.block(wildcards).fits(self.study(wildcards), wildcards.part)
        return [file for fit in needed for file in self._fits(wildcards.study, *fit)]

    # Tables, figures and reports

    def collected(self, study: str) -> list[str]:
        """The files with the rows of all fits of a study."""
        beside = "queries" if self.papers[study].queries else "diagnosis"
        return [f"{self.results}/{study}/{name}.csv" for name in ("fits", beside)]

    def provenance(self, study: str) -> str:
        """The file with the provenance of a study's fits: commit, date, data and machine."""
        return f"{self.results}/{study}/provenance.csv"

    def rows(self, study: str) -> list[str]:
        """All rows that the jobs of a study have written; tables and figures are made from them."""
        return [*self.collected(study), self.provenance(study), *self.measured(study)]

    def tables(self, study: str) -> list[str]:
        """The tables of a study as CSV; those for print also as LaTeX."""
        records = self.papers[study].tables_of(self.studies[study])
        names = [f"{table.name}.csv" for table in records]
        names += [f"{table.name}.tex" for table in records if table.is_printed]
        return [f"{self.results}/{study}/{name}" for name in names]

    def figures(self, study: str) -> list[str]:
        """The figures of a study as SVG for the page, and the data of those that compare with print."""
        beside = [figure.name for figure in BESIDE_PRINT] if study in self.beside_print else []
        names = [figure.name for figure in self.papers[study].figures_of(self.studies[study])] + beside
        files = [*(f"{name}.svg" for name in names), *(f"{name}.csv" for name in beside)]
        return [f"{self.results}/{study}/{file}" for file in files]

    def for_print(self, study: str) -> list[str]:
        """The figures of a study as PDF and as PNG."""
        drawn = [file.removesuffix(".svg") for file in self.figures(study) if file.endswith(".svg")]
        return [f"{name}{end}" for name in drawn for end in (".pdf", ".png")]

    def shown(self, study: str) -> list[str]:
        """The files of a study that the page shows."""
        shown = [*self.rows(study), *self.tables(study), *self.figures(study)]
        return [file for file in shown if file.endswith((".csv", ".svg"))]

    def latex_of(self, study: str) -> list[str]:
        """The tables of a study as LaTeX, in this order: its own, its claims, the comparison with print."""
        files = [file for file in self.tables(study) if file.endswith(".tex")]
        beside = {"claims": self.judges, "comparison": self.beside_print}
        return [*files, *(f"{self.results}/{study}/{name}.tex" for name in beside if study in beside[name])]

    def latex_of_the_run(self) -> list[str]:
        """The tables of the whole run as LaTeX."""
        is_printed = any(self.published(study) for study in self.studies)
        return [f"{self.results}/{name}.tex" for name in OF_THE_RUN if name != "coverage" or is_printed]

    def compared(self, study: str) -> list[str]:
        """The files of a study that the comparison with print reads."""
        tables = [table.name for table in self.papers[study].tables_of(self.studies[study]) if table.compared]
        return [f"{self.results}/{study}/{name}.csv" for name in (*tables, "fits")]

    def judged(self, study: str) -> list[str]:
        """The files of a study that its claims and its figures read: its tables."""
        return [file for file in self.tables(study) if file.endswith(".csv")]

    def published(self, study: str) -> list[str]:
        """The file with the printed numbers of a study's paper, if the study is compared with them."""
        return [from_here(self.papers[study].printed)] if study in self.beside_print else []


def from_here(file: Path) -> str:
    """Name a file of the project: relative if it can be, so that a moved checkout reruns nothing."""
    return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)
