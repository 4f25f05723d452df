"""With --sdm conda each script runs in the environment of envs/environment.yaml, and gives the same tables.

No conda is needed: see fake_conda.
"""

import os
import re

import pytest
from fake_conda import Conda, check, scripts_run
from small_project import ROOT, STUDY, without_times

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


def test_all_scripts_run_in_the_environment_that_is_created_beforehand(
    empty_project, conda, finished_project, monkeypatch
):
    project = let_find(empty_project, conda, monkeypatch)
    project.select_study(datasets={"overlap": ["raw"]}, methods=["toppush"], rhos={})
    prefix = project.folder.parent / "environments"
    options = ["--sdm", "conda", "--conda-prefix", prefix]
    project.snakemake(*options, "--conda-create-envs-only")
    (environment,) = conda.created()
    assert environment.parent == prefix and scripts_run(environment) == []
    assert not project.results.exists()

    targets = [f"results/{STUDY}/{name}" for name in ("fits.csv", "table1.csv")]
    published = project.snakemake(*targets, *options)
    assert conda.created() == [environment], "one environment serves all rules, and is not made again"
    records = scripts_run(environment)
    jobs = re.findall(r"^(?:local)?rule \w+:$", published, re.MULTILINE)
    assert len(records) == len(jobs) > len(project.fits()) == 1
    source = str(project.folder / "src/reproduction/__init__.py")
    assert {record["ours"] for record in records} <= {source, None}
    assert any(record["numba"] for record in records)
    fits = finished_project.table(f"{STUDY}/fits.csv").query("dataset == 'overlap' and method == 'toppush'")
    assert without_times(project.table(f"{STUDY}/fits.csv")) == without_times(fits)


def test_a_job_imports_from_its_own_checkout_only(bare_project, conda, tmp_path, monkeypatch):
    """A folder of the user's PYTHONPATH stays out; the path of the checkout may hold blanks."""
    checkout = tmp_path / "a checkout of mine"
    project = bare_project.copy(checkout)
    other = checkout / "other/reproduction"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text('raise ImportError("of the user")')
    let_find(project, conda, monkeypatch, PYTHONPATH=str(other.parent))
    project.snakemake("results/data/overlap/manifest.json", "--sdm", "conda")
    (environment,) = conda.created()
    assert environment.parent == checkout / ".snakemake/conda"
    ours = str(checkout / "src/reproduction/__init__.py")
    assert [record["ours"] for record in scripts_run(environment)] == [ours]


def test_a_method_whose_package_is_in_the_environment_alone_is_run(bare_project, conda, monkeypatch):
    """LightGBM need not be installed where Snakemake runs."""
    project = let_find(bare_project, conda, monkeypatch)
    published = project.snakemake("--dry-run", "--sdm", "conda", "--config", "extra_methods=[lambdamart]")
    assert re.search(r"^ *(?:local)?rule lambdamart:$", published, re.MULTILINE)
    assert "'lambdamart' is left out" not in published


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("channels:", "sources:", "knows no key"),
        ("numpy=", "numpy ~", "names no version"),
        ("  - pip:", "  - wheels:", "the only section is pip"),
    ],
)
def test_the_stand_in_refuses_what_conda_would(tmp_path, old, new, message):
    text, file = (ROOT / "envs/environment.yaml").read_text(), tmp_path / "environment.yaml"
    file.write_text(text)
    check(file)
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(SystemExit, match=message):
        check(file)
