"""A SLURM cluster of two nodes on this machine: real daemons of Debian's packages, on loopback, in a folder.

``eval $(python tests/slurm_cluster.py start FOLDER [--accounting])`` starts it and lets this shell use it;
``python tests/slurm_cluster.py stop FOLDER`` stops it. In between ``snakemake --profile profiles/slurm`` runs
on it. In tests it is a context: ``with Cluster(folder) as cluster: cluster.run("sinfo")``.
Nothing outside the folder is written, no service of the machine is touched, and no root is needed.
"""

import argparse
import contextlib
import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
from slurm_configuration import SLURM_CONF, SLURMDBD_CONF
from slurm_processes import Adopted, free_ports, kill_tree

NODES = ("n1", "n2")
NODE_MEMORY_MB = 16000  # what a job asks for at its fifth attempt; nobody looks what there is
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "munged")
ACCOUNTING_PROGRAMS = ("slurmdbd", "sacct", "sacctmgr", "mariadbd", "mariadb-install-db", "mariadb")
PACKAGES = "slurm-wlm munge"
ACCOUNTING_PACKAGES = "slurmdbd slurm-wlm-mysql-plugin mariadb-server"
ACCOUNT = "toprank"
# Daemons are often in sbin, which a user's PATH may lack.
SEARCHED = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


def missing(accounting=False):
    """Why no cluster can be started here, as a sentence, or nothing."""
    for programs, packages in (
        (PROGRAMS, PACKAGES),
        (ACCOUNTING_PROGRAMS if accounting else (), ACCOUNTING_PACKAGES),
    ):
        absent = [program for program in programs if not shutil.which(program, path=SEARCHED)]
        if absent:
            return f"{', '.join(absent)} not found: `apt-get install {packages}` brings what the tests start"
    return ""


