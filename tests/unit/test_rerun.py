"""The commands by which the page says how its fits are made again."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from paths import Paths
from report_rows import ROOT
from rerun import build_rerun_command


def workflow(*files, **config):
    paths = [Path(file).absolute() for file in files]
    return SimpleNamespace(config_settings=SimpleNamespace(configfiles=paths, config=config))


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (workflow(), "snakemake --cores 1 --force --"),
        (workflow("config/quick.yaml"), "snakemake --cores 1 --configfile config/quick.yaml --force --"),
        (
            workflow(results="a b", mirror="/a/place/on/this/machine"),
            "snakemake --cores 1 --config 'results=a b' --force --",
        ),
        (
            workflow(only={"splits": 2}, extra_methods="lambdamart", retry_missing=True),
            """snakemake --cores 1 --config 'only={"splits": 2}' extra_methods=lambdamart --force --""",
        ),
        (
            workflow(seed=7, own_data="own_data.yaml", data_folder="/a/place/on/this/machine", only="sonar"),
            "snakemake --cores 1 --config seed=7 own_data=own_data.yaml only=sonar --force --",
        ),
        (
            workflow(
                own_data="/home/me/own_data.yaml", data_folder="data", mirror="https://example.org/data"
            ),
            "snakemake --cores 1 --config own_data=/home/me/own_data.yaml --force --",
        ),
    ],
)
def test_a_command_has_the_configuration_of_the_run_and_no_source_of_files(run, message):
    assert build_rerun_command(run, "a b") == message


def test_the_files_that_the_page_names_are_those_of_the_jobs():
    paths = Paths(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))
    for study in paths.studies.settings:
        fit_files = set(paths.list_fit_files(study))
        named = paths.split_batches.list_batches_by_dataset(study)
        for dataset, blocks in named.items():
            start = f"{paths.results}/{study}/fits/{dataset}."
            of_set = [file for file in fit_files if file.startswith(start)]
            for block in blocks:
                assert any(file.endswith(f".{block}.csv") for file in of_set)
        stems = {file.rsplit("/", 1)[1].split(".")[0] for file in fit_files}
        assert stems == set(named)
