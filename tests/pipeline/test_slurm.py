"""The profile for SLURM on a real cluster of two nodes: the tables of a local run, whatever fails."""

import contextlib
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from typing import NamedTuple

import psutil
import pytest
import slurm_cluster
from slurm_cluster import NODES, Cluster
from small_project import DATASETS, STUDY, Project, agree, without_times

pytestmark = [
    pytest.mark.pipeline,
    pytest.mark.xdist_group("slurm"),
    pytest.mark.skipif(bool(slurm_cluster.missing()), reason=slurm_cluster.missing() or "there is a SLURM"),
]
PATIENCE = 600  # seconds, a guard against a hang
FITS, TABLE1, FIT = f"{STUDY}/fits.csv", f"{STUDY}/table1.csv", f"{STUDY}/fits/overlap.raw.toppush.0-1.csv"
EXACT_FITS, ADMM_FITS = f"{STUDY}/fits/overlap.raw.exact.0-1.csv", f"{STUDY}/fits/hull.raw.admm.0-1.csv"
#: Questions every second at first, where a user's cluster is asked every 40.
QUICKLY = ("--slurm-init-seconds-before-status-checks", "1", "--slurm-status-attempts", "1")


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
        options = ("--printshellcmds", *QUICKLY, "--latency-wait", "10")
        return [*snakemake, "--profile", "profiles/slurm", *map(str, arguments), *options]

    def environment(self):
        ours = self.cluster.environment()
        return super().environment() | {name: ours[name] for name in ("PATH", "SLURM_CONF")}

    def submitted(self):
        """How many jobs were submitted, by what they were: the kind of a batch, or a rule."""
        published = (self.folder / "run.log").read_text()
        return Counter(re.findall(r"SLURM jobid \d+ \(log: \S*/logs/slurm/(?:group_)?([a-z]+)", published))

    def logs(self):
        """What the logs of SLURM's jobs that failed say."""
        return "\n".join(file.read_text() for file in self.results.glob("logs/slurm/**/*.log"))

    @contextlib.contextmanager
    def running(self, *arguments, fails=False):
        """A run in the background, whose end is waited for; what it published is in ``published``."""
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
                self.run.wait()
            self.published = log.read_text()
        assert (self.run.returncode != 0) == fails, self.published[-6000:]

    def wait(self, holds):
        """Wait until something holds while a run goes on, and return it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.run.poll() is None:
            if state := holds():
                return state
            time.sleep(0.1)
        raise TimeoutError((self.folder / "run.log").read_text()[-3000:])

    def wait_for_fit(self, *other_than):
        """Wait until a fit runs in a job other than some; returns its process, its job and its node."""
        return self.wait(lambda: next(self.running_fits(other_than), None))

    def running_fits(self, other_than):
        """The fits that run now."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):  # it may end while it is looked at
                ours = process.cwd() == str(self.folder)
                if ours and any(word.endswith(".fit.py") for word in process.cmdline()):
                    environment = process.environ()
                    if environment["SLURM_JOB_ID"] not in other_than:
                        yield Script(process, environment["SLURM_JOB_ID"], environment["SLURMD_NODENAME"])


