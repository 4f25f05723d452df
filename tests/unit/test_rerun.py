"""The commands by which the page says how its fits are made again, and records of files that are gone."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from data_helpers import TEXT, plant, points, put
from paths import Paths
from report_rows import ROOT
from rerun import build_rerun_command, note_retries

from reproduction.datasets.download.fetch import fetch


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


def test_a_record_of_deleted_files_is_removed_so_that_fetch_obtains_them(tmp_path, monkeypatch):
    """Otherwise rule prepare, which may run on a node without internet, would ask the addresses itself."""
    plant(monkeypatch, points(["https://example.org/points.data"]))
    by_hand, cached = (tmp_path / "data" / folder / "points.data" for folder in ("small", "cache/small"))
    put(by_hand, TEXT)
    record = put(tmp_path / "points/fetch.json", json.dumps(fetch("points", tmp_path / "data").record()))
    config = {"data_folder": tmp_path / "data", "mirror": None, "retry_missing": False}
    studies = SimpleNamespace(config=config, datasets=["points"])
    paths = SimpleNamespace(studies=studies, get_download_record=lambda name: record)
    for deleted in (by_hand, cached):  # the other one is enough
        content = deleted.read_bytes()
        deleted.unlink()
        note_retries(paths)
        assert record.exists()
        put(deleted, content)
    by_hand.unlink()
    cached.unlink()
    note_retries(paths)
    assert not record.exists() and not record.with_name("attempt").exists()


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
