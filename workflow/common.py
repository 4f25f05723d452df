"""Where everything lies: the names of files and jobs that follow from the configuration."""

import json
import os
import shlex
from itertools import product
from pathlib import Path

from toprank.datasets import registry
from toprank.datasets.download import available_locally, mirror_from
from toprank.datasets.toy_names import toy_name, toy_size

TABLE1 = (("table1", "errata"), ("figure_table1",))
#: Protocol -> names of the tables and of the figures that each of its studies has; see reporting.studies.
SHOWN = {
    "top_ranking": TABLE1,
    "infinite_push": TABLE1,
    "query_ranking": (
        ("table3", "table4", "table5", "table6", "tests", "errata"),
        ("figure1", "figure2", "figure3"),
    ),
}
#: Names of the tables and of the figures that every study has, whatever its protocol.
STATISTICS = (("ranks", "pairwise"), ("critical_difference",))
#: Tables of `STATISTICS` that are written for print too; of the pairs there are too many.
PRINTED_STATISTICS = ("ranks",)
#: Tables that the paper does not print.
UNPRINTED = ("tests", "errata")
#: Tables of the whole run that are written as LaTeX.
OF_THE_RUN = ("coverage", "verification", "data")
#: Optional block of a study -> the tables with a figure of the same name that it adds to what the page shows.
BESIDE = {
    "toy": ("figure1", "figure2"),
    "times": ("figure3",),
    "dirty_model": ("figure1",),
    "convergence": ("figure2", "figure3"),
    "suboptimality": ("suboptimality",),
    "scale": ("scale",),
    "constant": ("constant",),
    "early_stop": ("early_stop",),
}
#: The figure of printed against measured numbers, of each study of which numbers are printed.
PRINTED_FIGURE = "printed_measured"
#: Blocks of whose figures the paper says something that can be compared.
SPOKEN_OF = ("dirty_model", "convergence")
#: Methods of K15's objective (11) whose iterations can be watched, as in toprank.convergence.
WATCHED = ("toppush", "admm", "a2dm2", "a2dm2_restart", "exact")


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

    @staticmethod
    def named(block: dict) -> list[str]:
        """The methods of a study, or of its toy problem: those of the paper, then those beyond it."""
        return [*block.get("methods", []), *block.get("beyond", [])]

    def study(self, wildcards) -> dict:
        """The study of a job."""
        return self.studies[wildcards.study]

    def of_protocol(self, protocol: str) -> list[str]:
        """Names of the studies that follow a protocol."""
        return [name for name, study in self.studies.items() if study["protocol"] == protocol]

    def only(self, *protocols: str) -> str:
        """Constraint of the wildcard ``study`` for the rules of some protocols."""
        names = [name for protocol in protocols for name in self.of_protocol(protocol)]
        return "|".join(names) or "(?!)"

    def with_block(self, block: str) -> str:
        """Constraint of the wildcard ``study`` for the rules of an optional block."""
        names = [name for name, study in self.studies.items() if study.get(block)]
        return "|".join(names) or "(?!)"

    def followed(self, study: str) -> list[str]:
        """Methods of Figures 2 and 3 of K15: the ADMM family where it has a rho."""
        rhos = self.studies[study]["convergence"]["rhos"]
        return [method for method in WATCHED if method in ("toppush", "exact") or method in rhos]

    def followed_file(self, wildcards, name: str) -> str:
        """A file of the set of K15's Figures 2 and 3: one of its own, or "splits", the study's own."""
        dataset = self.study(wildcards)["convergence"]["dataset"]
        if name == "splits":
            return f"{self.results}/{wildcards.study}/splits/{dataset}.npz"
        return f"{self.results}/data/{dataset}/{name}"

    def measured(self, block: str, name: str):
        """Input function: a file of each data set of a block of one fold, or "splits", the study's own."""

        def paths(wildcards) -> list[str]:
            datasets = self.study(wildcards)[block]["datasets"]
            if name == "splits":
                return [f"{self.results}/{wildcards.study}/splits/{dataset}.npz" for dataset in datasets]
            return [f"{self.results}/data/{dataset}/{name}" for dataset in datasets]

        return paths

    def watched_files(self, study: str) -> list[str]:
        """The files of iterations and seconds to levels of suboptimality, one a case and method."""
        methods = [method for method in WATCHED if method in self.named(self.studies[study])]
        return [
            f"{self.results}/{study}/suboptimality/{dataset}.{features}.{method}.csv"
            for (dataset, features), method in product(self.cases(study), methods)
        ]

    def blocks(self, study: str, dataset: str) -> list[str]:
        """Names of a data set's blocks of splits, first-last: a longer study keeps the blocks that it had."""
        settings = self.studies[study]
        if toy_size(dataset):
            total, size = settings["toy"]["trials"], settings["toy"]["trials_per_job"]
        else:
            total = settings["splits"]
            size = settings.get("splits_per_job_of", {}).get(dataset, settings["splits_per_job"])
        return [f"{first}-{min(first + size, total) - 1}" for first in range(0, total, size)]

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
        """The module of the library that runs the splits of a job, for the digest of a method's code."""
        is_of_queries = self.study(wildcards)["protocol"] == "query_ranking"
        return "toprank.query_protocol" if is_of_queries else "toprank.protocol"

    def looked_at(self, wildcards) -> dict:
        """Shares at which a sparse method is fitted too, on the data sets of the table."""
        shares = self.study(wildcards).get("looked_at")
        return {} if toy_size(wildcards.dataset) or not shares else {"share": shares}

    def times(self, study: str) -> list[str]:
        """The files of the running times of a study, one a solver and number of noise features."""
        times = self.studies[study].get("times")
        lines = product(times["rows"], times["noise"]) if times else []
        return [f"{self.results}/{study}/times/{solver}.noise{noise}.csv" for solver, noise in lines]

    def dirty_model(self, study: str) -> list[str]:
        """The files of the traces on the dirty model: blocks of draws, and the varied settings."""
        settings = self.studies[study]["dirty_model"]
        total, size = settings["seeds"], settings["seeds_per_job"]
        draws = [f"{first}-{min(first + size, total) - 1}" for first in range(0, total, size)]
        return [f"{self.results}/{study}/dirty_model/{name}.csv" for name in (*draws, "varied")]

    def scale_sizes(self, study: str) -> list[str]:
        """The files of the costs of a study, one a size."""
        sizes = sorted(self.studies[study]["scale"]["rows"])
        return [f"{self.results}/{study}/scale/rows{rows}.csv" for rows in sizes]

    def shown(self, study: str) -> list[str]:
        """The files of a study that the page shows."""
        of_protocol = SHOWN[self.protocols[study]]
        tables, figures = (of_protocol[i] + STATISTICS[i] for i in (0, 1))
        names = ["fits.csv", *(f"{name}.csv" for name in tables), *(f"{name}.svg" for name in figures)]
        if self.protocols[study] == "query_ranking":
            names.append("queries.csv")
        settings = self.studies[study]
        beside = [name for block, added in BESIDE.items() if settings.get(block) for name in added]
        names += [f"{name}.{kind}" for name in beside for kind in ("csv", "svg")]
        names += [
            f"path_{dataset}{end}"
            for dataset in settings.get("paths", {})
            for end in (".csv", "_weights.csv", ".svg")
        ]
        names += [f"{PRINTED_FIGURE}.{kind}" for kind in ("csv", "svg") if self.published(study)]
        return [f"{self.results}/{study}/{name}" for name in names]

    def printed(self, study: str) -> list[str]:
        """What a study makes for print: its tables as LaTeX, its figures as PDF and PNG."""
        drawn = [
            f"{self.results}/{study}/{name}.{kind}" for name in self.drawn(study) for kind in ("pdf", "png")
        ]
        return [*self.latex_of(study), *drawn]

    def drawn(self, study: str) -> list[str]:
        """Names of the figures of a study that the page shows; each is there as SVG, PDF and PNG."""
        return [Path(file).stem for file in self.shown(study) if file.endswith(".svg")]

    def latex_of(self, study: str) -> list[str]:
        """The tables of a study as LaTeX, in the order of a paper: its own, then ours beside printed ones."""
        names = [*SHOWN[self.protocols[study]][0], *PRINTED_STATISTICS]
        names += ["comparison"] if self.studies[study]["published"] else []
        return [f"{self.results}/{study}/{name}.tex" for name in names]

    def latex_files(self) -> list[str]:
        """All tables of the run as LaTeX."""
        of_studies = [file for study in self.studies for file in self.latex_of(study)]
        is_printed = any(self.published(study) for study in self.studies)
        of_run = [name for name in OF_THE_RUN if name != "coverage" or is_printed]
        return [*of_studies, *(f"{self.results}/{name}.tex" for name in of_run)]

    def written_as_latex(self) -> str:
        """Constraint of the tables that are written as LaTeX from their result files alone."""
        studies = "|".join(self.studies)
        return rf"({'|'.join(OF_THE_RUN)}|({studies})/({'|'.join(UNPRINTED)}))"

    def tables(self, study: str) -> list[str]:
        """The tables of a study that are set beside printed numbers."""
        names = [name for name in SHOWN[self.protocols[study]][0] if name not in UNPRINTED]
        settings = self.studies[study]
        names += [
            name
            for block in SPOKEN_OF
            if settings.get(block) and settings["published"]
            for name in BESIDE[block]
        ]
        return [f"{self.results}/{study}/{name}.csv" for name in names]

    def compared(self, study: str) -> list[str]:
        """What the comparison reads of a study: its tables, and its fits where it says how many rows it
        trains on, which R12 prints."""
        fits = [f"{self.results}/{study}/fits.csv"]
        is_counted = self.protocols[study] == "infinite_push" and self.published(study)
        return [*self.tables(study), *(fits if is_counted else [])]

    def with_print(self) -> str:
        """Constraint of the wildcard ``study`` for what only studies with printed numbers have."""
        return "|".join(name for name in self.studies if self.published(name)) or "(?!)"

    def published(self, study: str) -> list[str]:
        """The files of printed numbers of a study."""
        named = self.studies[study]["published"] or []
        return (
            [file for file in named.values() if file] if isinstance(named, dict) else [named] if named else []
        )

    def queries(self, study: str) -> str:
        """The file of what each query is worth; empty where a study has no queries."""
        has_queries = self.protocols[study] == "query_ranking"
        return f"{self.results}/{study}/queries.csv" if has_queries else ""

    @property
    def protocols(self) -> dict[str, str]:
        """Study -> its protocol."""
        return {name: study["protocol"] for name, study in self.studies.items()}

    def prepared(self, name: str):
        """Input function: a file of a job's prepared data set, which is the study's own where it is a toy."""

        def path(wildcards) -> str:
            is_toy = toy_size(wildcards.dataset) is not None
            above = f"{self.results}/{wildcards.study}/toy" if is_toy else f"{self.results}/data"
            return f"{above}/{wildcards.dataset}/{name}"

        return path

    def fold_block(self) -> dict:
        """What each fit reads: arrays, manifest and splits of its data set."""
        return {
            "arrays": self.prepared("arrays.npz"),
            "manifest": self.prepared("manifest.json"),
            "splits": f"{self.results}/{{study}}/splits/{{dataset}}.npz",
        }

    def bandwidth(self, wildcards) -> int:
        """Say 1 where memory bandwidth binds a fit; ``--resources bandwidth=1`` runs one such at a time.

        From 100 000 rows on, the vectors of an iteration outgrow a core's share of the cache.
        """
        if toy_size(wildcards.dataset):
            return 0
        return int((registry.get(wildcards.dataset).expected.get("rows") or 0) >= 100_000)

    def record(self, dataset: str) -> Path:
        """The record of what was obtained of a data set."""
        return Path(self.results, "data", dataset, "fetch.json")

    def attempt(self, dataset: str) -> str:
        """A parameter of rule fetch that changes when a data set is to be tried again; see `note_retries`."""
        note = self.record(dataset).with_name("attempt")
        return note.read_text(encoding="utf-8") if note.is_file() else ""


def command(workflow, results: str) -> str:
    """The command that makes anew, with the configuration of this run, the file that is put behind it."""
    settings = workflow.config_settings
    files = [os.path.relpath(file) for file in settings.configfiles]
    words = ["snakemake", "--cores", "1", *(["--configfile", *files] if files else [])]
    if "results" in settings.config:
        words += ["--config", f"results={results}"]
    return shlex.join([*words, "--force", "--"])


def note_retries(layout: Layout) -> None:
    """Note which data sets that could not be had are to be tried again: their files are there now.

    The key ``retry_missing`` tries all of them. To remove the record would not do: Snakemake does not miss an
    intermediate file. The note is the time of the failed attempt, so it stays when the next one succeeds.
    """
    mirror = mirror_from(layout.config["mirror"])
    for name in layout.datasets:
        record = layout.record(name)
        if not record.is_file():
            continue
        status = json.loads(record.read_text(encoding="utf-8"))["status"]
        if status == "obtained":
            continue
        complete = status == "partial"
        if layout.config["retry_missing"] or available_locally(
            name, layout.config["data_folder"], mirror, everything=complete
        ):
            record.with_name("attempt").write_text(str(record.stat().st_mtime_ns), encoding="utf-8")