def ends_now(cluster, job):
    """Whether SLURM lets the time of a job be over; in the first moments of the job it does not."""
    with contextlib.suppress(AssertionError):
        cluster.run("scontrol", "update", f"JobId={job}", "EndTime=now")
        return True
    return False


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two nodes; a job that has ended is soon forgotten, so that questions come often."""
    folder = tmp_path_factory.mktemp("c") / "slurm"
    with Cluster(folder, min_job_age=4, message_timeout=2) as cluster:
        yield cluster


@pytest.fixture
def on_cluster(project, cluster):
    """A copy of the finished project, on the cluster with both nodes at work."""
    cluster.repair()
    return SlurmProject(project, cluster)


def test_what_fails_on_the_way_changes_no_number(finished_project, on_cluster, monkeypatch):
    """One run in which slurmctld is away, a job has too little memory, one is cancelled, one is stopped for
    its time, and a node dies; the splits are in other blocks than in the local run."""
    monkeypatch.setenv("SBATCH_PARTITION", "other")
    cluster, project = on_cluster.cluster, on_cluster
    project.select_study(splits_per_job=1, datasets={name: ["raw"] for name in DATASETS})
    shutil.rmtree(project.results)
    targets = [project.results / name for name in (FITS, TABLE1)]
    targets = [target.relative_to(project.folder) for target in targets]
    n_batches = len(DATASETS) * project.study()["splits"]
    with project.running(
        *targets, "--verbose", "--retries", "4", "--set-resources", "splits:mem_mb=125*attempt**3"
    ):
        project.wait(lambda: project.submitted()["fits"] == n_batches)
        project.wait_for_fit()
        partitions = cluster.run("squeue", "--noheader", "--format=%P %C").splitlines()
        assert set(partitions) == {"other 1"}, "the jobs of a batch run one after the other"

        cluster.stop_daemon("slurmctld")
        project.wait(lambda: "SLURM query command failed" in (project.folder / "run.log").read_text())
        cluster.start_controller()
        cancelled = project.wait_for_fit().job
        cluster.run("scancel", cancelled)
        late = project.wait_for_fit(cancelled)
        late.process.suspend()
        project.wait(lambda: ends_now(cluster, late.job))
        dead = project.wait_for_fit(cancelled, late.job).node
        cluster.fail_node(dead)
        cluster.start_node(dead)
    published = project.published
    for status in ("CANCELLED", "TIMEOUT", "NODE_FAIL"):
        assert f"SLURM status is: '{status}'" in published, published[-6000:]
    assert "exceeded memory limit" in project.logs()
    assert "States of jobs are queried with squeue." in published
    assert project.submitted() == {"preparation": 1, "splits": 2, "fits": n_batches + 3}
    for name in (FITS, TABLE1):
        expected = finished_project.table(name).query("dataset != 'planted'")
        assert without_times(project.table(name)) == without_times(expected), name
    assert "Nothing to be done" in project.snakemake(*targets, "--dry-run", each_job=False)


def test_a_node_that_is_cut_off_and_goes_on_computing(finished_project, on_cluster):
    """Its job is done again elsewhere, while what still runs there writes the same."""
    (on_cluster.results / FIT).unlink()
    with on_cluster.running(f"results/{FIT}"):
        on_cluster.cluster.cut_off(on_cluster.wait_for_fit().node)
    assert "SLURM status is: 'NODE_FAIL'" in on_cluster.published, on_cluster.published[-6000:]
    assert agree(on_cluster, finished_project, FIT)


def test_never_enough_memory_is_named_and_the_rest_is_done(finished_project, on_cluster):
    options = ("--set-resources", "exact:mem_mb=100", "--retries", "0")
    for name in (EXACT_FITS, ADMM_FITS):
        (on_cluster.results / name).unlink()
    with on_cluster.running(f"results/{EXACT_FITS}", f"results/{ADMM_FITS}", *options, fails=True):
        pass
    assert "Error in rule exact" in on_cluster.published and EXACT_FITS in on_cluster.published
    assert "exceeded memory limit" in on_cluster.logs()
    assert agree(on_cluster, finished_project, ADMM_FITS) and not (on_cluster.results / EXACT_FITS).exists()


def test_a_controller_that_forgot_its_jobs(finished_project, on_cluster):
    (on_cluster.results / FIT).unlink()
    with on_cluster.running(f"results/{FIT}"):
        on_cluster.wait_for_fit()
        on_cluster.cluster.stop_daemon("slurmctld")
        on_cluster.cluster.start_controller("-c")
    assert "SLURM no longer knows job" in on_cluster.published, on_cluster.published[-6000:]
    assert agree(on_cluster, finished_project, FIT)


@pytest.mark.skipif(
    bool(slurm_cluster.missing(accounting=True)), reason=slurm_cluster.missing(True) or "all there"
)
def test_with_accounting(finished_project, project, tmp_path_factory, monkeypatch):
    monkeypatch.setenv("SBATCH_ACCOUNT", slurm_cluster.ACCOUNT)
    (project.results / FIT).unlink()
    with Cluster(tmp_path_factory.mktemp("a") / "slurm", accounting=True) as cluster:
        on_cluster = SlurmProject(project, cluster)
        with on_cluster.running(f"results/{FIT}"):
            cancelled = on_cluster.wait_for_fit().job
            cluster.run("scancel", cancelled)
        # seen at the next question, not when SLURM has forgotten the job
        assert f"SLURM-job '{cancelled}' failed, SLURM status is: 'CANCELLED'" in on_cluster.published
        assert "States of jobs are queried with sacct." in on_cluster.published
        lines = cluster.run("sacct", "-X", "--noheader", "--parsable2", "--format=Account,State").splitlines()
    accounts, states = zip(*(line.split("|") for line in lines), strict=True)
    assert set(accounts) == {slurm_cluster.ACCOUNT}
    assert sorted(state.split(" ")[0] for state in states) == ["CANCELLED", "COMPLETED"]
    assert agree(on_cluster, finished_project, FIT)


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
    processes = [
        process for process in psutil.process_iter(["cmdline", "cwd"]) if process.info["cwd"] == str(folder)
    ]
    assert processes == []
