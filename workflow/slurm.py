"""Workarounds for the SLURM executor: where to submit, how to query job states, and lost jobs.

The executor (snakemake-executor-plugin-slurm 2.8.0) calls ``sacct`` if that program exists, even where
accounting is off and it always fails. It forgets all running jobs when a query fails (for instance while
slurmctld restarts), and waits for ever for a job that SLURM no longer knows. It takes a cancelled job,
"CANCELLED by 1000" in sacct, for a running one. `look_after` corrects this; each case has its test in
tests/pipeline/test_slurm.py.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from snakemake.logging import logger

#: A job is lost if SLURM does not know it in so many queries in a row; a new job may appear late.
UNKNOWN_BEFORE_LOST = 3


def look_after(workflow, logs: Path) -> None:
    """Correct the executor of a run; call it in ``onstart``, when it exists and has no job yet.

    `logs`: folder for the logs of SLURM; a profile does not know the folder of the results.
    """
    if workflow.executor_plugin.name != "slurm":
        return
    executor, settings = workflow.scheduler._executor, workflow.executor_settings
    if settings.logdir is None:
        executor.slurm_logdir = logs.absolute()
    cluster = configuration()
    settings.status_command = status_command(cluster, settings.status_command)
    logger.info(f"States of jobs are asked with {settings.status_command}.")
    if os.environ.get("SBATCH_PARTITION"):
        executor._fallback_partition = os.environ["SBATCH_PARTITION"]
    if os.environ.get("SBATCH_ACCOUNT"):
        executor._fallback_account_arg = f" -A {shlex.quote(os.environ['SBATCH_ACCOUNT'])}"
    read_states(sys.modules[type(executor).__module__])
    Watch(executor, forgets_after(cluster))


def configuration() -> dict[str, str]:
    """The configuration of the cluster, as ``scontrol show config`` prints it."""
    try:
        printed = _answer("scontrol", "show", "config")
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip()
        raise SystemExit(
            f"SLURM does not answer (scontrol show config: {said}). Run this on a machine from which jobs "
            "can be submitted, or without --profile profiles/slurm."
        ) from None
    return dict(re.findall(r"^(\w+)\s*= (.*?)\s*$", printed, re.MULTILINE))


def _answer(*command: str) -> str:
    """What a command of SLURM prints; an exception if it fails or does not answer."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def status_command(cluster: dict[str, str], wanted: str) -> str:
    """The command for job states: ``sacct`` if accounting is on, otherwise ``squeue``.

    `cluster`: its configuration. `wanted`: the executor's choice: ``squeue`` if the user asked for it,
    otherwise ``sacct`` if it exists.
    """
    storage = cluster.get("AccountingStorageType", "")
    return "squeue" if storage in ("", "(null)", "accounting_storage/none") else wanted


def forgets_after(cluster: dict[str, str]) -> int:
    """Seconds for which slurmctld remembers a job that has ended; by default SLURM's own 300."""
    found = re.match(r"\d+", cluster.get("MinJobAge", ""))
    return int(found.group()) if found else 300


def read_states(plugin) -> None:
    """Let the executor's module ``plugin`` read only the first word of a state like "CANCELLED by 1000"."""
    ask = plugin.query_job_status

    async def query_job_status(command, logger):
        states, seconds = await ask(command, logger)
        return states and {job: state.partition(" ")[0] for job, state in states.items()}, seconds

    plugin.query_job_status = query_job_status


class Watch:
    """Wraps the executor's ``check_active_jobs``, so that no job is forgotten.

    The methods of ``executor``, the plugin's, are replaced. `forgets_after`: seconds for which slurmctld
    remembers a job that has ended; squeue is called twice in that time.
    """

    def __init__(self, executor, forgets_after: int):
        self.executor, self.forgets_after = executor, forgets_after
        self.reported = set()
        self.unknown = {}
        self._check = executor.check_active_jobs
        self._succeeded, self._failed = executor.report_job_success, executor.report_job_error
        executor.check_active_jobs = self.check_active_jobs
        executor.report_job_success, executor.report_job_error = self.succeeded, self.failed

    def succeeded(self, job_info):
        """Pass a success on, and note that this job has been reported."""
        self.reported.add(job_info.external_jobid)
        self._succeeded(job_info)

    def failed(self, job_info, msg=None, **named):
        """Pass a failure on likewise, and log its reason for a batch, which Snakemake does not."""
        self.reported.add(job_info.external_jobid)
        if msg and job_info.job.is_group():
            logger.error(f"Batch {job_info.job.groupid}: {msg}")
        self._failed(job_info, msg=msg, **named)

    async def check_active_jobs(self, active_jobs):
        """Yield the jobs that are still running: those not reported, except the ones that SLURM has lost."""
        async for _ in self._check(active_jobs):
            pass
        left = [job for job in active_jobs if job.external_jobid not in self.reported]
        lost = self.lost({job.external_jobid for job in left})
        for job in left:
            if job.external_jobid in lost:
                self.executor.report_job_error(
                    job,
                    msg=f"SLURM no longer knows job {job.external_jobid}, and its end was not reported. ",
                    aux_logs=[str(job.aux["slurm_logfile"])],
                )
            else:
                yield job
        if self.executor.get_status_command() == "squeue":
            pause = max(self.forgets_after / 2, 1)
            self.executor.next_seconds_between_status_checks = min(
                self.executor.next_seconds_between_status_checks, pause
            )

    def lost(self, active: set[str]) -> set[str]:
        """The running jobs that SLURM did not know in several queries."""
        known = self.known() if active else set()
        if known is None:  # without an answer nothing is known about the jobs
            return set()
        self.unknown = {job: self.unknown.get(job, 0) + 1 for job in active - known}
        return {job for job, times in self.unknown.items() if times >= UNKNOWN_BEFORE_LOST}

    def known(self) -> set[str] | None:
        """Numbers of the run's jobs that slurmctld knows, or None if it does not answer."""
        of_run = ("--format=%A", "--name", self.executor.run_uuid)
        try:
            return {*_answer("squeue", "--noheader", "--states=all", *of_run).split()}
        except (OSError, subprocess.SubprocessError):
            return None
