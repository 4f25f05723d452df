"""The configuration of a snapshot: how a run differs from it, and what data sets of a later run add to it."""

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path

import yaml

from reproduction.core.formatting import format_count
from reproduction.datasets.synthetic_families import PAPERS_FOLDER
from reproduction.snapshot.diff import RunError

HOST_KEYS = ("data_folder", "mirror", "results", "published_fits", "retry_missing", "missing_data")
"""Keys of a configuration that name places and do not change the results."""

REBUILD_DIR = "results/snapshot"
"""Folder in which a snapshot's tables, figures and page are rebuilt from its fits."""

BATCHING_SUFFIXES = ("_per_job", "_per_job_by_dataset")
"""Ends of the keys that cut a study into jobs, which changes no number."""

MULTIVERSE = "multiverse"
"""Key of the experiment that every paper may have; all others have a folder with the schema of their key."""

CONFIG_FILE = "config.yaml"
"""File of a snapshot from which its tables and its page are made again."""


def read_provenance(results: Path) -> dict:
    """Read provenance.json of a finished run.

    Parameters
    ----------
    results : Path
        Folder of the results.

    Returns
    -------
    dict
        Its ``config`` is the configuration as it was resolved.

    Raises
    ------
    RunError
        If the run has not written the file.
    """
    path = results / "provenance.json"
    if not path.is_file():
        raise RunError(f"{path} does not exist: finish the run (snakemake --cores 2) first.")
    return json.loads(path.read_text(encoding="utf-8"))


def format_rebuild_config(config: Mapping, target: Path) -> str:
    """Write the configuration with which the tables and the page of a snapshot are made from its rows.

    Parameters
    ----------
    config : mapping
        The configuration of the run.
    target : Path
        Folder of the snapshot.

    Returns
    -------
    str
        YAML.
    """
    rebuild_config = {key: value for key, value in config.items() if key not in HOST_KEYS}
    rebuild_config |= {"published_fits": Path(os.path.relpath(target)).as_posix(), "results": REBUILD_DIR}
    return yaml.safe_dump(rebuild_config, sort_keys=False)


def diff_configs(recorded: Mapping, expected: Mapping) -> list[str]:
    """List the keys in which two configurations ask for other numbers.

    Keys that name places (`HOST_KEYS`) or only cut a study into jobs (`BATCHING_SUFFIXES`) do not count.

    Parameters
    ----------
    recorded, expected : mapping
        The two configurations.

    Returns
    -------
    list of str
        The keys, sorted; nested ones with dots between.
    """
    keys = []
    for key in sorted({*recorded, *expected}):
        if key in HOST_KEYS or key.endswith(BATCHING_SUFFIXES):
            continue
        # Keys of places and of the batching change no number, so a run on another machine is the same run.
        value, expected_value = recorded.get(key), expected.get(key)
        if isinstance(value, Mapping) and isinstance(expected_value, Mapping):
            keys += [f"{key}.{subkey}" for subkey in diff_configs(value, expected_value)]
        elif value != expected_value:
            keys.append(key)
    return keys


def describe_keys(keys: list[str]) -> str:
    """Name the first keys of a list, and count the others.

    Parameters
    ----------
    keys : list of str

    Returns
    -------
    str
        Part of a sentence.
    """
    further = f" and {format_count(len(keys) - 3, 'more key')}" if len(keys) > 3 else ""
    return ", ".join(keys[:3]) + further


def merge_config(results: Path, snapshot: Path, datasets: Collection[str]) -> tuple[dict, list[str]]:
    """Merge what a later run has of some data sets into the configuration of a snapshot.

    All settings by which rows that the snapshot keeps were computed stay. So the settings of the run must be
    the same, but for those of the data sets, all of whose rows are replaced, and for new experiments.

    Parameters
    ----------
    results : Path
        Folder of the later run, which may be a partial one.
    snapshot : Path
        Folder of the snapshot.
    datasets : collection of str
        Names of the data sets.

    Returns
    -------
    config : dict
        The configuration of the snapshot with the rows of the run.
    changed_keys : list of str
        The keys in which it differs from the present one, sorted.

    Raises
    ------
    RunError
        If the run was computed with other settings.
    """
    recorded = read_provenance(results)["config"]
    present = yaml.safe_load((snapshot / CONFIG_FILE).read_text(encoding="utf-8"))
    # the recorded configuration as JSON has it: tuples are lists, keys are texts
    present = json.loads(json.dumps(present))
    conflicts = ["seed"] if recorded["seed"] != present["seed"] else []
    merged = present | {"studies": dict(present["studies"])}
    for name in recorded["run"]:
        if name not in present["studies"]:
            continue  # its archive does not exist: no row of it is taken
        study, run_study = _align_experiments(
            present["studies"][name], recorded["studies"][name], results / name / "experiments"
        )
        added = {*datasets} & {*run_study["datasets"]}
        # data sets that the run did not compute, and those all of whose rows are replaced
        excluded = ({*study["datasets"]} - {*run_study["datasets"]}) | added
        compared = (_without_datasets(settings, excluded) for settings in (run_study, study))
        conflicts += [f"studies.{name}.{key}" for key in diff_configs(*compared)]
        merged["studies"][name] = _replace_entries(study, run_study, added)
    if conflicts:
        raise RunError(
            f"{results} was computed with other settings than {snapshot} ({describe_keys(conflicts)}): "
            f"run it with those of {snapshot / CONFIG_FILE}, or make a snapshot of a full run."
        )
    return merged, diff_configs(merged, present)


def _align_experiments(study: Mapping, run_study: Mapping, folder: Path) -> tuple[dict, dict]:
    """Give the settings of a study in a snapshot and in a run the same experiments.

    A partial run lacks experiments, whose rows stay, and a later one may have a new one.

    Parameters
    ----------
    study, run_study : mapping
        The settings in the snapshot and in the run.
    folder : Path
        Folder of the files that the experiments of the run have written.

    Returns
    -------
    study, run_study : dict
    """
    # the selection of a part sets the key "table"
    study, run_study = dict(study), {key: value for key, value in run_study.items() if key != "table"}
    experiments = {file.parent.name for file in PAPERS_FOLDER.glob("*/*/schema.yaml")} | {MULTIVERSE}
    for name in experiments:
        if name in study and name not in run_study:
            run_study[name] = study[name]
        elif name in run_study and name not in study:
            if any(folder.glob(f"{name}.*.jsonl")):
                study[name] = run_study[name]
            else:
                del run_study[name]
    return study, run_study


def _without_datasets(value: object, datasets: Collection[str]) -> object:
    """Remove data sets from the mappings and the lists of some settings."""
    if isinstance(value, Mapping):
        return {key: _without_datasets(item, datasets) for key, item in value.items() if key not in datasets}
    if isinstance(value, list):
        return [item for item in value if not (isinstance(item, str) and item in datasets)]
    return value


def _replace_entries(study: Mapping, run_study: Mapping, datasets: Collection[str]) -> dict:
    """Replace what the settings of a study say of some data sets by what those of a run say."""
    merged = {}
    for key in dict.fromkeys((*study, *run_study)):
        value, run_value = study.get(key), run_study.get(key)
        if key in datasets:
            if key in run_study:
                merged[key] = run_value
        elif isinstance(value, Mapping) and isinstance(run_value, Mapping):
            merged[key] = _replace_entries(value, run_value, datasets)
        elif isinstance(value, list) and isinstance(run_value, list):
            merged[key] = [*value, *(item for item in run_value if item in datasets and item not in value)]
        elif key in study:
            merged[key] = value
    return merged
