"""Workarounds for faults of the SLURM executor plugin and of Snakemake, for the versions that have them.

`WORKAROUNDS` is the table: what a package does, in which versions, and the function that mends it. The
Snakefile calls `apply_workarounds` in ``onstart``. In any other version a workaround is off, and a warning
says so: it touches private attributes, which may have changed, and the fault may be gone. The tests on real
daemons are in tests/pipeline/test_slurm.py.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet
from snakemake.logging import logger

if TYPE_CHECKING:
    from logging import Logger

    from snakemake.workflow import Workflow
    from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
    from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

#: A job is lost if SLURM does not know it in so many queries in a row; a new job may appear late.
MAX_UNKNOWN_QUERIES = 3
#: Seconds for which slurmctld remembers a job that has ended, if its configuration does not say.
DEFAULT_MIN_JOB_AGE_S = 300
#: Seconds that a command of SLURM may take.
COMMAND_TIMEOUT_S = 60


@dataclass
class SlurmRun:
    """What the workarounds mend: the executor of a run, with its module and settings, and the cluster."""

    executor: Any
    settings: Any
    plugin: ModuleType
    cluster: dict[str, str]
    log_folder: Path


@dataclass(frozen=True)
class Workaround:
    """What versions of a package do, and a function that mends it."""

    behaviour: str
    package: str
    versions: SpecifierSet
    apply: Callable[[SlurmRun], None]

    def is_needed(self) -> bool:
        """Whether the installed version has the fault."""
        return version(self.package) in self.versions


def apply_workarounds(workflow: Workflow, log_folder: Path) -> None:
    """Mend the executor of a run; call it in ``onstart``, when it exists and has no job yet.

    Parameters
    ----------
    workflow : Workflow
        The workflow of this run.
    log_folder : pathlib.Path
        Folder of the logs of the rules.
    """
    if workflow.executor_plugin.name != "slurm":
        return
    # the scheduler has no public attribute for it
    executor = workflow.scheduler._executor
    plugin = sys.modules[type(executor).__module__]
    run = SlurmRun(executor, workflow.executor_settings, plugin, read_cluster_configuration(), log_folder)
    for workaround in WORKAROUNDS:
        if workaround.is_needed():
            workaround.apply(run)
        else:
            logger.warning(
                f"{workaround.package} {version(workaround.package)} is not {workaround.versions}, which "
                f"{workaround.behaviour}: the workaround is off."
            )
    logger.info(f"States of jobs are queried with {run.settings.status_command}.")


def read_cluster_configuration() -> dict[str, str]:
    """Return the configuration of the cluster, as ``scontrol show config`` prints it."""
    try:
        output = run_command("scontrol", "show", "config")
    except (OSError, subprocess.SubprocessError) as error:
        message = (getattr(error, "stderr", None) or str(error)).strip()
        raise SystemExit(
            f"SLURM does not answer (scontrol show config: {message}). Run this on a machine from which jobs "
            "can be submitted, or without --profile profiles/slurm."
        ) from None
    return dict(re.findall(r"^(\w+)\s*= (.*?)\s*$", output, re.MULTILINE))


def run_command(*command: str) -> str:
    """Return the output of a command of SLURM; raise an exception if it fails or does not answer."""
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=COMMAND_TIMEOUT_S
    ).stdout


def parse_min_job_age(cluster: dict[str, str]) -> int:
    """Return the seconds for which slurmctld remembers a job that has ended.

    Parameters
    ----------
    cluster : dict[str, str]
        Configuration of the cluster, as ``scontrol show config`` prints it.

    Returns
    -------
    int
        Seconds; `DEFAULT_MIN_JOB_AGE_S` if it is not there.
    """
    digits = re.match(r"\d+", cluster.get("MinJobAge", ""))
    return int(digits.group()) if digits else DEFAULT_MIN_JOB_AGE_S


def set_log_folder(run: SlurmRun) -> None:
    """Put SLURM's logs beside those of the rules, unless an option names a folder.

    Parameters
    ----------
    run : SlurmRun
    """
    if run.settings.logdir is None:
        run.executor.slurm_logdir = run.log_folder.absolute()


def set_status_command(run: SlurmRun) -> None:
    """Query with ``squeue`` if jobs are not accounted; otherwise keep the plugin's or the user's choice.

    Parameters
    ----------
    run : SlurmRun
    """
    storage = run.cluster.get("AccountingStorageType", "")
    if storage in ("", "(null)", "accounting_storage/none"):
        run.settings.status_command = "squeue"


def set_partition_and_account(run: SlurmRun) -> None:
    """Submit to the partition and the account that SLURM's own variables name.

    Parameters
    ----------
    run : SlurmRun
    """
    if partition := os.environ.get("SBATCH_PARTITION"):
        run.executor._fallback_partition = partition
    if account := os.environ.get("SBATCH_ACCOUNT"):
        run.executor._fallback_account_arg = f" -A {shlex.quote(account)}"


def shorten_states(run: SlurmRun) -> None:
    """Let the plugin read only the first word of a state.

    Parameters
    ----------
    run : SlurmRun
    """
    query = run.plugin.query_job_status

    async def query_job_status(command: str, logger: Logger) -> tuple[dict[str, str] | None, float | None]:
        """Query as the plugin does, and cut each state after its first word."""
        states, seconds = await query(command, logger)
        return states and {job: state.partition(" ")[0] for job, state in states.items()}, seconds

    run.plugin.query_job_status = query_job_status


def log_group_errors(run: SlurmRun) -> None:
    """Log why a group of jobs failed.

    Parameters
    ----------
    run : SlurmRun
    """
    report_job_error = run.executor.report_job_error

    def report_and_log(job_info: SubmittedJobInfo, msg: str | None = None, **details: object) -> None:
        """Log the failure of a group, then report the failure as the executor does."""
        if msg and job_info.job.is_group():
            logger.error(f"Group {job_info.job.groupid}: {msg}")
        report_job_error(job_info, msg=msg, **details)

    run.executor.report_job_error = report_and_log


class JobMonitor:
    """Wraps the executor's ``check_active_jobs``, so that no job is forgotten.

    The methods of ``executor``, the plugin's, are replaced. `min_job_age`: seconds for which slurmctld
    remembers a job that has ended; squeue is called twice in that time.
    """

    def __init__(self, executor: RemoteExecutor, min_job_age: int) -> None:
        self.executor, self.min_job_age = executor, min_job_age
        self.reported: set[str] = set()
        self.unknown_queries: dict[str, int] = {}
        self._check = executor.check_active_jobs
        self._report_success, self._report_error = executor.report_job_success, executor.report_job_error
        executor.check_active_jobs = self.check_active_jobs
        executor.report_job_success, executor.report_job_error = self.report_success, self.report_error

    def report_success(self, job_info: SubmittedJobInfo) -> None:
        """Pass a success on, and note that this job has been reported.

        Parameters
        ----------
        job_info : SubmittedJobInfo
        """
        self.reported.add(job_info.external_jobid)
        self._report_success(job_info)

    def report_error(self, job_info: SubmittedJobInfo, msg: str | None = None, **details: object) -> None:
        """Pass a failure on, and note that this job has been reported.

        Parameters
        ----------
        job_info, msg, **details
            As in the executor's ``report_job_error``.
        """
        self.reported.add(job_info.external_jobid)
        self._report_error(job_info, msg=msg, **details)

    async def check_active_jobs(self, active_jobs: list[SubmittedJobInfo]) -> AsyncIterator[SubmittedJobInfo]:
        """Yield the jobs that still run: those not reported, except the ones that SLURM has lost.

        Parameters
        ----------
        active_jobs : list[SubmittedJobInfo]
            Jobs that have been submitted and have not been reported.

        Yields
        ------
        SubmittedJobInfo
            A job that still runs.
        """
        async for _ in self._check(active_jobs):
            pass
        unreported = [job for job in active_jobs if job.external_jobid not in self.reported]
        lost = self.find_lost_jobs({job.external_jobid for job in unreported})
        for job in unreported:
            if job.external_jobid in lost:
                self.executor.report_job_error(
                    job,
                    msg=f"SLURM no longer knows job {job.external_jobid}, and its end was not reported. ",
                    aux_logs=[str(job.aux["slurm_logfile"])],
                )
            else:
                yield job
        if self.executor.get_status_command() == "squeue":
            # twice within the time that slurmctld remembers an ended job, so that its end is not missed
            longest_pause = max(self.min_job_age / 2, 1)
            self.executor.next_seconds_between_status_checks = min(
                self.executor.next_seconds_between_status_checks, longest_pause
            )

    def find_lost_jobs(self, active: set[str]) -> set[str]:
        """Return the running jobs that SLURM did not know in several queries.

        Parameters
        ----------
        active : set[str]
            SLURM's numbers of the jobs that should run.

        Returns
        -------
        set[str]
            Numbers of the lost ones.
        """
        known_jobs = self.query_known_jobs() if active else set()
        if known_jobs is None:  # without an answer nothing is known about the jobs
            return set()
        self.unknown_queries = {job: self.unknown_queries.get(job, 0) + 1 for job in active - known_jobs}
        return {job for job, queries in self.unknown_queries.items() if queries >= MAX_UNKNOWN_QUERIES}

    def query_known_jobs(self) -> set[str] | None:
        """Return the numbers of the run's jobs that slurmctld knows, or None if it does not answer."""
        of_run = ("--format=%A", "--name", self.executor.run_uuid)
        try:
            return {*run_command("squeue", "--noheader", "--states=all", *of_run).split()}
        except (OSError, subprocess.SubprocessError):
            return None