class Cluster:
    """slurmctld, two slurmd and munged, with slurmdbd and MariaDB where ``accounting`` is asked for.

    Parameters
    ----------
    folder : Path
        Where everything lies; short, as the path of a socket has at most 107 characters.
    accounting : bool
        Whether jobs are accounted, so that ``sacct`` knows them.
    cpus : int
        Processors of each node.
    min_job_age : int
        Seconds after which slurmctld forgets a job that has ended.
    message_timeout : int
        Seconds after which a question that is not answered has failed.
    """

    def __init__(self, folder, accounting=False, cpus=1, min_job_age=300, message_timeout=10):
        self.folder = Path(folder).resolve()
        self.accounting, self.cpus = accounting, cpus
        self.min_job_age, self.message_timeout = min_job_age, message_timeout
        self.daemons = {}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def environment(self):
        """What a user's environment holds: where SLURM's configuration is, and nothing of an outer SLURM.

        Inside a job Snakemake calls srun without SLURM_CONF. Other clusters have their configuration in /etc,
        which is not ours to write: the folder's own srun, first on the PATH, sets the variable again.
        """
        outer = {
            key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "SBATCH", "SRUN"))
        }
        path = os.pathsep.join([str(self.folder / "bin"), SEARCHED])
        return outer | {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    def run(self, *command):
        """Run a command of SLURM's and return what it published."""
        ran = subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, f"{' '.join(command)}: {ran.stdout}{ran.stderr}"
        return ran.stdout

    def nodes(self):
        """Name -> state of the nodes."""
        lines = self.run("sinfo", "--noheader", "--Node", "--partition=short", "--format=%N|%T").split()
        return dict(line.split("|") for line in lines)

    def start(self):
        """Start everything and wait until both nodes take jobs."""
        reason = missing(self.accounting)
        if reason:
            raise FileNotFoundError(reason)
        self.configure()
        named = ("munge.key", "munge.socket", "munged.pid", "munged.log", "munged.seed")
        options = ("--key-file", "--socket", "--pid-file", "--log-file", "--seed-file")
        files = [f"{option}={self.folder / name}" for option, name in zip(options, named, strict=True)]
        self.daemon("munged", "--foreground", "--force", *files)
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        if self.accounting:
            self.start_accounting()
        self.start_controller()
        for node in NODES:
            self.start_node(node)
        self.wait(self.is_ready, "the nodes")

    def is_ready(self):
        """Whether each node is idle."""
        return self.nodes() == dict.fromkeys(NODES, "idle")

    def start_controller(self, *options):
        """Start slurmctld, which goes on from what it had saved; with "-c" it starts from nothing."""
        self.daemon("slurmctld", "-D", *options)
        self.wait(lambda: "UP" in self.run("scontrol", "ping"), "slurmctld")

    def start_node(self, node):
        """Start the slurmd of a node."""
        self.daemon("slurmd", "-D", "-N", node, name=f"slurmd.{node}")

    def start_accounting(self):
        """Start MariaDB and slurmdbd, and make an account."""
        folder, socket_file = self.folder / "mariadb", self.folder / "mariadb.socket"
        common = ["--no-defaults", f"--datadir={folder}"]
        if os.geteuid() == 0:
            common.append("--user=root")
        with (self.folder / "mariadb-install-db.log").open("w") as log:
            install = ["mariadb-install-db", *common, "--auth-root-authentication-method=normal"]
            subprocess.run(install, env=self.environment(), stdout=log, stderr=log, check=True)
        listens = [f"--port={self.ports['mariadb']}", "--bind-address=127.0.0.1", f"--socket={socket_file}"]
        self.daemon("mariadbd", *common, *listens, f"--pid-file={self.folder}/mariadb.pid")
        client = ("mariadb", "--no-defaults", f"--socket={socket_file}", "--user=root", "--execute")
        self.wait(lambda: self.run(*client, "select 1"), "mariadbd")
        user = "slurm@'127.0.0.1'"
        self.run(*client, f"create user {user} identified by 'slurm'; grant all on slurm_acct.* to {user}")
        self.daemon("slurmdbd", "-D")
        self.wait(lambda: "toprank" in self.run("sacctmgr", "-i", "add", "cluster", "toprank"), "slurmdbd")
        self.run("sacctmgr", "-i", "add", "account", ACCOUNT, "cluster=toprank")
        self.run("sacctmgr", "-i", "add", "user", getpass.getuser(), f"account={ACCOUNT}")

    def configure(self):
        """Write the key and the configuration."""
        names = ("slurmctld", "slurmdbd", "mariadb", *NODES)
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o755)
        for name in ("bin", "state", *(f"spool.{node}" for node in NODES)):
            (self.folder / name).mkdir()
        self.ports = dict(zip(names, free_ports(len(names)), strict=True))
        host = socket.gethostname().split(".")[0]
        values = {
            "host": host,
            "user": getpass.getuser(),
            "folder": self.folder,
            "cpus": self.cpus,
            "memory": NODE_MEMORY_MB,
            "min_job_age": self.min_job_age,
            "message_timeout": self.message_timeout,
            "nodes": "\n".join(
                f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={self.ports[node]}"
                for node in NODES
            ),
            "all_nodes": ",".join(NODES),
            "accounting_storage": "accounting_storage/none",
        } | {f"port_{name}": port for name, port in self.ports.items()}
        if self.accounting:
            values["accounting_storage"] = (
                "accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
                f"AccountingStoragePort={self.ports['slurmdbd']}\nAccountingStoragePass={self.folder}/munge.socket"
            )
            self.write("slurmdbd.conf", SLURMDBD_CONF.format(**values).encode(), 0o600)
        self.write("slurm.conf", SLURM_CONF.format(**values).encode(), 0o644)
        self.write("munge.key", os.urandom(128), 0o400)
        srun = shutil.which("srun", path=SEARCHED)
        srun = f'#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec {srun} "$@"\n'
        self.write("bin/srun", srun.encode(), 0o755)

    def write(self, name, content, mode):
        """Write a file that nobody else may read before it has its mode."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(content)
        path.chmod(mode)

    def daemon(self, program, *arguments, name=None):
        """Start a daemon in the foreground of a session of its own, with what it prints in a log."""
        name = name or program
        with (self.folder / f"{name}.out").open("a") as out:
            self.daemons[name] = subprocess.Popen(
                [shutil.which(program, path=SEARCHED), *arguments],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=self.folder,
                start_new_session=True,
            )
        (self.folder / "pids.json").write_text(
            json.dumps({key: process.pid for key, process in self.daemons.items()})
        )

    def wait(self, holds, subject, seconds=90):
        """Wait until something holds, or say what the daemons said."""
        deadline, last = time.monotonic() + seconds, None
        while time.monotonic() < deadline:
            try:
                if holds():
                    return
            except AssertionError as error:
                last = error
            ended = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if ended:
                last = f"{', '.join(ended)} ended"
                break
            time.sleep(0.2)
        logs = "\n".join(
            f"{file.name}: {file.read_text(errors='replace')[-800:]}" for file in self.folder.glob("*.out")
        )
        raise TimeoutError(f"{subject} did not come up in {seconds} s: {last}\n{logs}")

    def stop_daemon(self, name, number=signal.SIGTERM):
        """Stop one daemon and wait for its end."""
        daemon = self.daemons.pop(name)
        daemon.send_signal(number)
        try:
            daemon.wait(20)
        except (subprocess.TimeoutExpired, psutil.TimeoutExpired):
            daemon.kill()
            daemon.wait()

    def adopt(self):
        """Take over the daemons that another process had started in the folder, in order to stop them."""
        for name, pid in json.loads((self.folder / "pids.json").read_text()).items():
            with contextlib.suppress(psutil.NoSuchProcess):
                self.daemons[name] = Adopted(pid)

    def cut_off(self, node):
        """A node answers no more, and its jobs run on; SLURM is told at once what it would see in time."""
        self.stop_daemon(f"slurmd.{node}", signal.SIGKILL)
        self.run("scontrol", "update", f"nodename={node}", "state=DOWN", "reason=it does not answer")

    def fail_node(self, node):
        """What a power cut does to a node: its slurmd and all that it had started are gone at once."""
        self.cut_off(node)
        for process in self.stepd_of(node):
            kill_tree(process)

    def repair(self):
        """Start again what was stopped, end what still runs, and wait until both nodes are idle."""
        if "slurmctld" not in self.daemons:
            self.start_controller()
        self.run("scancel", "--user", getpass.getuser())
        for node in NODES:
            if f"slurmd.{node}" not in self.daemons:
                for process in self.stepd_of(node):
                    kill_tree(process)
                self.start_node(node)
        self.wait(self.is_ready, "the nodes")

    def stepd_of(self, node):
        """The processes that hold a node's jobs: they write to the log of its slurmd."""
        log, processes = str(self.folder / f"slurmd.{node}.log"), []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                words = process.cmdline()
                if words and words[0].startswith("slurmstepd:"):
                    files = Path(f"/proc/{process.pid}/fd").iterdir()
                    if any(os.readlink(file) == log for file in files):
                        processes.append(process)
        return processes

    def stop(self):
        """Stop what was started, jobs first."""
        if "slurmctld" in self.daemons:
            subprocess.run(
                ["scancel", "--user", getpass.getuser()], env=self.environment(), capture_output=True
            )
        order = (*(f"slurmd.{node}" for node in NODES), "slurmctld", "slurmdbd", "mariadbd", "munged")
        for name in order:
            if name in self.daemons:
                self.stop_daemon(name)
        for process in [process for node in NODES for process in self.stepd_of(node)]:
            kill_tree(process)


def main(arguments=None):
    """Start a cluster, leave it running and print how a shell finds it, or stop one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("start", "stop"))
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--accounting", action="store_true", help="with slurmdbd on MariaDB, so that sacct knows the jobs"
    )
    parser.add_argument("--cpus", type=int, default=1, help="processors of each node")
    named = parser.parse_args(arguments)
    cluster = Cluster(named.folder, accounting=named.accounting, cpus=named.cpus)
    if named.action == "stop":
        if not (named.folder / "pids.json").is_file():
            sys.exit(f"No cluster was started in {named.folder}.")
        cluster.adopt()
        cluster.stop()
        return
    reason = missing(named.accounting)
    if reason:
        sys.exit(f"{reason}.")
    if named.folder.exists():
        sys.exit(f"{named.folder} is there already: name a folder that is not, or remove it.")
    try:
        cluster.start()
    except BaseException:
        cluster.stop()
        raise
    print(f'export SLURM_CONF={cluster.folder}/slurm.conf PATH="{cluster.folder}/bin:$PATH"')


if __name__ == "__main__":
    main()
