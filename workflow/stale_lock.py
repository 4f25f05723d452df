"""Remove the lock of a run that was killed, so that a plain restart works.

Snakemake locks the working directory and refuses to start while a lock is there, but a run that was killed
(kill -9, a power cut) leaves its lock behind. A lock is taken away here only when it is known to be stale:
this host wrote it, and no other process here works for Snakemake in this directory (neither another run nor
a job that outlived its killed run). In any other case Snakemake's own message says what to do.
"""

import shutil
import socket
from pathlib import Path

import psutil

LOCKS = Path(".snakemake/locks")
OWNER = Path(".snakemake/lock_owner")


def claim() -> None:
    """Note which host locks the directory; for ``onstart``, when Snakemake has just written its lock."""
    OWNER.write_text(socket.gethostname(), encoding="utf-8")


def release() -> bool:
    """Remove the lock if it is stale, and say whether that was done.

    For the main process of a run, before the run starts; never for the processes that Snakemake starts for
    its jobs, since those have the living run among their ancestors.
    """
    stale = (
        any(LOCKS.glob("*.lock"))
        and OWNER.is_file()
        and OWNER.read_text(encoding="utf-8") == socket.gethostname()
        and not _others()
    )
    if stale:
        shutil.rmtree(LOCKS)
    return stale


def _others() -> list[int]:
    """The processes, beside this one and those that started it, that work for Snakemake in this directory."""
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
            found.append(process.pid)  # not ours to look at: it may be a run of another user
        except psutil.NoSuchProcess:
            continue
    return found
