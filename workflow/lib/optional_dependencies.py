"""The packages and programs that a method needs beside the locked environment, and their versions.

A line ``# needs: Rscript`` in a rule file lists Python packages or programs; an estimator of another package
needs that package. The text of the file is searched for this, since a method that cannot run is left out
before Snakemake reads its rule.

Scripts run with the packages of this process. With ``--sdm conda`` they run with those of a conda file, which
need not be installed here: `use_conda_file`.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from code_digest import PACKAGES
from config_consistency import METHODS

from reproduction.datasets.specs import READER_PACKAGES

DEPENDENCY_LINE = re.compile(r"^# needs: (.+)$", re.MULTILINE)
#: Package -> extra of the project that installs it.
EXTRAS = {"lightgbm": "peers", "xgboost": "peers", "rdkit": "chem"}
#: Package -> the distribution of the conda file that has it, where its name differs.
DISTRIBUTIONS = {"sklearn": "scikit-learn", "xgboost": "xgboost-cpu"}
#: Distribution -> version in the conda environment of the scripts; empty where they run without conda.
CONDA_VERSIONS: dict[str, str] = {}
CONDA_PIN = re.compile(r"^ *- ([\w.-]+)==?([^\s;=]+)", re.MULTILINE)
#: The version of what a rule brings in a conda environment of its own; Snakemake compares the file itself.
OWN_VERSION = "of the conda file of its rule"
CONDA_DIRECTIVE = re.compile(r"^\s+conda:", re.MULTILINE)
ESTIMATOR_NAME = re.compile(r"methods\.params\(\s*\"(\w+)\.")


def use_conda_file(file: str | Path) -> None:
    """Take packages and versions from the conda file in whose environment the scripts run.

    Parameters
    ----------
    file : path-like
        File with a version for each package.
    """
    CONDA_VERSIONS.update(CONDA_PIN.findall(Path(file).read_text(encoding="utf-8")))


def _has_own_environment(method: str) -> bool:
    """Whether the rule of a method names a conda file, and conda is used."""
    rule = (METHODS / f"{method}.smk").read_text(encoding="utf-8")
    return bool(CONDA_VERSIONS and CONDA_DIRECTIVE.search(rule))


@cache
def list_dependencies(method: str) -> tuple[str, ...]:
    """List the packages and programs that the rule file of a method names.

    Parameters
    ----------
    method : str
        Method, named after its rule file.

    Returns
    -------
    tuple[str, ...]
        Names of packages and programs, each once.
    """
    rule = (METHODS / f"{method}.smk").read_text(encoding="utf-8")
    # dependencies in the comment "# needs:", and the package of the estimator itself
    dependencies = [name.strip() for line in DEPENDENCY_LINE.findall(rule) for name in line.split(",")]
    packages = [name for name in ESTIMATOR_NAME.findall(rule) if name not in PACKAGES]
    return tuple(dict.fromkeys([*dependencies, *packages]))


def find_missing(method: str) -> list[str]:
    """List the packages and programs that a method needs and that its script would not have.

    Parameters
    ----------
    method : str
        Method, named after its rule file.

    Returns
    -------
    list[str]
        Names; empty if the method can run.
    """
    if _has_own_environment(method):
        return []
    return [name for name in list_dependencies(method) if get_version(name) is None]


def explain_missing(package: str) -> str:
    """Return why a package is missing, and the remedy where there is one.

    Parameters
    ----------
    package : str
        Package or program.

    Returns
    -------
    str
        A clause that continues the sentence "It needs <package>".
    """
    if CONDA_VERSIONS:
        return "which envs/environment.yaml does not list: add it there, or name a conda file in the rule"
    extra = EXTRAS.get(package)
    return "which is not installed" + (f' (pip install -e ".[{extra}]")' if extra else "")


def explain_unavailable(methods: Iterable[str]) -> dict[str, str]:
    """Explain which methods cannot run, since a package or a program is missing.

    Parameters
    ----------
    methods : Iterable[str]
        Methods, named after their rule files.

    Returns
    -------
    dict[str, str]
        Method -> a sentence that names what is missing; those that can run are left out.
    """
    missing = {method: find_missing(method) for method in methods}
    return {
        method: f"'{method}' is left out: it needs {names[0]}, {explain_missing(names[0])}."
        for method, names in missing.items()
        if names
    }


def get_versions(method: str) -> dict[str, str]:
    """Return the versions of the packages and programs that a method needs.

    Parameters
    ----------
    method : str
        Method, named after its rule file.

    Returns
    -------
    dict[str, str]
        Version by name, ``not installed`` if there is none.
    """
    if _has_own_environment(method):
        return dict.fromkeys(list_dependencies(method), OWN_VERSION)
    return {name: get_version(name) or "not installed" for name in list_dependencies(method)}


def describe_reader_package(reader: str) -> str:
    """Return name and version of the optional package of a reader, since another version may read otherwise.

    Parameters
    ----------
    reader : str
        Reader of the registry of data sets.

    Returns
    -------
    str
        Such as ``rdkit 2026.9.1`` or ``rdkit not installed``; empty for a reader without such a package.
    """
    if reader not in READER_PACKAGES:
        return ""
    package, _ = READER_PACKAGES[reader]
    return f"{package} {get_version(package) or 'not installed'}"


def get_version(name: str) -> str | None:
    """Return the version of a Python package of the scripts, or else of a program; None if there is neither.

    Parameters
    ----------
    name : str
        Name of a Python package or of a program.

    Returns
    -------
    str | None
        Version of the package, or the first line that the program prints.
    """
    if CONDA_VERSIONS:
        version = CONDA_VERSIONS.get(DISTRIBUTIONS.get(name, name))
    else:
        version = _get_installed_version(name)
    # no Python package: a program on the path, which a conda environment keeps
    return version or _get_program_version(name)


@cache
def _get_installed_version(name: str) -> str | None:
    """Return the version of a Python package of this process; None if there is none."""
    if not find_spec(name):
        return None
    # a module may belong to a distribution of another name
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        distributions = metadata.packages_distributions().get(name)
        return metadata.version(distributions[0]) if distributions else "unknown"


@cache
def _get_program_version(name: str) -> str | None:
    """Return the first line that a program prints of its version; None if there is no such program."""
    if not shutil.which(name):
        return None
    process = subprocess.run(
        [name, "--version"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    lines = (process.stdout or process.stderr).strip().splitlines()
    return lines[0] if lines else "unknown"
