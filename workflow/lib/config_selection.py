"""The user's changes of the configuration: additional methods, removed keys, values of the command line.

`resolve_config` checks the configuration and, for a partial run, cuts it (`study_selection`) before anything
else reads it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from config_consistency import is_for_lists, list_all_methods, list_methods
from config_validation import ConfigError, list_known_methods, validate_config
from optional_dependencies import explain_unavailable
from snakemake.utils import update_config
from study_selection import apply_selection, keep_methods, split_names

from reproduction.datasets import registry
from reproduction.papers import paper

if TYPE_CHECKING:
    from snakemake.workflow import Workflow


def resolve_config(config: dict, workflow: Workflow) -> None:
    """Check the configuration, merged by Snakemake, and cut it in place to the selected part.

    Parameters
    ----------
    config : dict
        The configuration; changed in place.
    workflow : Workflow
        The workflow of this run.

    Raises
    ------
    ConfigError
        The configuration is wrong.
    """
    command_line = workflow.config_settings
    # the order matters: values of the command line, removed keys, then checks of what is left
    parse_cli_values(config, command_line.config)
    studies = config.get("studies")  # otherwise the check below reports the error
    if isinstance(studies, dict) and all(isinstance(study, dict) for study in studies.values()):
        base = Path(workflow.configfiles[-1]).read_text(encoding="utf-8") if command_line.configfiles else ""
        drop_null_keys(config, command_line.configfiles, yaml.safe_load(base) or {})
    validate_config(config)
    add_extra_methods(config)
    if config.get("only"):
        apply_selection(config)
    # methods and data sets that were added or cut change what the checks see
    if config.get("only") or config.get("extra_methods"):
        validate_config(config)
    messages = drop_unavailable_methods(config)
    if workflow.is_main_process:
        print(*messages, sep="\n", end="\n" if messages else "", file=sys.stderr)


def add_extra_methods(config: dict) -> None:
    """Add the methods of the key ``extra_methods`` to each study.

    Parameters
    ----------
    config : dict
        The configuration; changed in place.
    """
    for study in config["studies"].values():
        if new_methods := [
            name for name in config.get("extra_methods", ()) if name not in list_methods(study)
        ]:
            study["extra_methods"] = [*study.get("extra_methods", []), *new_methods]
    add_selected_methods(config)


def add_selected_methods(config: dict) -> None:
    """Add the methods that ``only.methods`` names and no study has to the studies of every method.

    Parameters
    ----------
    config : dict
        The configuration; changed in place.
    """
    only = config.get("only")
    names = split_names(only.get("methods", ())) if isinstance(only, Mapping) else []
    studies = [config["studies"][name] for name in config["run"]]
    study_methods = {method for study in studies for method in list_all_methods(study)}
    # only the joint study takes any method: those of a paper are the paper's
    for study in (study for study in studies if paper(study["paper"]).mixed):
        if new_methods := [name for name in names if name in {*list_known_methods()} - study_methods]:
            study["extra_methods"] = [*study.get("extra_methods", []), *new_methods]


def drop_unavailable_methods(config: dict) -> list[str]:
    """Remove methods that are not installed, and methods for lists from studies of queries.

    Parameters
    ----------
    config : dict
        The configuration; changed in place.

    Returns
    -------
    list[str]
        A sentence for each method that is left out.

    Raises
    ------
    ConfigError
        A study has no method left.
    """
    if config.get("published_fits"):
        return []  # no method runs
    messages = {}
    for name in config["run"]:
        # a method whose package is missing leaves every study and its synthetic data, with one message
        study = config["studies"][name]
        messages |= explain_unavailable(list_all_methods(study))
        for_lists_only = [
            method for method in list_methods(study) if _ranks_queries(study) and is_for_lists(method)
        ]
        for method in for_lists_only:
            messages[f"{method} in {name}"] = (
                f"'{method}' is left out of {name}: it ranks single lists, and no queries."
            )
        remaining = {*list_all_methods(study)} - {*messages, *for_lists_only}
        # a study without a method would end in an error of Snakemake that names no cause
        if remaining.isdisjoint(list_methods(study)):
            reasons = " ".join(messages.values())
            raise ConfigError(
                f"Configuration: the study '{name}' has no method that can run. {reasons}".strip()
            )
        keep_methods(study, remaining)
    return [*messages.values()]


def _ranks_queries(study: Mapping) -> bool:
    """Whether all data sets of a study have queries."""
    tasks = {registry.get(name).task for name in study["datasets"]}
    return tasks == {"graded"}


def parse_cli_values(config: dict, values: Mapping) -> None:
    """Parse numbers, true, false and null of the command line, which Snakemake leaves as text where nested.

    A value is parsed only where the configuration holds it too: the command line of a workflow that uses this
    one as a module may also set keys for its other parts.

    Parameters
    ----------
    config : dict
        The configuration; changed in place.
    values : Mapping
        Keys and values that the command line sets, nested as in the configuration.
    """
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(config.get(key), dict):
            parse_cli_values(config[key], value)
        elif config.get(key) == value:
            # only where the merged value is still the text of the command line
            config[key] = _parse_value(value)


def _parse_value(value: object) -> object:
    if isinstance(value, list):
        return [_parse_value(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _parse_value(item) for key, item in value.items()}
    try:
        parsed = yaml.safe_load(value) if isinstance(value, str) else value
    except yaml.YAMLError:
        return value
    # numbers, booleans and null; anything else was meant as text
    return parsed if parsed is None or isinstance(parsed, bool | int | float) else value


def drop_null_keys(config: dict, files: Iterable[str | Path], base: Mapping) -> None:
    """Remove from the studies the keys that a further config file sets to null.

    Parameters
    ----------
    config : dict
        The configuration; changed in place.
    files : Iterable[str | pathlib.Path]
        Config files of the command line, in their order.
    base : Mapping
        The configuration before these files.

    Raises
    ------
    ConfigError
        Such a file seems to remove a key by omitting it. That has no effect, since Snakemake merges
        mappings.
    """
    # the files are merged one after the other, as Snakemake does, to see what each of them changes
    merged = {"studies": {}} | deepcopy(dict(base))
    for file in files:
        changes = yaml.safe_load(Path(file).read_text(encoding="utf-8")) or {}
        for sentence in _find_omitted_keys(changes.get("studies") or {}, merged["studies"]):
            raise ConfigError(f"Configuration: {Path(file).name} {sentence}")
        update_config(merged, changes)
    for study in config["studies"].values():
        for mapping in (study, study.get("datasets")):
            for key in [key for key, value in (mapping or {}).items() if value is None]:
                del mapping[key]


def _find_omitted_keys(changes: Mapping, current: Mapping) -> Iterator[str]:
    remedy = "which does not remove it: write '{0}: null' there, or select with the key 'only'."
    for name, study in changes.items():
        original = current.get(name)
        if not isinstance(study, Mapping) or original is None:
            continue
        new_datasets, old_datasets = study.get("datasets") or {}, original["datasets"]
        # a smaller list with unchanged values looks like a selection, which merging does not make
        omitted = [dataset for dataset in old_datasets if dataset not in new_datasets]
        if (
            new_datasets
            and omitted
            and all(new_datasets[dataset] == old_datasets.get(dataset) for dataset in new_datasets)
        ):
            yield f"names data sets of the study '{name}' without '{omitted[0]}', {remedy.format(omitted[0])}"
        omitted = [key for key in original if key not in study]
        if "paper" in study and omitted:  # a complete study, not a change of one
            yield f"describes the study '{name}' without '{omitted[0]}', {remedy.format(omitted[0])}"
