"""What the rule of a method hands to the script that fits it."""

import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import requirement
from common import Layout
from config_check import ConfigError
from digest import PACKAGES, code_digest

import toprank

PROGRAM = "reproduction.program.Program"


def home(estimator: str) -> str | None:
    """The module of an estimator, by its dotted name; None for one that is not ours."""
    module, _, name = estimator.rpartition(".")
    if module == toprank.__name__:
        return toprank.HOMES[name]
    return module if module.split(".")[0] in PACKAGES else None


class Methods:
    """The parameters and files of methods' rules, for one configuration."""

    def __init__(self, layout: Layout, logs: str, benchmarks: str):
        self.layout, self.logs, self.benchmarks = layout, logs, benchmarks
        #: the method whose rule file is being read
        self.reading: str | None = None
        #: name of an environment -> the file that lists its packages
        self.requirements: dict[str, str] = {}

    def log(self, method: str) -> str:
        """Pattern of the logs of a method."""
        return f"{self.logs}/fit/{{study}}.{{dataset}}.{{features}}.{method}.{{block}}.log"

    def benchmark(self, method: str) -> str:
        """Pattern of the times and memory of its jobs."""
        return f"{self.benchmarks}/{method}/{{study}}.{{dataset}}.{{features}}.{{block}}.tsv"

    def admm(self, *options: str) -> Callable:
        """The fixed parameters of a method of the ADMM family whose solver has these options."""

        def fixed(wildcards) -> dict:
            given = self.layout.study(wildcards)["admm"]
            limits = {name: given[name] for name in ("tol", "max_iter")}
            return limits | {f"solver__{name}": given[name] for name in options}

        return fixed

    def params(
        self,
        estimator: str,
        solver: str | None = None,
        fixed: Mapping | Callable | None = None,
        grid: Mapping | Callable | None = None,
        path: Mapping | Callable | None = None,
        inherit: Sequence[str] = (),
    ) -> dict:
        """The parameters of a method's rule; what depends on the study may be a function of the wildcards.

        Parameters
        ----------
        estimator : str
            Dotted name of a class with ``fit`` and ``decision_function`` or ``predict``.
        solver : str, optional
            The one that is used, of an estimator that offers several; an edit of another reruns nothing.
        fixed : mapping
            Parameters that never change; those of the penalty as ``penalty__gamma``, of the solver likewise.
        grid : mapping of str to list
            Values to try, the strongest regularisation last. The key ``grids`` of a study wins over it.
        path : mapping of str to list
            Parameters to look at as well, not to choose from.
        inherit : sequence of str
            Parameters that the method of ``input.chosen`` has chosen on the same split.
        """

        # no function of the output gives it: Snakemake reruns nothing where the value of such a one changes
        name = self.reading

        def code(wildcards) -> str:
            chosen = [module for module in (home(estimator),) if module]
            return code_digest("fit", self.layout.paper(wildcards).search, *chosen, solver=solver)

        def with_solver(wildcards) -> dict:
            given = fixed(wildcards) if callable(fixed) else fixed
            return {**({"solver": solver} if solver else {}), **(given or {})}

        return {
            "estimator": estimator,
            "fixed": with_solver,
            "grid": lambda wildcards: self.grid(grid, wildcards, name),
            "path": path or {},
            "inherit": list(inherit),
            "columns": lambda wildcards: self.layout.job_columns(wildcards.study),
            "limits": lambda wildcards: self.layout.limits(wildcards),
            "ties": lambda wildcards: self.layout.ties(wildcards),
            "thresholds": lambda wildcards: self.layout.universes(wildcards.study).levels.get(
                "threshold", []
            ),
            "runs": lambda wildcards: self.layout.paper(wildcards).search,
            "code": code,
            "versions": requirement.versions(name) if name else {},
        }

    def program(self, shell: str, setup: str = "", grid: Mapping | Callable | None = None, **others) -> dict:
        """The parameters of the rule of a program of any language; docs/add_a_method.md is its contract.

        Parameters
        ----------
        shell : str
            The command that learns and scores. Files of the project that it names are covered by a digest.
        setup : str
            A command that is run once a job.
        grid, **others
            As of `params`: ``fixed``, ``path``, ``inherit``; ``files`` lists what else the program reads.
        """
        named = {*shlex.split(f"{setup} {shell}"), *others.pop("files", ())}
        files = sorted(word for word in named if Path(word).is_file())
        fixed = {"shell": shell, "setup": setup, **others.pop("fixed", {})}
        params = self.params(PROGRAM, fixed=fixed, grid=grid, **others)
        code = params["code"]
        return params | {"code": lambda wildcards: f"{code(wildcards)} {content_digest(files)}"}

    def grid(self, given: Mapping | Callable | None, wildcards, method: str | None) -> Mapping:
        """The values that a method tries in a study: the configuration's, or else its rule's."""
        of_study = self.layout.study(wildcards).get("grids", {}).get(method)
        return of_study or (given(wildcards) if callable(given) else given) or {}

    def environment(self, requirements: str) -> str:
        """What a rule has as its input ``environment`` for its programs to run with their own packages."""
        if not Path(requirements).is_file():
            raise ConfigError(
                f"Method {self.reading}: {requirements}, the list of its packages, does not exist: write it, "
                "one package a line, or correct the path in the rule."
            )
        name = f"{Path(requirements).stem}-{content_digest([requirements])}"
        self.requirements[name] = requirements
        return f"{self.layout.results}/environments/{name}/packages.txt"


def content_digest(files: Sequence[str]) -> str:
    """16 hexadecimal digits that change with the content of files."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(Path(file).read_bytes())
    return whole.hexdigest()[:16]
