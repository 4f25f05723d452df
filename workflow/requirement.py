"""What a method needs beside the locked environment, whether it is there, and in which version.

A rule file says so itself: a line ``# needs: Rscript`` lists packages of Python or programs; an estimator of
another package needs that package. This is read from the text of the file, since a method that cannot run is
left out before its rule is read.
"""

import re
import shutil
import subprocess
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from digest import PACKAGES

METHODS = Path(__file__).with_name("rules") / "methods"
NEEDS = re.compile(r"^# needs: (.+)$", re.MULTILINE)
ESTIMATOR = re.compile(r"methods\.params\(\s*\"(\w+)\.")


@cache
def needs(method: str) -> tuple[str, ...]:
    """List the packages and programs that the rule file of a method names."""
    rule = (METHODS / f"{method}.smk").read_text(encoding="utf-8")
    named = [name.strip() for listed in NEEDS.findall(rule) for name in listed.split(",")]
    packages = [name for name in ESTIMATOR.findall(rule) if name not in PACKAGES]
    return tuple(dict.fromkeys([*named, *packages]))


def missing(method: str) -> list[str]:
    """List what a method needs and this machine does not have."""
    return [name for name in needs(method) if version(name) is None]


def versions(method: str) -> dict[str, str]:
    """Look up the version of each that a method needs."""
    return {name: version(name) or "not installed" for name in needs(method)}


@cache
def version(name: str) -> str | None:
    """Say the version of a package of Python, or else of a program; None where there is neither."""
    if find_spec(name):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return metadata.version(metadata.packages_distributions()[name][0])
    if not shutil.which(name):
        return None
    asked = subprocess.run(
        [name, "--version"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    said = (asked.stdout or asked.stderr).strip().splitlines()
    return said[0] if said else "unknown"
