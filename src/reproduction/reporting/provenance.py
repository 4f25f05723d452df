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

    `config`: the whole configuration of the run. `root`: folder of the project, whose git commit is recorded.
    `method_versions`: versions of what methods need beside the packages of the project. Returns: written,
    toprank, commit, dirty, python, platform, cpu, cores, memory_gib, versions, seeds, config_digest, config,
    the last two without the secrets of addresses.
    """
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
    """SHA-256 of the configuration, written as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode()).hexdigest()


def read_memory_gib() -> float | None:
    """Physical memory in GiB; None where the system does not tell."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None
