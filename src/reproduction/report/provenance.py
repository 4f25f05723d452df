"""Where the numbers come from: versions, commit, machine, seeds and configuration.

This is the one result that may hold times and facts of the machine; no path, user or host name is recorded.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

PACKAGES = (
    "toprank",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "pandas",
    "cvxpy",
    "clarabel",
    "highspy",
    "snakemake",
    "matplotlib",
    "jinja2",
    "py7zr",
    "rarfile",
)
"""Distributions whose versions are recorded."""


def provenance(config: Mapping, root: str | Path = ".", needs: Mapping[str, str] | None = None) -> dict:
    """Collect what one needs to know to judge the numbers, or to make them again.

    Parameters
    ----------
    config : mapping
        The whole configuration of the run.
    root : path-like
        Folder of the project, whose git commit is recorded.
    needs : mapping of str to str
        Versions of what methods need beside the packages of the project.

    Returns
    -------
    dict
        written, toprank, commit, dirty, python, platform, cpu, cores, memory_gib, versions, seeds,
        config_digest, config.
    """
    return {
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        **commit(root),
        "python": platform.python_version(),
        "platform": here(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "memory_gib": memory_gib(),
        "versions": versions() | dict(needs or {}),
        "seeds": {"master": config.get("seed", "not set")},
        "config_digest": config_digest(config),
        "config": json.loads(json.dumps(config, default=str)),
    }


def here() -> str:
    """Name the system and the kind of machine."""
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def config_digest(config: Mapping) -> str:
    """SHA-256 of the configuration, written as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode()).hexdigest()


def versions(packages: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    """Installed versions; a package that is not there is named as such."""
    found = {}
    for name in packages:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def commit(root: str | Path) -> dict:
    """Look up the git commit, and whether tracked files differ from it; say so where there is none."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", *words], cwd=root, capture_output=True, text=True, timeout=30, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.strip()

    head = git("rev-parse", "HEAD")
    if head is None:
        return {"commit": "not under version control", "dirty": None}
    changed = git("status", "--porcelain", "--untracked-files=no")
    return {"commit": head, "dirty": None if changed is None else bool(changed)}


def cpu_model() -> str:
    """Name of the processor as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def memory_gib() -> float | None:
    """Physical memory in GiB; None where the system does not tell."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None
