"""Ports and processes of a small SLURM cluster: free ports, adopted daemons, trees of processes."""

import contextlib
import socket
import time

import psutil


def free_ports(count):
    """Ports of loopback that nothing listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in sockets]
    finally:
        for listener in sockets:
            listener.close()


class Adopted(psutil.Process):
    """A daemon that is not a child of this process: its new parent may let it stay a zombie."""

    def wait(self, timeout=float("inf")):
        """Wait until it runs no more."""
        deadline = time.monotonic() + timeout
        with contextlib.suppress(psutil.NoSuchProcess):
            while self.status() != psutil.STATUS_ZOMBIE:
                if time.monotonic() > deadline:
                    raise psutil.TimeoutExpired(timeout, self.pid)
                time.sleep(0.05)


def kill_tree(process):
    """Kill a process and its descendants; first nobody may start another one."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.suspend()
        for child in process.children():
            kill_tree(child)
        process.kill()
