"""The profile for SLURM on a real cluster of two nodes: the tables of a local run, whatever fails."""

import contextlib
import re
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import psutil
import pytest
import slurm_cluster
from slurm_cluster import NODES, Cluster
from small_project import DATASETS, SPLITS, STUDY, Project
from test_reproducible import TABLES, without_times

pytestmark = [
    pytest.mark.pipeline,
    pytest.mark.xdist_group("slurm"),
    pytest.mark.skipif(bool(slurm_cluster.missing()), reason=slurm_cluster.missing() or "there is a SLURM"),
]
PATIENCE = 900  # seconds, a guard against a hang
TABLE1 = f"results/{STUDY}/table1.csv"
FIT = f"results/{STUDY}/fits/overlap.raw.toppush.0-0.csv"
#: Questions every two seconds at first, where a user's cluster is asked every 40.
QUICKLY = ("--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "10")


class Script(NamedTuple):
    """A script of a rule that runs in a job of SLURM on a node."""

    process: psutil.Process
    job: str
    node: str


class SlurmProject(Project):
    """A copy of the project whose jobs are submitted to a cluster."""

    def __init__(self, project, cluster):
        super().__init__(project.folder)
        self.cluster = cluster

    def command(self, *arguments, cores=None):
        snakemake = [sys.executable, "-m", "snakemake", "--configfile", str(self.overlay)]
        return [*snakemake, "--profile", "profiles/slurm", *QUICKLY, *map(str, arguments)]

    def environment(self):
        ours = self.cluster.environment()
        return super().environment() | {name: ours[name] for name in ("PATH", "SLURM_CONF")}

    def submitted(self, printed):
        """Numbers of the jobs that were submitted, by what was submitted: a rule's jobs or a batch."""
        found = re.findall(r"SLURM jobid (\d+) \(log: \S*/logs/slurm/([^/]+)/", printed)
        return dict(found)

    def logs(self):
        """What the logs of SLURM's jobs that failed say."""
        return "\n".join(file.read_text() for file in self.folder.glob("logs/slurm/**/*.log"))

    @contextlib.contextmanager
    def running(self, *arguments):
        """A run in the background; its end is waited for, and what it printed is in ``printed``."""
        log = self.folder / "run.log"
        with log.open("w") as out:
            self.run = subprocess.Popen(
                self.command(*arguments), cwd=self.folder, env=self.environment(), stdout=out, stderr=out
            )
        try:
            yield
            self.run.wait(PATIENCE)
        finally:
            if self.run.poll() is None:
                self.run.kill()
            self.printed = log.read_text()

    def wait_for_script(self, name, other_than=None):
        """Wait until a script of this name runs in a job (other than one); returns process, job and node."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.run.poll() is None:
            for process in psutil.process_iter():
                with contextlib.suppress(psutil.Error):  # it may end while it is looked at
                    ours = process.cwd() == str(self.folder)
                    if ours and any(word.endswith(f".{name}") for word in process.cmdline()):
                        environment = process.environ()
                        if environment["SLURM_JOB_ID"] != other_than:
                            return Script(
                                process, environment["SLURM_JOB_ID"], environment["SLURMD_NODENAME"]
                            )
            time.sleep(0.1)
        raise TimeoutError(f"no job ran {name}: {(self.folder / 'run.log').read_text()[-3000:]}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two nodes; a job that has ended is soon forgotten, so that questions come often."""
    with Cluster(tmp_path_factory.mktemp("c") / "slurm", min_job_age=20) as cluster:
        yield cluster


@pytest.fixture
def on_cluster(empty_project, cluster):
    """A project in which nothing has been computed, on the cluster with both nodes at work."""
    cluster.repair()
    return SlurmProject(empty_project, cluster)


def table1_is_that_of(finished, project):
    for name in (f"{STUDY}/fits.csv", f"{STUDY}/table1.csv"):
        assert without_times(project.table(name)) == without_times(finished.table(name)), name


def fit_is_that_of(finished, project):
    name = FIT.removeprefix("results/")
    assert without_times(project.table(name)) == without_times(finished.table(name))


def test_the_tables_are_those_of_a_local_run(finished, on_cluster):
    printed = on_cluster.snakemake()
    assert "States of jobs are asked with squeue." in printed
    for name in TABLES:
        assert without_times(on_cluster.table(name)) == without_times(finished.table(name)), name
    submitted = list(on_cluster.submitted(printed).values())
    batches = [what for what in submitted if what.startswith("group_fits")]
    assert len(batches) == len(DATASETS) * SPLITS, "all methods of a block are one submission"
    assert not any(what.startswith(("rule_fetch", "rule_split", "rule_table1")) for what in submitted)
    assert len(submitted) <= len(batches) + 10
    assert "Nothing to be done" in on_cluster.snakemake()


def test_what_fails_on_the_way_changes_no_number(finished, on_cluster):
    """A job is cancelled, slurmctld is away for longer than questions wait, a node dies."""
    cluster = on_cluster.cluster
    with on_cluster.running("--", TABLE1):
        cancelled = on_cluster.wait_for_script("fit.py").job
        cores = cluster.run("squeue", "--noheader", "--format=%C").split()
        assert set(cores) == {"1"}, "the jobs of a batch run one after the other"
        cluster.run("scancel", cancelled)
        cluster.wait(lambda: cluster.jobs().get(cancelled) != "COMPLETING", "the end of the cancelled job")
        on_cluster.wait_for_script("fit.py", other_than=cancelled)
        cluster.stop_daemon("slurmctld")
        time.sleep(30)
        cluster.start_controller()
        cluster.fail_node(on_cluster.wait_for_script("fit.py").node)
    printed = on_cluster.printed
    for status in ("CANCELLED", "NODE_FAIL"):
        assert f"SLURM status is: '{status}'" in printed, printed[-6000:]
    table1_is_that_of(finished, on_cluster)


def test_a_node_that_is_cut_off_and_goes_on_computing(finished, on_cluster):
    """Its job is done again elsewhere, while what still runs there writes the same."""
    cluster = on_cluster.cluster
    with on_cluster.running("--", TABLE1):
        cluster.stop_daemon(f"slurmd.{on_cluster.wait_for_script('fit.py').node}", signal.SIGKILL)
    table1_is_that_of(finished, on_cluster)


def test_too_little_memory_and_more_of_it_at_the_next_attempt(finished, on_cluster):
    printed = on_cluster.snakemake("--set-resources", "toppush:mem_mb=250*attempt**2", "--", FIT)
    assert "Trying to restart" in printed and "exceeded memory limit" in on_cluster.logs()
    fit_is_that_of(finished, on_cluster)


def test_never_enough_memory_is_named_and_the_rest_is_done(finished, on_cluster):
    few = ("--set-resources", "toppush:mem_mb=200", "--retries", "1")
    other = f"results/{STUDY}/diagnosis/overlap.raw.csv"
    printed = on_cluster.snakemake(*few, "--", FIT, other, fails=True)
    assert "Error in rule toppush" in printed and "overlap.raw.toppush.0-0" in printed
    assert (on_cluster.folder / other).exists() and not (on_cluster.folder / FIT).exists()
    assert len([what for what in on_cluster.submitted(printed).values() if "toppush" in what]) == 2
    on_cluster.snakemake("--", FIT)
    fit_is_that_of(finished, on_cluster)


def test_a_job_that_exceeds_its_time_gets_more(finished, on_cluster):
    with on_cluster.running("--set-resources", "toppush:runtime=attempt", "--", FIT):
        on_cluster.wait_for_script("fit.py").process.suspend()
    assert "SLURM status is: 'TIMEOUT'" in on_cluster.printed, on_cluster.printed[-6000:]
    fit_is_that_of(finished, on_cluster)


def test_a_controller_that_forgot_its_jobs(finished, on_cluster):
    with on_cluster.running("--", FIT):
        on_cluster.wait_for_script("fit.py")
        on_cluster.cluster.stop_daemon("slurmctld")
        on_cluster.cluster.start_controller("-c")
    assert "SLURM knows nothing any more of job" in on_cluster.printed, on_cluster.printed[-6000:]
    fit_is_that_of(finished, on_cluster)


def test_the_partition_of_the_environment(on_cluster, monkeypatch):
    monkeypatch.setenv("SBATCH_PARTITION", "other")
    with on_cluster.running("--", f"results/{STUDY}/diagnosis/overlap.raw.csv"):
        on_cluster.wait_for_script("diagnose.py")
        partitions = on_cluster.cluster.run("squeue", "--noheader", "--format=%P").split()
    assert partitions == ["other"]


def test_no_slurm_is_one_sentence(on_cluster, monkeypatch):
    on_cluster.cluster.stop_daemon("slurmctld")
    printed = on_cluster.snakemake(fails=True)
    assert "SLURM does not answer (scontrol show config: " in printed and "Traceback" not in printed


@pytest.mark.skipif(
    bool(slurm_cluster.missing(accounting=True)), reason=slurm_cluster.missing(True) or "all there"
)
def test_with_accounting(finished, empty_project, tmp_path_factory, monkeypatch):
    monkeypatch.setenv("SBATCH_ACCOUNT", slurm_cluster.ACCOUNT)
    with Cluster(tmp_path_factory.mktemp("a") / "slurm", accounting=True) as cluster:
        project = SlurmProject(empty_project, cluster)
        with project.running("--", TABLE1):
            cancelled = project.wait_for_script("fit.py").job
            cluster.run("scancel", cancelled)
        # seen at the next question, not when SLURM has forgotten the job
        assert f"SLURM-job '{cancelled}' failed, SLURM status is: 'CANCELLED'" in project.printed
        assert "States of jobs are asked with sacct." in project.printed
        accounted = cluster.run("sacct", "-X", "--noheader", "--parsable2", "--format=Account,State").split(
            "\n"
        )
    states = [line.split("|")[1].split(" ")[0] for line in accounted if line]
    assert {line.split("|")[0] for line in accounted if line} == {slurm_cluster.ACCOUNT}
    assert states.count("CANCELLED") == 1 and set(states) == {"CANCELLED", "COMPLETED"}
    table1_is_that_of(finished, project)


def test_the_cluster_is_started_and_stopped_by_a_command(tmp_path):
    """What it prints is enough for a shell, and for a job whose srun has lost its configuration."""
    folder, script = tmp_path / "c", f"{sys.executable} {slurm_cluster.__file__}"
    job = "sbatch --quiet --output=job.txt --wrap 'unset SLURM_CONF; srun -n1 echo a step ran'"
    end = 'while [ "$(squeue -h)" ]; do sleep 0.1; done'
    shell = f"eval $({script} start {folder}) && sinfo -hN -p short && {job} && {end} && cat job.txt"
    try:
        ran = subprocess.run(["sh", "-c", shell], cwd=tmp_path, capture_output=True, text=True)
    finally:
        subprocess.run([sys.executable, slurm_cluster.__file__, "stop", folder], check=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    *nodes, step = ran.stdout.splitlines()
    assert [line.split()[0] for line in nodes] == list(NODES) and step == "a step ran"
    left = [
        process for process in psutil.process_iter(["cmdline", "cwd"]) if process.info["cwd"] == str(folder)
    ]
    assert left == []
