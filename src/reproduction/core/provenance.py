"""Provenance of a file of rows: commit, date, seed, data, code and machine. Each job's file carries it."""

import csv
import hashlib
import io
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

PROVENANCE_ROLE = "provenance"
"""Role of the row that holds the provenance of a job's file; it is no fit."""

PROVENANCE_COLUMNS = ("commit", "dirty", "date", "seed", "data", "code", "machine", "versions")
DIGEST_KEY = "rows"
"""Key of the provenance in a job's file: the digest of its other rows and facts."""

RECORDED_PACKAGES = ("toprank", "numpy", "scipy", "numba", "scikit-learn", "highspy", "clarabel")
"""Distributions that a fit computes with."""

ABSENT_VERSION = "not installed"
"""What stands for the version of a package that is not there."""

OPTIONAL_PACKAGES = ("lightgbm", "xgboost", "xgboost-cpu", "rdkit")
"""Distributions that some methods and readers need; recorded where they are installed."""


PROJECT_ROOT = Path(__file__).resolve().parents[3]
"""Folder of the project, wherever it is run."""


def collect_provenance(
    seed: int, arrays: Iterable[str | Path], code: str, root: str | Path = PROJECT_ROOT
) -> dict:
    """Collect the provenance of a job's file.

    Parameters
    ----------
    seed : int
        The master seed.
    arrays : Iterable[str or Path]
        The files of the prepared data sets.
    code : str
        Digest of the code that ran.
    root : str or Path, optional
        Folder of the project.

    Returns
    -------
    dict
        The keys of `PROVENANCE_COLUMNS`: ``dirty`` says whether tracked files differed from the commit,
        ``data`` is the SHA-256 of the arrays (of a set that is mapped: of all but its rows), ``machine``
        tells machines apart without their names.
    """
    return {
        **read_commit(root),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": seed,
        # digest of the arrays, in the order of the inputs
        "data": " ".join(hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in arrays),
        "code": code,
        "machine": describe_machine(),
        "versions": " ".join(
            f"{name} {version}"
            for name, version in read_versions(RECORDED_PACKAGES + OPTIONAL_PACKAGES).items()
            if name in RECORDED_PACKAGES or version != ABSENT_VERSION
        ),
    }


def provenance_row(facts: dict, split_batch: str) -> dict:
    """Write the provenance as a row of the job's file.

    Parameters
    ----------
    facts : dict
        Provenance, see `collect_provenance`.
    split_batch : str
        Range of splits of the job.

    Returns
    -------
    dict
        Row of role "provenance", whose message holds the facts as JSON.
    """
    return {
        "split": split_batch,
        "role": PROVENANCE_ROLE,
        "params": "{}",
        "message": json.dumps(facts, sort_keys=True),
    }


def render_job(columns: Iterable[str], rows: Iterable[Mapping], record: Mapping) -> str:
    """Render the rows of a job as CSV and, last, its `provenance_row` with a digest of the lines above.

    Parameters
    ----------
    columns : Iterable[str]
        Names of the columns.
    rows : Iterable[Mapping]
        Rows of the fits.
    record : Mapping
        The `provenance_row`.

    Returns
    -------
    str
        Content of the job's file.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    facts = json.loads(record["message"])
    facts[DIGEST_KEY] = digest_rows(text.getvalue(), facts)
    writer.writerow({**record, "message": json.dumps(facts, sort_keys=True)})
    return text.getvalue()


def digest_rows(text: str, facts: Mapping) -> str:
    """Digest the lines of a job's file above its record, and the facts of the record.

    Parameters
    ----------
    text : str
        The lines, with the header.
    facts : Mapping
        Provenance; its own digest is left out.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits.
    """
    other_facts = {key: value for key, value in facts.items() if key != DIGEST_KEY}
    return hashlib.sha256(f"{text}{json.dumps(other_facts, sort_keys=True)}".encode()).hexdigest()


def summarise_provenance(rows: Iterable[Mapping[str, str]]) -> list[dict]:
    """Count the files that each commit made.

    Parameters
    ----------
    rows : Iterable[Mapping[str, str]]
        Rows of `collect.collect_provenance`, of all studies.

    Returns
    -------
    list[dict]
        Rows of commit, dirty, machine, files, first and last (dates), the most files first.
    """
    dates_of: dict[tuple, list[str]] = {}
    for row in rows:
        dates_of.setdefault((row["commit"], row["dirty"], row["machine"]), []).append(row["date"])
    commits = [
        {"commit": commit, "dirty": dirty, "machine": machine, "files": len(dates)}
        | {"first": min(dates), "last": max(dates)}
        for (commit, dirty, machine), dates in dates_of.items()
    ]
    return sorted(commits, key=lambda row: (-row["files"], row["first"]))


def read_commit(root: str | Path) -> dict:
    """Look up the git commit, and whether tracked files differ from it.

    Parameters
    ----------
    root : str or Path
        Folder of the project.

    Returns
    -------
    dict
        ``commit`` (a sentence without git) and ``dirty`` (None where that is not known).
    """

    def git(*arguments: str) -> str | None:
        """Run git in the project and return its output, or None where that fails.

        Parameters
        ----------
        *arguments : str
            Arguments of the command.

        Returns
        -------
        str or None
            Standard output without white space around it.
        """
        try:
            process = subprocess.run(
                ["git", *arguments], cwd=root, capture_output=True, text=True, timeout=30, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return process.stdout.strip()

    head = git("rev-parse", "HEAD")
    if head is None:
        return {"commit": "not under version control", "dirty": None}
    changes = git("status", "--porcelain", "--untracked-files=no")
    return {"commit": head, "dirty": None if changes is None else bool(changes)}


def read_cpu_model() -> str:
    """Return the name of the processor as the system gives it.

    Returns
    -------
    str
    """
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def describe_machine() -> str:
    """Return the processor, its cores, and a number that tells machines apart without their names.

    Returns
    -------
    str
    """
    # 24 bits tell the machines of a study apart, and do not give their names away.
    number = hashlib.sha256(platform.node().encode()).hexdigest()[:6]
    return f"{read_cpu_model()}, {os.cpu_count()} cores ({number})"


def read_versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Look up installed versions.

    Parameters
    ----------
    packages : tuple[str, ...]
        Names of distributions.

    Returns
    -------
    dict[str, str]
        Name and version of each; "not installed" for a package that is not there.
    """
    versions = {}
    for name in packages:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = ABSENT_VERSION
    return versions
