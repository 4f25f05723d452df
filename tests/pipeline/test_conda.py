"""With --sdm conda each script runs in the environment of envs/environment.yaml, and gives the same tables.

No conda is needed: see conda_stand_in.
"""

import os
import re
from collections import Counter

import pytest
from conda_stand_in import Conda, scripts_run
from small_project import TABLES, Project, without_times

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


@pytest.fixture
def conda(tmp_path):
    return Conda(tmp_path / "conda")


def let_find(project, conda, monkeypatch, **variables):
    """Let the runs of a project find the stand-in first, and no toprank by the caller's PYTHONPATH."""
    left_out = {"PYTHONPATH", "SNAKEMAKE_CONDA_PREFIX"}
    environment = {key: value for key, value in project.environment().items() if key not in left_out}
    environment |= {"PATH": os.pathsep.join([str(conda.bin), environment["PATH"]])} | variables
    monkeypatch.setattr(project, "environment", lambda: environment)
    return project


@pytest.fixture
def with_conda(empty_project, conda, monkeypatch):
    return let_find(empty_project, conda, monkeypatch)


def jobs(printed):
    """Rule -> number of its jobs, from the table that Snakemake prints."""
    table = printed.split("Job stats:", 1)[1].split("total", 1)[0]
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}


def scripts(project):
    """Rule -> name of its script."""
    found = {}
    for path in (project.folder / "workflow/rules").rglob("*.smk"):
        for rule in re.split(r"(?m)^rule ", path.read_text())[1:]:
            named = re.search(r'^    script:\n +"[./]*scripts/(\w+)\.py"', rule, re.MULTILINE)
            if named:
                found[rule.split(":")[0]] = named[1]
    return found


def test_all_scripts_run_in_the_environment_that_is_created_beforehand(with_conda, conda, finished):
    prefix = with_conda.folder.parent / "environments"
    options = ["--sdm", "conda", "--conda-prefix", prefix]
    with_conda.snakemake(*options, "--conda-create-envs-only")
    (environment,) = conda.created()
    assert environment.parent == prefix and scripts_run(environment) == []
    assert not with_conda.results.exists()

    printed = with_conda.snakemake(*options)
    assert conda.created() == [environment], "one environment serves all rules, and is not made again"
    seen = scripts_run(environment)
    ran = Counter(re.search(r"\.(\w+)\.py$", record["argv"][0])[1] for record in seen)
    script_of = scripts(with_conda)
    wanted = Counter()
    for rule, count in jobs(printed).items():
        if rule != "all":
            wanted[script_of[rule]] += count
    assert ran == wanted and ran["fit"] == len(with_conda.fits())
    source = str(with_conda.folder / "src/toprank/__init__.py")
    assert {record["toprank"] for record in seen} <= {source, None}
    assert any(record["numba"] for record in seen)
    for name in TABLES:
        assert without_times(with_conda.table(name)) == without_times(finished.table(name)), name
    assert "Nothing to be done" in with_conda.snakemake(*options)


def test_a_job_imports_from_its_own_checkout_only(empty_project, conda, monkeypatch):
    """A folder of the user's PYTHONPATH stays out; the path of the checkout may hold blanks."""
    moved = empty_project.folder.with_name("a checkout of mine")
    empty_project.folder.rename(moved)
    other = moved / "other/toprank"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text('raise ImportError("of the user")')
    project = let_find(Project(moved), conda, monkeypatch, PYTHONPATH=str(other.parent))
    project.snakemake("--nocolor", "results/data/overlap/manifest.json", "--sdm", "conda")
    (environment,) = conda.created()
    assert environment.parent == moved / ".snakemake/conda"
    ours = str(moved / "src/toprank/__init__.py")
    assert [record["toprank"] for record in scripts_run(environment)] == [ours, ours]  # fetch and prepare
    project.snakemake(
        "--nocolor", "results/data/hull/manifest.json"
    )  # without conda PYTHONPATH stays, after the checkout


def test_the_stand_in_refuses_what_conda_would(with_conda, conda):
    file = with_conda.folder / "envs/environment.yaml"
    text = file.read_text()
    for old, new, said in (
        ("channels:", "sources:", "knows no key"),
        ("numpy=", "numpy ~", "names no version"),
        ("  - pip:", "  - wheels:", "the only section is pip"),
    ):
        assert old in text
        file.write_text(text.replace(old, new, 1))
        printed = with_conda.snakemake("--sdm", "conda", "--conda-create-envs-only", fails=True)
        assert said in printed, printed[-2000:]
    assert len(conda.created()) == 3
