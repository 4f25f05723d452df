"""Snakemake with the logger plugin: progress while jobs run, warnings and errors, no line per job."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml
from small_project import ROOT

PROFILE = ROOT / "profiles/default/profile.v9+.yaml"
PROGRESS_LINE = re.compile(r"^\d+:\d\d:\d\d  \d+ of \d+ jobs done", re.MULTILINE)
#: A job that ends as soon as the file ``go`` exists, a warning, and a rule whose script fails and says why.
SNAKEFILE = """
from snakemake.logging import logger
logger.info("a line of the Snakefile")
logger.warning("a warning of the Snakefile")

rule all:
    input: "last.txt"

rule wait:
    output: "first-{name}.txt"
    shell: "for i in $(seq 600); do [ -e go ] && break; sleep 0.1; done; touch {output}"

rule last:
    input: "first-a.txt"
    output: "last.txt"
    shell: "touch {output}"

rule check:
    output: "check.txt"
    script: "check.py"

rule broken:
    output: "broken.txt"
    log: "broken.log"
    shell: "echo the reason of the failure > {log}; exit 1"
"""


@pytest.fixture
def project(tmp_path):
    """A small workflow with the default profile of this project."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "check.py").write_text("raise SystemExit('the check says why')")
    folder = tmp_path / "profiles/default"
    folder.mkdir(parents=True)
    (folder / PROFILE.name).write_text(PROFILE.read_text())
    return tmp_path


def start(project, *arguments):
    """Start Snakemake; all that it prints comes through a pipe."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=project, env=environment, **output)


def run(project, *arguments):
    """Run Snakemake and return its exit code and what it published."""
    with start(project, *arguments) as process:
        published, _ = process.communicate(timeout=120)
    return process.returncode, published


def test_lines_of_progress_come_while_a_job_runs(project):
    process = start(project, "--logger-toprank-interval", "0.2")
    killer = threading.Timer(120, process.kill)  # so that a lack of lines does not hang the test
    killer.start()
    lines = []
    with process:
        for line in process.stdout:
            lines.append(line)
            if "running: wait a" in line:  # no job can have ended before this line
                (project / "go").touch()
    killer.cancel()
    published = "".join(lines)
    assert process.returncode == 0, published
    assert "0 of 3 jobs done; running: wait a\n" in published
    assert PROGRESS_LINE.findall(published)[-1].endswith("3 of 3 jobs done")
    assert "a line of the Snakefile\n" in published and "a warning of the Snakefile\n" in published
    for chatter in ("Building DAG", "rule wait:", "Finished jobid", "Complete log", "Select jobs", "Host:"):
        assert chatter not in published
    log = next((project / ".snakemake/log").glob("*.log")).read_text()
    assert "rule wait:" in log and "Finished jobid" in log, "the log file holds everything"


def test_a_failure_is_published_with_the_log_of_its_job(project):
    code, published = run(project, "broken.txt")
    assert code == 1 and "Error in rule broken:" in published and "the reason of the failure" in published
    assert "At least one job did not complete successfully" in published
    assert "0 of 1 jobs done, 1 failed\n" in published


def test_the_failure_of_a_quiet_rule_is_not_repeated(project):
    code, published = run(project, "check.txt")
    assert code == 1 and published.count("the check says why") == 1
    for repeated in ("Error in rule check", "CalledProcessError", "At least one job did not complete"):
        assert repeated not in published
    code, published = run(project, "check.txt", "broken.txt")
    assert code == 1 and "At least one job did not complete" in published, "another rule failed as well"
    assert "Error in rule check" not in published


@pytest.mark.parametrize("option", ["--printshellcmds", "--verbose", "--dry-run"])
def test_options_about_printing_are_obeyed(project, option):
    (project / "go").touch()
    code, published = run(project, option)
    assert code == 0 and "rule wait:" in published and not PROGRESS_LINE.search(published)


def test_quiet_is_quiet(project):
    (project / "go").touch()
    code, published = run(project, "--quiet", "all")
    assert code == 0 and not PROGRESS_LINE.search(published) and "rule wait:" not in published


def test_a_run_without_jobs_says_so(project):
    for name in ("first-a.txt", "last.txt"):
        (project / name).touch()
    code, published = run(project)
    assert code == 0 and "Nothing to be done" in published and not PROGRESS_LINE.search(published)


def test_a_locked_directory_is_explained_and_unlocked(project):
    """A killed run leaves its lock; Snakemake names --unlock, after which the same command continues."""
    (project / "go").touch()
    locks = project / ".snakemake/locks"
    locks.mkdir(parents=True)
    (locks / "0.output.lock").write_text("last.txt\n")
    code, published = run(project)
    assert code == 1 and "Directory cannot be locked" in published and "--unlock" in published
    assert run(project, "--unlock")[0] == 0
    assert run(project)[0] == 0 and (project / "last.txt").exists()


def test_the_profiles_ask_for_a_line_every_half_minute():
    default = yaml.safe_load(PROFILE.read_text())
    assert default["logger"] == ["toprank"] and default["logger-toprank-interval"] <= 30
    slurm = yaml.safe_load((ROOT / "profiles/slurm" / Path(PROFILE).name).read_text())
    assert not [key for key in slurm if key.startswith("logger")], "the default profile is read beside it"