def monitor_jobs(run: SlurmRun) -> None:
    """Keep jobs in mind whose states the plugin could not query, and report those that SLURM has lost.

    Parameters
    ----------
    run : SlurmRun
    """
    JobMonitor(run.executor, parse_min_job_age(run.cluster))


PLUGIN, PLUGIN_VERSIONS = "snakemake-executor-plugin-slurm", SpecifierSet("==2.8.0")
#: In the order in which they are applied: `log_group_errors` wraps what `monitor_jobs` has put in place.
WORKAROUNDS = (
    Workaround(
        "writes SLURM's logs to .snakemake/slurm_logs before a Snakefile can name a folder",
        PLUGIN,
        PLUGIN_VERSIONS,
        set_log_folder,
    ),
    Workaround(
        "queries with sacct wherever that is installed, though it fails where jobs are not accounted",
        PLUGIN,
        PLUGIN_VERSIONS,
        set_status_command,
    ),
    Workaround(
        "names a guessed partition and account to sbatch, which override SBATCH_PARTITION and SBATCH_ACCOUNT",
        PLUGIN,
        PLUGIN_VERSIONS,
        set_partition_and_account,
    ),
    Workaround(
        "takes the state 'CANCELLED by 1000' of sacct for that of a running job",
        PLUGIN,
        PLUGIN_VERSIONS,
        shorten_states,
    ),
    Workaround(
        "forgets all running jobs when a query fails, waits for ever for a job that SLURM has lost, and lets "
        "180 seconds pass between two queries, however soon slurmctld forgets ended jobs",
        PLUGIN,
        PLUGIN_VERSIONS,
        monitor_jobs,
    ),
    Workaround(
        "leaves the reason out when it reports the failure of a group of jobs",
        "snakemake",
        SpecifierSet("==9.27.1"),
        log_group_errors,
    ),
)
