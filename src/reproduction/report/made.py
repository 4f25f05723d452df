"""Where single fits come from: the run that made them, when, and how long that took.

A run notes itself, when it begins, in `LEDGER`; what a job took is Snakemake's benchmark of it. So what was
kept from an earlier run is said to be of that one.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from reproduction.finding import fill
from reproduction.report.provenance import commit, cpu_model, here

LEDGER = "runs.jsonl"
"""File of the results: a line a run."""

SAID = """
{% if not date %}When and by which commit these fits were made is not on record.
{%- else %}Made {{ date }}
{%- if commit %} by the run of {{ started }}, commit {{ commit }}
{{- " with uncommitted changes" if dirty }}, {{ cpu }}, {{ platform }}
{%- else %}; the commit is not on record
{%- endif %}. Expect about {{ seconds }} s to make them again:
{%- endif %}
"""


def note(results: str | Path, root: str | Path = ".") -> None:
    """Write down that a run begins: when, at which commit, on what machine; no name of a host or a user."""
    run = {"started": _text(datetime.now(UTC)), **commit(root), "cpu": cpu_model(), "platform": here()}
    Path(results).mkdir(parents=True, exist_ok=True)
    with Path(results, LEDGER).open("a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")


def runs(results: str | Path) -> list[dict]:
    """Read the runs that noted themselves, in their order; a line that was cut off does not count."""
    file, found = Path(results, LEDGER), []
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def origin(results: str | Path, study: str, key: str, block: str, known: list[dict]) -> str:
    """Say where a file of fits comes from.

    Parameters
    ----------
    results : path-like
    study : str
    key : str
        "data set/features/method".
    block : str
        Of splits.
    known : list of dict
        Of `runs`.
    """
    dataset, features, method = key.split("/")
    file = Path(results, "benchmarks", method, f"{study}.{dataset}.{features}.{block}.tsv")
    if not file.is_file():
        return fill(SAID, {"date": ""})
    date = _text(datetime.fromtimestamp(file.stat().st_mtime, UTC))
    run = next((run for run in reversed(known) if run["started"] <= date), {})
    lines = file.read_text(encoding="utf-8").splitlines()
    seconds = lines[1].split("\t")[0] if len(lines) > 1 else "some"
    about = {name: run.get(name, "") for name in ("started", "commit", "dirty", "cpu", "platform")}
    return fill(SAID, about | {"date": date, "seconds": seconds, "commit": about["commit"][:10]})


def _text(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC")
