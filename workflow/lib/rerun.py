"""The command that repeats a part of this run, and data sets whose download is tried again."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING

from paths import Paths

from reproduction.core.atomic_io import CorruptFileError, wrap_read_errors
from reproduction.datasets.download.fetch import is_available_locally, is_replaced
from reproduction.datasets.download.http import clear_unreachable
from reproduction.datasets.download.locations import select_mirror

if TYPE_CHECKING:
    from snakemake.workflow import Workflow

#: Keys of the command line that change no row: where files come from, and what is tried again; the folder of
#: the results is named beforehand.
UNNAMED_KEYS = ("data_folder", "mirror", "retry_missing", "results")


def build_rerun_command(workflow: Workflow, results: str) -> str:
    """Return the command that makes a file again with the configuration of this run; append its name.

    Parameters
    ----------
    workflow : Workflow
        The workflow of this run.
    results : str
        Folder of the results, as the command names it.

    Returns
    -------
    str
        Words of a shell command, quoted; a file name completes it.
    """
    settings = workflow.config_settings
    files = [os.path.relpath(file) for file in settings.configfiles]
    words = ["snakemake", "--cores", "1", *(["--configfile", *files] if files else [])]
    assignments = [f"results={results}"] if "results" in settings.config else []
    for key, value in settings.config.items():
        # an absolute path of another key stays: without own_data, for instance, a data set would be unknown
        if key not in UNNAMED_KEYS:
            assignments.append(f"{key}={value if isinstance(value, str) else json.dumps(value)}")
    words += ["--config", *assignments] if assignments else []
    return shlex.join([*words, "--force", "--"])


def note_retries(paths: Paths) -> None:
    """Note which data sets to obtain again, because their files are available now or were replaced.

    With the key ``retry_missing`` all data sets that were not fully obtained are tried again. Removing the
    record is not enough: Snakemake does not rerun a rule for a missing intermediate file. The note holds the
    time of the failed attempt, so it does not change when the next one succeeds.

    The record of files that have been deleted since is removed. Then nothing runs again as long as the data
    set need not be prepared. Where it must be, rule fetch obtains the files first, so that rule prepare,
    which may run on a node without internet, does not look for them at their addresses.

    Parameters
    ----------
    paths : Paths
        Paths of the run, with its studies and their data sets.
    """
    # a new run asks every host again
    clear_unreachable(paths.studies.config["data_folder"])
    mirror = select_mirror(paths.studies.config["mirror"])
    for name in paths.studies.datasets:
        record = paths.get_download_record(name)
        if not record.is_file():
            continue
        try:
            with wrap_read_errors(record):
                status_record = json.loads(record.read_text(encoding="utf-8"))
        except CorruptFileError:
            record.unlink()  # it is made again
            continue
        folders = paths.studies.config["data_folder"], mirror
        is_obtained = status_record["status"] == "obtained"
        if status_record["status"] != "not obtained" and not is_available_locally(
            name, *folders, include_optional=is_obtained
        ):
            record.unlink()
            continue
        # replaced files, or a missing set that is available now or is to be tried anyway
        if is_replaced(status_record, *folders) or (
            not is_obtained
            and (
                paths.studies.config["retry_missing"]
                or is_available_locally(name, *folders, include_optional=status_record["status"] == "partial")
            )
        ):
            record.with_name("attempt").write_text(str(record.stat().st_mtime_ns), encoding="utf-8")
