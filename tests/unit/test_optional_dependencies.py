"""With conda, what a method needs is looked for in the conda file, and not where Snakemake runs."""

import optional_dependencies
import pytest
from optional_dependencies import (
    EXTRAS,
    OWN_VERSION,
    describe_reader_package,
    explain_missing,
    find_missing,
    get_version,
    get_versions,
    use_conda_file,
)
from small_project import ROOT

R_RULE = """# needs: Rscript-of-nowhere
use rule fit as r_logistic with:
    {directive}
    params:
        **methods.program("Rscript-of-nowhere {{train}} {{scores}}"),
"""


@pytest.fixture
def conda(monkeypatch):
    """Scripts run in the environment of the conda file; no optional package is installed here."""
    monkeypatch.setattr(optional_dependencies, "CONDA_VERSIONS", {})
    monkeypatch.setattr(optional_dependencies, "_get_installed_version", lambda name: None)
    use_conda_file(ROOT / "envs/environment.yaml")


@pytest.fixture
def r_rule(tmp_path, monkeypatch):
    monkeypatch.setattr(optional_dependencies, "METHODS", tmp_path)
    optional_dependencies.list_dependencies.cache_clear()
    yield lambda directive: (tmp_path / "r_logistic.smk").write_text(R_RULE.format(directive=directive))
    optional_dependencies.list_dependencies.cache_clear()


def test_versions_are_those_of_the_conda_file(conda):
    pins = optional_dependencies.CONDA_VERSIONS
    assert get_version("numpy") == pins["numpy"] and get_version("sklearn") == pins["scikit-learn"]
    assert get_version("xgboost") == pins["xgboost-cpu"] and get_version("cyanure") == pins["cyanure"]
    assert describe_reader_package("smiles") == f"rdkit {pins['rdkit']}"
    assert find_missing("lambdamart") == find_missing("xgboost_ranker") == []
    assert get_versions("lambdamart") == {"lightgbm": pins["lightgbm"]}
    assert all(get_version(package) for package in EXTRAS)


def test_without_conda_they_are_those_that_are_installed(monkeypatch):
    monkeypatch.setattr(optional_dependencies, "_get_installed_version", lambda name: None)
    assert find_missing("lambdamart") == ["lightgbm"]
    assert explain_missing("lightgbm") == 'which is not installed (pip install -e ".[peers]")'
    assert explain_missing("Rscript") == "which is not installed"


def test_a_rule_with_a_conda_file_brings_its_programs(conda, r_rule, monkeypatch):
    r_rule('conda: "r.yaml"')
    assert find_missing("r_logistic") == []
    assert get_versions("r_logistic") == {"Rscript-of-nowhere": OWN_VERSION}
    monkeypatch.setattr(optional_dependencies, "CONDA_VERSIONS", {})
    assert find_missing("r_logistic") == ["Rscript-of-nowhere"], "without conda it is not used"


def test_what_the_conda_file_lacks_is_named_with_the_remedy(conda, r_rule):
    r_rule("threads: 1  # conda: none")
    assert find_missing("r_logistic") == ["Rscript-of-nowhere"]
    assert explain_missing("Rscript-of-nowhere") == (
        "which envs/environment.yaml does not list: add it there, or name a conda file in the rule"
    )
    assert get_version("sh"), "an environment keeps the programs on the path"
