"""Provenance of a run: versions, commit, machine, seeds and configuration.

Only this result may hold times and facts of the machine; no path, user, password or host name of the machine
is recorded.
"""

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from reproduction.core.provenance import PROJECT_ROOT, read_commit, read_cpu_model, read_versions
from reproduction.core.redaction import redact_config

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


def collect_run_provenance(
    config: Mapping, root: str | Path = PROJECT_ROOT, method_versions: Mapping[str, str] | None = None
) -> dict:
    """Collect what a reader needs to judge or to reproduce the numbers.

    Parameters
    ----------
    config : mapping
        The whole configuration of the run.
    root : path-like
        Folder of the project, whose git commit is recorded.
    method_versions : mapping of str to str, optional
        Versions of what methods need beside the packages of the project.

    Returns
    -------
    dict
        ``written``, ``toprank``, ``commit``, ``dirty``, ``python``, ``platform``, ``cpu``, ``cores``,
        ``memory_gib``, ``versions``, ``seeds``, ``config_digest`` and ``config``, the last two without the
        secrets of addresses.
    """
    # without user names, tokens and absolute paths
    config = redact_config(config)
    return {
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        **read_commit(root),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": read_cpu_model(),
        "cores": os.cpu_count(),
        "memory_gib": read_memory_gib(),
        "versions": read_versions(PACKAGES) | dict(method_versions or {}),
        "seeds": {"master": config.get("seed", "not set")},
        "config_digest": digest_config(config),
        "config": json.loads(json.dumps(config, default=str)),
    }


def digest_config(config: Mapping) -> str:
    """Return the SHA-256 of the configuration, written as JSON with sorted keys.

    Parameters
    ----------
    config : mapping
        The configuration.

    Returns
    -------
    str
    """
    return hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode()).hexdigest()


def read_memory_gib() -> float | None:
    """Return the physical memory in GiB, or None where the system does not tell.

    Returns
    -------
    float | None
    """
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None
