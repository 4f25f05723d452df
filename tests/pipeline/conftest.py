"""The small project, computed once and copied for each test that changes it."""

import fcntl
import os
import shutil
from pathlib import Path

import pytest
from small_project import ROOT, Project

LEFT_OUT_FOLDERS = {".git", ".venv", ".snakemake", "results", "data", "logs", "benchmarks"}


def list_left_out(folder, names):
    """Leave out what is computed, but for what is compiled: it would take a minute in each copy."""
    return [name for name in names if name in LEFT_OUT_FOLDERS and Path(folder) == ROOT]


@pytest.fixture(scope="session")
def bare_project(tmp_path_factory):
    """A copy of the project in which nothing has been computed."""
    folder = tmp_path_factory.mktemp("project") / "bare"
    shutil.copytree(ROOT, folder, ignore=list_left_out)
    project = Project(folder)
    project.prepare()
    return project


@pytest.fixture(scope="session")
def finished_project(bare_project, tmp_path_factory):
    """The same after a run on two cores. Look at it, but change only a copy.

    The processes of pytest share it: the first one computes it, and the others wait.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    project, published = Project(shared / "finished"), shared / "finished.txt"
    with (shared / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not published.exists():
            shutil.rmtree(project.folder, ignore_errors=True)  # of a process in which it failed
            published.write_text(bare_project.copy(project.folder).snakemake(each_job=False))
    project.published = published.read_text()
    return project


@pytest.fixture
def project(finished_project, tmp_path):
    """A copy of the finished project, to change; what it runs is STUDY alone."""
    copy = finished_project.copy(tmp_path / "copy")
    copy.select_study()
    return copy


@pytest.fixture
def empty_project(project):
    """A copy in which nothing has been computed, but for what has been compiled."""
    for folder in (project.results, project.folder / ".snakemake"):
        shutil.rmtree(folder)
    return project
