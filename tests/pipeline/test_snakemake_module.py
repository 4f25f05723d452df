"""Another workflow uses this one as a module, from git and as `snakedeploy` writes it, without a network."""

import json
import shutil
import subprocess
import sys

import pytest
from small_project import ROOT

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]

COPIED_PATHS = ("src", "Snakefile", "workflow", "config", "envs", "reports/captions")
# As snakedeploy writes it.
SNAKEFILE = """
configfile: "config/config.yaml"

module toprank:
    snakefile:
        {source}
    config:
        config

use rule * from toprank{renamed}
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """The project as it is now, as a repository with a tag, below the folder that stands for the host."""
    folder = tmp_path_factory.mktemp("host") / "org/toprank"
    for name in COPIED_PATHS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, folder / name)
    shutil.copy2(ROOT / ".gitignore", folder)
    (folder / "config.yaml").symlink_to("config/config.yaml")
    by = ["-c", "user.name=A", "-c", "user.email=a@b"]
    for words in (["init"], ["add", "--all"], [*by, "commit", "--message=All"], ["tag", "v1"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def deployed(repository, tmp_path, monkeypatch):
    """A function that runs Snakemake in a folder with nothing but a Snakefile and the configuration."""
    # in the place of the host stands a folder, and the caller's PYTHONPATH names no other toprank
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{repository.parents[1]}/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    folder = tmp_path / "study"
    shutil.copytree(repository / "config", folder / "config")

    def snakemake(source, *words, renamed=""):
        (folder / "workflow").mkdir(exist_ok=True)
        (folder / "workflow/Snakefile").write_text(SNAKEFILE.format(source=source, renamed=renamed))
        command = [sys.executable, "-m", "snakemake", "--cores", "1", *words]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr[-6000:]
        return run.stdout + run.stderr

    snakemake.folder = folder
    return snakemake


def test_a_job_runs_by_the_code_of_the_tag_with_the_configuration_of_the_folder(
    deployed, repository, monkeypatch
):
    # the modules that a job has imported leave their compiled files
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    config = deployed.folder / "config/config.yaml"
    config.write_text(config.read_text().replace("\nresults: results\n", "\nresults: mine\n"))
    source = 'github("org/toprank", path="workflow/Snakefile", tag="v1")'
    published = deployed(source, "mine/data/overlap/manifest.json", renamed=" as its_*")
    assert "rule its_prepare:" in published
    assert json.loads((deployed.folder / "mine/data/overlap/manifest.json").read_text())["rows"]
    commit = subprocess.check_output(["git", "rev-parse", "v1"], cwd=repository, text=True).strip()
    (checkout,) = (deployed.folder / ".snakemake/toprank").iterdir()
    assert checkout.name == commit
    assert [*checkout.glob("src/reproduction/datasets/__pycache__/prepare*.pyc")]
    assert not (deployed.folder / "results").exists()


def test_a_part_of_the_quick_study_is_planned(deployed, repository):
    source = f'gitfile("{repository}", path="workflow/Snakefile", tag="v1")'
    words = ["--dry-run", "--configfile", "config/quick.yaml", "--config", "only=quick_letor"]
    published = deployed(source, *words)
    assert (
        "rule page:" in published and "collect_quick_letor" in published and "collect_quick:" not in published
    )
