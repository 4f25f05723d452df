"""Remove the lock of a run that was killed, so that a plain restart works.

Snakemake locks the working directory and refuses to start while there is a lock. A run that was killed (kill
-9, a power cut) leaves its lock behind. It is removed here only if it is certainly stale: a run on this host
wrote it, all its jobs were on this host, and no other Snakemake process works in this directory. Otherwise
Snakemake's own message says what to do.
"""

import shutil
import socket
from pathlib import Path

import psutil
from snakemake.logging import logger

LOCKS = Path(".snakemake/locks")
OWNER = Path(".snakemake/lock_owner")


def claim(workflow) -> None:
    """Note which host locks the directory; call it in ``onstart``, when Snakemake has written its lock."""
    if workflow.local_exec:
        OWNER.write_text(socket.gethostname(), encoding="utf-8")
    else:  # jobs on a cluster may outlive the run: never remove such a lock
        OWNER.unlink(missing_ok=True)


def release(workflow) -> bool:
    """Remove the lock if it is stale, and return whether it was; call it at the top of the Snakefile.

    The processes of jobs also read the Snakefile; they do not touch the lock.
    """
    if not (
        workflow.is_main_process
        and any(LOCKS.glob("*.lock"))
        and OWNER.is_file()
        and OWNER.read_text(encoding="utf-8") == socket.gethostname()
    ):
        return False
    if others := _others():
        if orphans := _orphans(others):
            shown = ", ".join(map(str, orphans))
            logger.warning(
                f"A job of a killed run is still running here (process {shown}): wait until it ends, or end "
                f"it (kill {shown.replace(',', '')}), and run again."
            )
        return False
    shutil.rmtree(LOCKS)
    logger.warning("An earlier run was killed: its lock is removed, and its unfinished jobs are run again.")
    return True


def _orphans(others: list[int]) -> list[int]:
    """The processes that are jobs of a killed run; none if one of them is a run, which may own the jobs."""
    orphans = []
    for pid in others:
        try:
            words = psutil.Process(pid).cmdline()
        except psutil.Error:
            continue
        is_job = "subprocess" in words or any(".snakemake/scripts/" in word for word in words)
        if not is_job and any(Path(word).name in ("snakemake", "snakemake.py") for word in words[:3]):
            return []
        orphans.append(pid)
    return orphans


def _others() -> list[int]:
    """Other Snakemake processes in this directory, except those that started this one."""
    this = psutil.Process()
    own = {this.pid, *(parent.pid for parent in this.parents())}
    here = Path.cwd()
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid in own or "snakemake" not in " ".join(process.cmdline()):
                continue
            if Path(process.cwd()) == here:
                found.append(process.pid)
        except psutil.AccessDenied:
            found.append(process.pid)  # it may be a run of another user
        except psutil.NoSuchProcess:
            continue
    return found
