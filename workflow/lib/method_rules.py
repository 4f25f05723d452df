"""The parameters that a method's rule passes to the script that fits it."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import optional_dependencies
from code_digest import PACKAGES, code_digest
from config_validation import ConfigError
from paths import Paths

import toprank

if TYPE_CHECKING:
    from snakemake.io import Wildcards

PROGRAM = "reproduction.fitting.external_program.ExternalProgram"
CASE_KEYS = ("dataset", "feature_scaling", "method")


def find_home_module(estimator: str) -> str | None:
    """Return the module of an estimator, given its dotted name; None for an estimator of another package.

    Parameters
    ----------
    estimator : str
        Dotted name of a class or function.

    Returns
    -------
    str or None
        Dotted name of the module of ours, or None.
    """
    module, _, name = estimator.rpartition(".")
    if module == toprank.__name__:
        return toprank.EXPORT_MODULES[name]
    return module if module.split(".")[0] in PACKAGES else None


class Methods:
    """The parameters and files of methods' rules, for one configuration."""

    def __init__(self, paths: Paths, logs: str, benchmarks: str) -> None:
        self.paths, self.logs, self.benchmarks = paths, logs, benchmarks
        #: the method whose rule file is being read
        self.current_method: str | None = None
        #: name of an environment -> the file that lists its packages
        self.requirements: dict[str, str] = {}
        #: method -> the parameters of its rule
        self.params_of: dict[str, dict] = {}

    def log(self, method: str) -> str:
        """Return the pattern of the log files of a method.

        Parameters
        ----------
        method : str
            Method, named after its rule file.

        Returns
        -------
        str
            Path with wildcards in braces.
        """
        return f"{self.logs}/fit/{{study}}.{{dataset}}.{{feature_scaling}}.{method}.{{split_batch}}.log"

    def benchmark(self, method: str) -> str:
        """Return the pattern of the files with time and memory of its jobs.

        Parameters
        ----------
        method : str
            Method, named after its rule file.

        Returns
        -------
        str
            Path with wildcards in braces.
        """
        return f"{self.benchmarks}/{method}/{{study}}.{{dataset}}.{{feature_scaling}}.{{split_batch}}.tsv"

    def admm(self, *options: str) -> Callable:
        """Return the fixed parameters of an ADMM method whose solver has these options.

        Parameters
        ----------
        *options : str
            Names of options of the solver, keys of ``admm`` in the settings of the study.

        Returns
        -------
        Callable
            Function of the wildcards that returns the parameters.
        """

        def get_fixed(wildcards: Wildcards) -> dict:
            """Return ``tol``, ``max_iter`` and these options (as ``solver__NAME``) of the study's ``admm``.

            Parameters
            ----------
            wildcards : Wildcards
            """
            settings = self.paths.studies.get_settings(wildcards)["admm"]
            # of all ADMM methods: the tolerance of section 5.1 of K15, and the declared cap
            limits = {name: settings[name] for name in ("tol", "max_iter")}
            return limits | {f"solver__{name}": settings[name] for name in options}

        return get_fixed

    def params(
        self,
        estimator: str,
        solver: str | None = None,
        fixed: Mapping | Callable | None = None,
        grid: Mapping | Callable | None = None,
        path: Mapping | Callable | None = None,
        inherit: Sequence[str] = (),
        lists_only: bool = False,
    ) -> dict:
        """Return the parameters of a method's rule; what depends on the study is a function of the wildcards.

        Parameters
        ----------
        estimator : str
            Dotted name of a class with ``fit`` and ``decision_function``, ``predict_proba`` or ``predict``.
        solver : str, optional
            The solver that is used, if there are several; an edit of another one reruns nothing.
        fixed : mapping
            Fixed parameters; those of the penalty as ``penalty__gamma``, those of the solver likewise.
        grid : mapping of str to list
            Values to try, the strongest regularisation last. The key ``grids`` of a study overrides it.
        path : mapping of str to list
            Further parameters to fit, which are not candidates.
        inherit : sequence of str
            Parameters taken from the choice of the method of ``input.chosen`` on the same split.
        lists_only : bool
            Whether it cannot rank queries, such as a classifier: a study of queries leaves it out, and on a
            data set with queries among others its rows are ``not feasible``.

        Returns
        -------
        dict
            The ``params`` of the rule: values, or functions of the wildcards.
        """

        # not derived from the output: Snakemake does not rerun a job if such a function's value changes
        name = self.current_method

        def code(wildcards: Wildcards) -> str:
            """Return the digest of the code of a fit.

            Parameters
            ----------
            wildcards : Wildcards
            """
            modules = [module for module in (find_home_module(estimator),) if module]
            return code_digest("fit", self.paths.studies.get_paper(wildcards).search, *modules, solver=solver)

        def with_solver(wildcards: Wildcards) -> dict:
            """Add the solver to the fixed parameters.

            Parameters
            ----------
            wildcards : Wildcards
            """
            values = fixed(wildcards) if callable(fixed) else fixed
            return {**({"solver": solver} if solver else {}), **(values or {})}

        # an edit of a limit that concerns methods of others reruns none of ours
        is_third_party = not estimator.startswith(f"{toprank.__name__}.")
        time_limit = {"seconds": lambda wildcards: self.paths.studies.get_time_limit(wildcards)}
        params = (time_limit if is_third_party else {}) | {
            "estimator": estimator,
            "fixed": with_solver,
            "grid": lambda wildcards: self.get_grid(grid, wildcards, name),
            "path": path or {},
            "inherit": list(inherit),
            "lists_only": lists_only,
            "columns": lambda wildcards: self.paths.studies.list_job_columns(wildcards.study),
            "limits": lambda wildcards: self.paths.studies.get_search_limits(wildcards),
            "ties": lambda wildcards: self.paths.studies.list_tie_rules(wildcards),
            "thresholds": lambda wildcards: self.paths.studies.get_multiverse(wildcards.study).options.get(
                "threshold", []
            ),
            "runs": lambda wildcards: self.paths.studies.get_paper(wildcards).search,
            "code": code,
            "versions": optional_dependencies.get_versions(name) if name else {},
        }
        self.params_of[name] = params
        return params

    def program(
        self, shell: str, setup: str = "", grid: Mapping | Callable | None = None, **further: object
    ) -> dict:
        """Return the parameters of the rule of a program in any language, see docs/add_a_method.md.

        Parameters
        ----------
        shell : str
            The command that fits and scores. The digest covers the files of the project that it names.
        setup : str
            A command that is run once per job.
        grid, **further
            As in `params`: ``fixed``, ``path``, ``inherit``; ``files`` lists further files that it reads.

        Returns
        -------
        dict
            As of `params`; the digest ``code`` also covers the files.
        """
        named = {*shlex.split(f"{setup} {shell}"), *further.pop("files", ())}
        files = sorted(word for word in named if Path(word).is_file())
        fixed = {"shell": shell, "setup": setup, **further.pop("fixed", {})}
        params = self.params(PROGRAM, fixed=fixed, grid=grid, **further)
        code = params["code"]
        params["code"] = lambda wildcards: f"{code(wildcards)} {hash_files(files)}"
        return params

    def plan_fits(self, study: str) -> dict:
        """Return what each file of fits must hold: ``plans``, and for each file the number of its plan.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        dict
            The keys ``plans`` (their fields are those of
            `reproduction.collection.job_checks.Expected`) and the numbers, in the order of the files
            of fits.
        """
        # Many files share a plan (only splits differ): each plan is stored once, and files refer to it by
        # number.
        numbers: dict[tuple[str, ...], int] = {}
        plans, plan_numbers = [], []
        for file in self.paths.list_fit_files(study):
            dataset, scaling, method, split_batch = Path(file).stem.split(".")
            if (key := (dataset, scaling, method)) not in numbers:
                job = {"study": study, "split_batch": split_batch} | dict(zip(CASE_KEYS, key, strict=True))
                wildcards = SimpleNamespace(**job)
                plan = {
                    name: self.params_of[method][name] for name in ("code", "grid", "path", "ties", "limits")
                }
                plan = {name: value(wildcards) if callable(value) else value for name, value in plan.items()}
                plan |= {
                    "search": self.paths.studies.papers[study].search,
                    "folds": self.paths.split_batches.count_inner_folds(wildcards),
                }
                if plan not in plans:
                    plans.append(plan)
                numbers[key] = plans.index(plan)
            plan_numbers.append(numbers[key])
        return {"plans": plans, "of": plan_numbers}

    def list_manifests(self, study: str) -> list[str]:
        """List the manifest of the data of each file of fits of a study, in their order.

        Parameters
        ----------
        study : str
            Name of a study of the run.

        Returns
        -------
        list[str]
            Paths, one for each file of fits.
        """
        manifest = self.paths.select_prepared_file("manifest.json")
        names = (Path(file).stem.split(".") for file in self.paths.list_fit_files(study))
        return [
            manifest(SimpleNamespace(study=study, dataset=dataset, split_batch=split_batch))
            for dataset, _, _, split_batch in names
        ]

    def get_grid(
        self, default: Mapping | Callable | None, wildcards: Wildcards, method: str | None
    ) -> Mapping:
        """Return the values that a method tries in a study: of the configuration, otherwise of its rule.

        Parameters
        ----------
        default : Mapping or Callable or None
            The grid of the rule, or a function of the wildcards that returns it.
        wildcards : Wildcards
            Wildcards of the job.
        method : str or None
            Method, named after its rule file; None if the configuration cannot set its grid.

        Returns
        -------
        Mapping
            Parameter -> values; empty if nothing is tried.
        """
        # a grid in the configuration replaces the one of the rule as a whole
        study_grid = self.paths.studies.get_settings(wildcards).get("grids", {}).get(method)
        return study_grid or (default(wildcards) if callable(default) else default) or {}

    def environment(self, requirements: str) -> str:
        """Return the input ``environment`` of a rule whose programs run with packages of their own.

        Parameters
        ----------
        requirements : str
            Path of the list of packages, one package per line.

        Returns
        -------
        str
            Path of the file that is written once the packages are installed.

        Raises
        ------
        ConfigError
            The list does not exist.
        """
        if not Path(requirements).is_file():
            raise ConfigError(
                f"Method {self.current_method}: {requirements}, the list of its packages, does not exist: "
                "write it, one package per line, or correct the path in the rule."
            )
        name = f"{Path(requirements).stem}-{hash_files([requirements])}"
        self.requirements[name] = requirements
        return f"{self.paths.results}/environments/{name}/packages.txt"


def hash_files(files: Sequence[str]) -> str:
    """Return 16 hexadecimal digits that change with the content of files.

    Parameters
    ----------
    files : Sequence[str]
        Paths; their order matters.

    Returns
    -------
    str
        The digits.
    """
    digest = hashlib.sha256()
    for file in files:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:16]
