"""A process with all that it started: what it takes, and how it is ended."""

from __future__ import annotations

import fcntl
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

GRACE_SECONDS = 2.0
"""Seconds between SIGTERM, at which a program may tidy up, and SIGKILL."""


def end_with_parent(read_end: int) -> None:
    """Have the kernel end this process and its children when the job ends, even if it is killed.

    The write end of the pipe is closed then. The kernel signals this to the owner of the read end: here the
    whole process group.

    Parameters
    ----------
    read_end : int
        File descriptor of the read end of a pipe whose only write end the job holds.
    """
    # a negative owner is a process group: the signal of a closed pipe ends all of it
    fcntl.fcntl(read_end, fcntl.F_SETOWN, -os.getpgrp())
    if hasattr(fcntl, "F_SETSIG"):  # Linux; elsewhere it is SIGIO, which ends a process as well
        fcntl.fcntl(read_end, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(read_end, fcntl.F_SETFL, fcntl.fcntl(read_end, fcntl.F_GETFL) | os.O_ASYNC)


def read_tree_usage(process: psutil.Process, limit_mb: float | None) -> tuple[float, float]:
    """Read the processor time and memory of a process and all its descendants.

    Parameters
    ----------
    process : psutil.Process
        Root of the process tree.
    limit_mb : float
        Memory limit in MB. Above it, pages that processes share are counted once.

    Returns
    -------
    cpu_seconds : float
        Processor time, in seconds.
    memory_mb : float
        Resident memory, in MB.
    """
    import psutil

    family, cpu_seconds, memory_mb = [process], 0.0, 0.0
    with suppress(psutil.Error):
        family += process.children(recursive=True)
    for member in family:
        with suppress(psutil.Error):
            times = member.cpu_times()
            # also of children that have ended and were waited for
            cpu_seconds += times.user + times.system + times.children_user + times.children_system
            memory_mb += member.memory_info().rss / 1e6
    if limit_mb and memory_mb > limit_mb:
        # pages that processes share count once; slower, so only where it matters
        memory_mb = 0.0
        for member in family:
            with suppress(psutil.Error):
                memory = member.memory_full_info()
                memory_mb += getattr(memory, "pss", memory.uss) / 1e6
    return cpu_seconds, memory_mb


def end_tree(pid: int) -> None:
    """End a child of this process, its group and all that it started: SIGTERM, and SIGKILL after a while.

    Parameters
    ----------
    pid : int
        Process id of the child.

    Raises
    ------
    ValueError
        If the id is 0 or 1, which is not a child.
    """
    import psutil

    if pid <= 1:  # to the kernel 0 is the group of this very process
        raise ValueError(f"{pid} is not a child of this process")
    family = []
    with suppress(psutil.Error):
        family = psutil.Process(pid).children(recursive=True)
    for name in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            # the group, and descendants that have left it
            os.killpg(pid, name)
        for member in family:
            with suppress(psutil.Error):
                member.send_signal(name)
        _, family = psutil.wait_procs(family, timeout=GRACE_SECONDS)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
