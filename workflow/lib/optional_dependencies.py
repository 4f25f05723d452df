"""The packages and programs that a method needs beside the locked environment, and their versions.

A line ``# needs: Rscript`` in a rule file lists Python packages or programs; an estimator of another package
needs that package. The text of the file is searched for this, since a method that cannot run is left out
before Snakemake reads its rule.
"""

import re
import shutil
import subprocess
from functools import cache
from importlib import metadata
from importlib.util import find_spec

from code_digest import PACKAGES
from config_consistency import METHODS

from reproduction.datasets.specs import READER_PACKAGES

DEPENDENCY_LINE = re.compile(r"^# needs: (.+)$", re.MULTILINE)
#: Package -> extra of the project that installs it.
EXTRAS = {"lightgbm": "peers", "xgboost": "peers", "rdkit": "chem"}
ESTIMATOR_NAME = re.compile(r"methods\.params\(\s*\"(\w+)\.")


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
    """List the packages and programs that a method needs and that are not installed.

    Parameters
    ----------
    method : str
        Method, named after its rule file.

    Returns
    -------
    list[str]
        Names; empty if the method can run.
    """
    return [name for name in list_dependencies(method) if get_version(name) is None]


def suggest_installation(package: str) -> str:
    """Return how a package that is not installed can be installed, where an extra of the project has it.

    Parameters
    ----------
    package : str
        Package or program.

    Returns
    -------
    str
        Continues a sentence; empty for any other package.
    """
    extra = EXTRAS.get(package)
    return f' (pip install -e ".[{extra}]")' if extra else ""


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


@cache
def get_version(name: str) -> str | None:
    """Return the version of a Python package, or else of a program; None if neither is installed.

    Parameters
    ----------
    name : str
        Name of a Python package or of a program.

    Returns
    -------
    str | None
        Version of the package, or the first line that the program prints.
    """
    # a module may belong to a distribution of another name
    if find_spec(name):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            distributions = metadata.packages_distributions().get(name)
            return metadata.version(distributions[0]) if distributions else "unknown"
    # no Python package: a program on the path
    if not shutil.which(name):
        return None
    process = subprocess.run(
        [name, "--version"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    lines = (process.stdout or process.stderr).strip().splitlines()
    return lines[0] if lines else "unknown"
