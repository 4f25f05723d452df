"""After a kill -9 a plain restart works; a lock that may be alive is never touched."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import stale_lock
from data_helpers import put

WORKFLOW = Path(stale_lock.__file__).parent
SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(WORKFLOW)!r})
import stale_lock

stale_lock.release(workflow)

onstart:
    stale_lock.claim(workflow)

rule wait:
    output: "done.txt"
    script: "wait.py"
"""
WAIT = """
import time
from pathlib import Path

Path("started.txt").touch()
time.sleep(float(Path("seconds.txt").read_text()))
Path(snakemake.output[0]).touch()
"""

HERE = SimpleNamespace(is_main_process=True, local_exec=True)
JOB = SimpleNamespace(is_main_process=False, local_exec=True)
CLUSTER = SimpleNamespace(is_main_process=True, local_exec=False)
ORPHAN = "A job of a killed run is still running here (process "
REMOVED = "An earlier run was killed: its lock is removed"

pytestmark = pytest.mark.pipeline


@pytest.fixture
def lock(tmp_path, monkeypatch):
    """The lock of a run in an empty folder, in which the test works."""
    monkeypatch.chdir(tmp_path)
    return put(tmp_path / ".snakemake/locks/0.output.lock", "done.txt\n")


def test_a_lock_of_this_host_without_a_process_is_released(lock):
    assert not stale_lock.release(HERE)  # nobody said whose it is
    stale_lock.claim(HERE)
    assert not stale_lock.release(JOB)  # a job reads the Snakefile too
    assert stale_lock.release(HERE)
    assert not stale_lock.release(HERE)  # nothing left to release


def test_a_job_that_outlived_its_run_is_named(lock, monkeypatch):
    """A script of .snakemake/scripts without a run is an orphan; beside a run it is that run's own."""
    said = []
    monkeypatch.setattr(stale_lock.logger, "warning", said.append)
    put(".snakemake/scripts/tmp1.fit.py", "import time; print('up', flush=True); time.sleep(60)")
    stale_lock.claim(HERE)
    command = [sys.executable, ".snakemake/scripts/tmp1.fit.py"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as orphan:
        orphan.stdout.readline()
        assert not stale_lock.release(HERE)
        assert f"still running here (process {orphan.pid}): wait until it ends, or end it (kill" in said[0]
        orphan.kill()
    assert stale_lock.release(HERE)


def test_a_lock_of_another_host_stays(lock):
    put(".snakemake/lock_owner", "another-host")
    assert not stale_lock.release(HERE)
    assert lock.exists()


def test_a_lock_of_a_cluster_run_stays(lock):
    stale_lock.claim(HERE)
    stale_lock.claim(CLUSTER)
    assert not stale_lock.release(HERE)


def test_a_killed_run_starts_again_and_a_living_one_is_left_alone(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "wait.py").write_text(WAIT)
    (tmp_path / "seconds.txt").write_text("60")
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--rerun-incomplete"]
    first = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "started.txt").exists():
            assert first.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert second.returncode != 0 and "--unlock" in second.stderr and REMOVED not in second.stderr
        assert ORPHAN not in second.stderr
        first.kill()  # alone: its job goes on
        first.wait()
        orphaned = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert orphaned.returncode != 0 and REMOVED not in orphaned.stderr
        assert ORPHAN in orphaned.stderr and "wait until it ends, or end it (kill " in orphaned.stderr
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    (tmp_path / "seconds.txt").write_text("0")
    third = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert third.returncode == 0 and REMOVED in third.stderr, third.stderr
    assert (tmp_path / "done.txt").exists()
