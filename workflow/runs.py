"""What concerns a single run: the command that repeats a part of it, and data sets that are tried again."""

import json
import os
import shlex

from common import Layout

from reproduction.data.download import available_locally, mirror_from

#: Keys that say on the command line what a run computes.
WHAT_IS_RUN = ("only", "beyond")


def command(workflow, results: str) -> str:
    """The command that makes anew, with the configuration of this run, the file that is put behind it."""
    settings = workflow.config_settings
    files = [os.path.relpath(file) for file in settings.configfiles]
    words = ["snakemake", "--cores", "1", *(["--configfile", *files] if files else [])]
    given = [f"results={results}"] if "results" in settings.config else []
    for key in WHAT_IS_RUN:
        if value := settings.config.get(key):
            given.append(f"{key}={value if isinstance(value, str) else json.dumps(value)}")
    words += ["--config", *given] if given else []
    return shlex.join([*words, "--force", "--"])


def note_retries(layout: Layout) -> None:
    """Note which data sets that could not be had are to be tried again: their files are there now.

    The key ``retry_missing`` tries all of them. To remove the record would not do: Snakemake does not miss an
    intermediate file. The note is the time of the failed attempt, so it stays when the next one succeeds.
    """
    mirror = mirror_from(layout.config["mirror"])
    for name in layout.datasets:
        record = layout.record(name)
        if not record.is_file():
            continue
        status = json.loads(record.read_text(encoding="utf-8"))["status"]
        if status == "obtained":
            continue
        complete = status == "partial"
        if layout.config["retry_missing"] or available_locally(
            name, layout.config["data_folder"], mirror, everything=complete
        ):
            record.with_name("attempt").write_text(str(record.stat().st_mtime_ns), encoding="utf-8")
