"""The small project, computed once and copied for each test that changes it.

Tests in one process share it: those of the group "pipeline" do. Whoever needs nothing that is computed
runs beside them.
"""

import shutil
from pathlib import Path

import pytest
from small_project import ROOT, Project

NOT_COPIED = {".git", ".venv", ".snakemake", "results", "data", "logs", "benchmarks"}


def not_copied(folder, names):
    """Leave out what is computed, but for what is compiled: it would take a minute in each copy."""
    return [name for name in names if name in NOT_COPIED and Path(folder) == ROOT]


@pytest.fixture(scope="session")
def bare(tmp_path_factory):
    """A copy of the project in which nothing has been computed."""
    folder = tmp_path_factory.mktemp("project") / "bare"
    shutil.copytree(ROOT, folder, ignore=not_copied)
    project = Project(folder)
    project.prepare()
    return project


@pytest.fixture(scope="session")
def finished(bare, tmp_path_factory):
    """The same after a run on two cores. Look at it, but change only a copy."""
    project = bare.copy(tmp_path_factory.mktemp("project") / "finished")
    project.printed = project.snakemake(each_job=False)
    return project


@pytest.fixture
def project(finished, tmp_path):
    """A copy of the finished project, to change; what it runs is STUDY alone."""
    copy = finished.copy(tmp_path / "copy")
    copy.only()
    return copy


@pytest.fixture
def empty_project(project):
    """A copy in which nothing has been computed, but for what has been compiled."""
    for folder in (project.results, project.folder / ".snakemake"):
        shutil.rmtree(folder)
    return project
