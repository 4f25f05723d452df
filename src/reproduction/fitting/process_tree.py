"""A process with all that it started: what it takes, and how it is ended."""

import fcntl
import os
import signal
from contextlib import suppress

GRACE_SECONDS = 2.0
"""Seconds between SIGTERM, at which a program may tidy up, and SIGKILL."""


def end_with_parent(alive: int) -> None:
    """Have the kernel end this process and its children when the job ends, even if it is killed.

    The end to write of the pipe is closed then, of which the kernel tells the owner of the end to read by a
    signal: here the whole process group.
    """
    fcntl.fcntl(alive, fcntl.F_SETOWN, -os.getpgrp())
    if hasattr(fcntl, "F_SETSIG"):  # Linux; elsewhere it is SIGIO, which ends a process as well
        fcntl.fcntl(alive, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC)


def read_tree_usage(process, limit_mb: float | None) -> tuple[float, float]:
    """Measure processor time (seconds) and memory (MB) of a process and all that it started."""
    import psutil

    family, cpu_seconds, memory_mb = [process], 0.0, 0.0
    with suppress(psutil.Error):
        family += process.children(recursive=True)
    for member in family:
        with suppress(psutil.Error):
            times = member.cpu_times()
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
    """End a child of this process, its group and all that it started: SIGTERM, and SIGKILL after a while."""
    import psutil

    if pid <= 1:  # to the kernel 0 is the group of this very process
        raise ValueError(f"{pid} is no child of this process")
    family = []
    with suppress(psutil.Error):
        family = psutil.Process(pid).children(recursive=True)
    for name in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, name)
        for member in family:
            with suppress(psutil.Error):
                member.send_signal(name)
        _, family = psutil.wait_procs(family, timeout=GRACE_SECONDS)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
