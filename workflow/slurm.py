"""What the SLURM executor leaves open: where to submit, how to ask for states, and that no job is ever lost.

The executor (snakemake-executor-plugin-slurm 2.8.0) asks ``sacct`` wherever that program exists, also where
nothing is accounted and it always fails. It forgets every running job when a question remains without answer
(slurmctld restarts, say), and it waits for ever for a job of which SLURM knows nothing any more. A job that
somebody cancelled, which sacct calls "CANCELLED by 1000", runs on as far as it knows. `look_after` settles
this; each case has its test in tests/pipeline/test_slurm.py.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from snakemake.logging import logger

#: In how many questions in a row SLURM must not know a job before it counts as lost: a new job may come late.
UNKNOWN_BEFORE_LOST = 3


def look_after(workflow, logs: Path) -> None:
    """Settle it for the executor of a run; for ``onstart``, when it exists and has had no job yet.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
    logs : Path
        Folder for the logs of SLURM; a profile cannot know where the results lie.
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
        printed = subprocess.run(
            ["scontrol", "show", "config"], capture_output=True, text=True, check=True, timeout=60
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip()
        raise SystemExit(
            f"SLURM does not answer (scontrol show config: {said}). Run this on a machine from which jobs "
            "can be submitted, or without --profile profiles/slurm."
        ) from None
    return dict(re.findall(r"^(\w+)\s*= (.*?)\s*$", printed, re.MULTILINE))


def status_command(cluster: dict[str, str], wanted: str) -> str:
    """The command that tells the states of jobs: ``sacct`` where jobs are accounted, else ``squeue``.

    Parameters
    ----------
    cluster : dict
        The cluster's configuration.
    wanted : str
        What the executor would use: ``squeue`` where a user asked for it, else ``sacct`` where that exists.
    """
    storage = cluster.get("AccountingStorageType", "")
    return "squeue" if storage in ("", "(null)", "accounting_storage/none") else wanted


def forgets_after(cluster: dict[str, str]) -> int:
    """Seconds for which slurmctld remembers a job that has ended; SLURM's own 300 where nothing is said."""
    found = re.match(r"\d+", cluster.get("MinJobAge", ""))
    return int(found.group()) if found else 300


def read_states(plugin) -> None:
    """Let the executor's module ``plugin`` read one word as the state of a job, without who cancelled it."""
    ask = plugin.query_job_status

    async def query_job_status(command, logger):
        states, seconds = await ask(command, logger)
        return states and {job: state.partition(" ")[0] for job, state in states.items()}, seconds

    plugin.query_job_status = query_job_status


class Watch:
    """Stands between Snakemake and the executor's ``check_active_jobs`` and passes on what that forgets.

    Parameters
    ----------
    executor : snakemake_executor_plugin_slurm.Executor
        Its methods are replaced.
    forgets_after : int
        Seconds for which slurmctld remembers a job that has ended; squeue is asked twice as often.
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
        """Pass a failure on likewise; the reason of a batch, which Snakemake leaves out, is said here."""
        self.reported.add(job_info.external_jobid)
        if msg and job_info.job.is_group():
            logger.error(f"Batch {job_info.job.groupid}: {msg}")
        self._failed(job_info, msg=msg, **named)

    async def check_active_jobs(self, active_jobs):
        """Yield the jobs that go on: all that have not been reported, but for those that SLURM has lost."""
        async for _ in self._check(active_jobs):
            pass
        left = [job for job in active_jobs if job.external_jobid not in self.reported]
        lost = self.lost({job.external_jobid for job in left})
        for job in left:
            if job.external_jobid in lost:
                self.executor.report_job_error(
                    job,
                    msg=f"SLURM knows nothing any more of job {job.external_jobid}, whose end nobody saw. ",
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
        """Those of the running jobs that SLURM has not known for several questions."""
        known = self.known() if active else set()
        if known is None:  # no answer says nothing about any job
            return set()
        self.unknown = {job: self.unknown.get(job, 0) + 1 for job in active - known}
        return {job for job, times in self.unknown.items() if times >= UNKNOWN_BEFORE_LOST}

    def known(self) -> set[str] | None:
        """Numbers of the run's jobs that slurmctld knows, or None when it does not answer."""
        name = self.executor.run_uuid
        command = ["squeue", "--noheader", "--states=all", "--format=%A", "--name", name]
        try:
            asked = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError):
            return None
        return set(asked.stdout.split())
