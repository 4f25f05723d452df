"""Where everything lies: the names of files and jobs that follow from the configuration."""

import re
from functools import cache
from itertools import product
from pathlib import Path

from reproduction.artefacts import (
    MEASURED,
    OF_FITS,
    OF_THE_RUN,
    PRINTED_FIGURE,
    PRINTED_STATISTICS,
    SHOWN,
    SPOKEN_OF,
    STATISTICS,
    UNPRINTED,
)
from reproduction.data import registry
from reproduction.data.toy_names import toy_name, toy_size
from reproduction.papers import printed_file

KINDS = ("svg", "pdf", "png")


class Layout:
    """The configuration as the rules see it."""

    def __init__(self, config: dict):
        self.config = config
        self.results = config["results"]
        self.studies = {name: config["studies"][name] for name in config["run"]}
        named = [
            method
            for study in self.studies.values()
            for block in (study, study.get("toy", {}))
            for method in self.named(block)
        ]
        self.methods = list(dict.fromkeys(named))
        extra = registry.names() if config["datasets"] == "all" else config["datasets"]
        used = [name for study in self.studies.values() for name in study["datasets"]]
        used += config["verification"]["datasets"]
        #: every data set that is obtained, in the order of the registry
        self.datasets = [name for name in registry.names() if name in {*extra, *used}]
        self.blocks = cache(self.blocks)

    @staticmethod
    def named(block: dict) -> list[str]:
        """The methods of a study, or of its toy problem: those of the paper, then those beyond it."""
        return [*block.get("methods", []), *block.get("beyond", [])]

    def study(self, wildcards) -> dict:
        """The study of a job."""
        return self.studies[wildcards.study]

    @property
    def protocols(self) -> dict[str, str]:
        """Study -> its protocol."""
        return {name: study["protocol"] for name, study in self.studies.items()}

    def with_block(self, block: str) -> str:
        """Constraint of the wildcard ``study`` for the rules of an optional block."""
        names = [name for name, study in self.studies.items() if study.get(block)]
        return "|".join(names) or "(?!)"

    # Data

    def record(self, dataset: str) -> Path:
        """The record of what was obtained of a data set."""
        return Path(self.results, "data", dataset, "fetch.json")

    def fetched(self, wildcards) -> list[str]:
        """The record that preparing a data set reads; none where the set needs no file."""
        return [str(self.record(wildcards.dataset))] if registry.get(wildcards.dataset).files else []

    def attempt(self, dataset: str) -> str:
        """A parameter of rule fetch that changes when a data set is to be tried again; see `note_retries`."""
        note = self.record(dataset).with_name("attempt")
        return note.read_text(encoding="utf-8") if note.is_file() else ""

    def prepared(self, name: str):
        """Input function: a file of a job's prepared data set, which is the study's own where it is a toy."""

        def path(wildcards) -> str:
            if toy_size(wildcards.dataset):
                return f"{self.results}/{wildcards.study}/toy/{wildcards.dataset}/{wildcards.block}/{name}"
            return f"{self.results}/data/{wildcards.dataset}/{name}"

        return path

    def fold_block(self) -> dict:
        """What each fit reads: arrays, manifest and splits of its data set."""
        return {
            "arrays": self.prepared("arrays.npz"),
            "manifest": self.prepared("manifest.json"),
            "splits": f"{self.results}/{{study}}/splits/{{dataset}}.{{block}}.npz",
        }

    def one_split(self, study: str, dataset: str, split: int) -> dict[str, str]:
        """The same for what is measured on one split of a data set."""
        data = f"{self.results}/data/{dataset}"
        for block in self.blocks(study, dataset):
            first, last = map(int, block.split("-"))
            if first <= split <= last:
                splits = f"{self.results}/{study}/splits/{dataset}.{block}.npz"
                return {"arrays": f"{data}/arrays.npz", "manifest": f"{data}/manifest.json", "splits": splits}
        raise ValueError(f"study {study} has no split {split}")

    def measured(self, block: str, name: str):
        """Input function: a file of each data set of a block that is measured on one split."""

        def paths(wildcards) -> list[str]:
            settings = self.study(wildcards)[block]
            datasets = settings.get("datasets") or [settings["dataset"]]
            return [self.one_split(wildcards.study, known, settings["split"])[name] for known in datasets]

        return paths

    # Splits and fits

    def blocks(self, study: str, dataset: str) -> list[str]:
        """Names of a data set's blocks of splits, first-last.

        A study that gets longer keeps the blocks that it has computed, whatever their size: only the new
        splits make new jobs.
        """
        settings = self.studies[study]
        if toy_size(dataset):
            total, size = settings["toy"]["trials"], settings["toy"]["trials_per_job"]
        else:
            total = settings["splits"]
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
        """The blocks of splits of every data set of a study, those of its toy problem included."""
        names = [*self.studies[study]["datasets"], *self.toys(study)]
        return {name: self.blocks(study, name) for name in names}

    def cases(self, study: str) -> list[tuple[str, str]]:
        """Pairs of a data set and a block of features of a study's table."""
        datasets = self.studies[study]["datasets"]
        return [(dataset, features) for dataset, blocks in datasets.items() for features in blocks]

    def toys(self, study: str) -> list[str]:
        """Toy data sets of a study: those of R12's Figure 1, then those that Figure 2 adds."""
        toy = self.studies[study].get("toy")
        if not toy:
            return []
        sizes = [
            *product(toy["rows"], toy["noise"]),
            *product([toy["retrieval_rows"]], toy["retrieval_noise"]),
        ]
        return list(dict.fromkeys(toy_name(*size) for size in sizes))

    def split_settings(self, wildcards) -> dict:
        """What the splits of a data set depend on, by the protocol; their number is no part of it."""
        study = self.study(wildcards)
        settings = {
            "top_ranking": {key: study.get(key) for key in ("test_fraction", "inner_folds")},
            "infinite_push": {
                "train_rows": study.get("train_rows", {}).get(wildcards.dataset),
                "validation_fraction": study.get("validation_fraction"),
            },
            "query_ranking": {},
        }
        features = study["datasets"].get(wildcards.dataset, [])
        return {"protocol": study["protocol"], "features": features, **settings[study["protocol"]]}

    def diagnosed(self, study: str) -> list[str]:
        """What is known of the splits of a study before any fit; queries have no list with a top."""
        if self.protocols[study] == "query_ranking":
            return []
        return [
            f"{self.results}/{study}/splits/{dataset}.{block}.csv"
            for dataset in self.studies[study]["datasets"]
            for block in self.blocks(study, dataset)
        ]

    def fits_of(self, method: str) -> str:
        """Pattern of the fits of one method; a rule file of a method has it as its output."""
        return f"{self.results}/{{study}}/fits/{{dataset}}.{{features}}.{method}.{{block}}.csv"

    def fit_files(self, study: str) -> list[str]:
        """The files of all fits of a study."""
        settings = self.studies[study]
        jobs = [(*case, self.named(settings)) for case in self.cases(study)]
        jobs += [(dataset, "standardised", settings["toy"]["methods"]) for dataset in self.toys(study)]
        return [
            f"{self.results}/{study}/fits/{dataset}.{features}.{method}.{block}.csv"
            for dataset, features, methods in jobs
            for method, block in product(methods, self.blocks(study, dataset))
        ]

    def protocol_module(self, wildcards) -> str:
        """The module of the library that runs the splits of a job."""
        is_of_queries = self.study(wildcards)["protocol"] == "query_ranking"
        return "reproduction.query_search" if is_of_queries else "reproduction.search"

    def looked_at(self, wildcards) -> dict:
        """Shares at which a sparse method is fitted too, on the data sets of the table."""
        shares = self.study(wildcards).get("looked_at")
        return {} if toy_size(wildcards.dataset) or not shares else {"share": shares}

    def bandwidth(self, wildcards) -> int:
        """Say 1 where memory bandwidth binds a fit; ``--resources bandwidth=1`` runs one such at a time.

        From 100 000 rows on, the vectors of an iteration outgrow a core's share of the cache.
        """
        if toy_size(wildcards.dataset):
            return 0
        return int((registry.get(wildcards.dataset).expected.get("rows") or 0) >= 100_000)

    # Blocks with measurements of their own

    def suboptimality(self, wildcards) -> list[str]:
        """The files of iterations and seconds to levels of suboptimality, one a data set."""
        names = self.study(wildcards)["datasets"]
        return [f"{self.results}/{wildcards.study}/suboptimality/{name}.csv" for name in names]

    def first_split(self, name: str):
        """Input function: a file of a job's data set and its first split."""
        return lambda wildcards: self.one_split(wildcards.study, wildcards.dataset, 0)[name]

    def scale_sizes(self, wildcards) -> list[str]:
        """The files of the costs of a study, one a size."""
        sizes = sorted(self.study(wildcards)["scale"]["rows"])
        return [f"{self.results}/{wildcards.study}/scale/rows{rows}.csv" for rows in sizes]

    # What is shown

    def collected(self, study: str) -> list[str]:
        """The rows of all jobs of a study."""
        beside = "queries" if self.protocols[study] == "query_ranking" else "diagnosis"
        return [f"{self.results}/{study}/{name}.csv" for name in ("fits", beside)]

    def made_of_fits(self, study: str) -> list[str]:
        """Names of the tables behind the figures of the optional blocks that are made of fits."""
        return [name for block, names in OF_FITS.items() if self.studies[study].get(block) for name in names]

    def tables(self, study: str) -> list[str]:
        """The tables of a study; what its paper prints is written as LaTeX, too."""
        names = SHOWN[self.protocols[study]][0]
        files = [f"{name}.csv" for name in (*names, *self.made_of_fits(study))]
        return [f"{self.results}/{study}/{file}" for file in (*files, *(f"{name}.tex" for name in names))]

    def statistics(self, study: str) -> list[str]:
        """What no paper tests: mean ranks of the methods, and every pair of them."""
        files = [f"{name}.csv" for name in STATISTICS[0]] + [f"{name}.tex" for name in PRINTED_STATISTICS]
        return [f"{self.results}/{study}/{file}" for file in files]

    def figures(self, study: str) -> list[str]:
        """The figures of a study that are drawn from its tables, each as SVG, PDF and PNG."""
        names = [*SHOWN[self.protocols[study]][1], *STATISTICS[1], *self.made_of_fits(study)]
        files = [f"{name}.{kind}" for name in names for kind in KINDS]
        if self.published(study):
            files += [f"{PRINTED_FIGURE}.{kind}" for kind in ("csv", *KINDS)]
        return [f"{self.results}/{study}/{file}" for file in files]

    def beside(self, study: str) -> list[str]:
        """The tables, figures and paths of the blocks of a study that have measurements of their own."""
        settings = self.studies[study]
        names = [name for block, added in MEASURED.items() if settings.get(block) for name in added]
        files = [f"{name}.{kind}" for name in names for kind in ("csv", *KINDS)]
        ends = (".csv", "_weights.csv", *(f".{kind}" for kind in KINDS))
        files += [f"path_{dataset}{end}" for dataset in settings.get("paths", {}) for end in ends]
        return [f"{self.results}/{study}/{file}" for file in files]

    def shown(self, study: str) -> list[str]:
        """The files of a study that the page shows."""
        made = [*self.tables(study), *self.statistics(study), *self.figures(study), *self.beside(study)]
        return [file for file in (*self.collected(study), *made) if file.endswith((".csv", ".svg"))]

    def printed(self, study: str) -> list[str]:
        """What a study makes for print: its tables as LaTeX, its figures as PDF and PNG."""
        made = [*self.figures(study), *self.beside(study)]
        return [*self.latex_of(study), *(file for file in made if file.endswith((".pdf", ".png")))]

    def latex_of(self, study: str) -> list[str]:
        """The tables of a study as LaTeX, in the order of a paper: its own, then ours beside printed ones."""
        names = [*SHOWN[self.protocols[study]][0], *PRINTED_STATISTICS]
        names += ["comparison"] if self.studies[study]["published"] else []
        return [f"{self.results}/{study}/{name}.tex" for name in names]

    def latex_of_the_run(self) -> list[str]:
        """The tables of the whole run as LaTeX."""
        is_printed = any(self.published(study) for study in self.studies)
        return [f"{self.results}/{name}.tex" for name in OF_THE_RUN if name != "coverage" or is_printed]

    def latex_files(self) -> list[str]:
        """All tables of the run as LaTeX."""
        return [*(file for study in self.studies for file in self.latex_of(study)), *self.latex_of_the_run()]

    def compared(self, study: str) -> list[str]:
        """What the comparison reads of a study: the tables that are set beside printed numbers, and its fits
        where it says how many rows it trains on, which R12 prints."""
        settings = self.studies[study]
        names = [name for name in SHOWN[self.protocols[study]][0] if name not in UNPRINTED]
        if settings["published"]:
            names += [name for block in SPOKEN_OF if settings.get(block) for name in MEASURED[block]]
            names += ["fits"] if self.protocols[study] == "infinite_push" else []
        return [f"{self.results}/{study}/{name}.csv" for name in names]

    def published(self, study: str) -> str | None:
        """The file of what the paper of a study prints; None where it does not stand beside ours."""
        if not self.studies[study]["published"]:
            return None
        file = printed_file(self.protocols[study])
        return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)
