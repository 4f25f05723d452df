"""Checks of keys of the configuration against each other; each problem is a sentence.

The keys that a method reads, and the methods from which it inherits parameters, are read from its rule file.
Checks for a single paper are in its folder, as `settings.find_problems`.
"""

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from reproduction.datasets import registry
from reproduction.datasets.synthetic_families import list_families
from reproduction.papers import paper

METHODS = Path(__file__).resolve().parents[1] / "rules" / "methods"
SETTING_READ = re.compile(r'studies\.get_settings\(wildcards\)\["(\w+)"\](?:\["(\w+)"\])?')
LISTS_ONLY_FLAG = re.compile(r"\blists_only=True\b")
INHERITED_METHOD = re.compile(r'chosen=paths\.get_fit_pattern\("(\w+)"\)')
#: Folders of the results that do not belong to a study.
RESERVED_NAMES = (
    *("again", "bench", "benchmarks", "claims", "data", "environments"),
    *("logs", "report", "snapshot", "verification"),
)


def find_contradictions(config: dict, keys_of: dict[str, list[str]]) -> Iterator[str]:
    """Yield a sentence for each contradiction in a configuration that satisfies the schema.

    Parameters
    ----------
    config : dict
        The configuration.
    keys_of : dict[str, list[str]]
        Paper -> the keys that a study of it may have.

    Yields
    ------
    str
        Sentence that names the place, the fault and the remedy.
    """
    yield from find_non_finite(config, [])
    for name, study in config["studies"].items():
        place = f"studies.{name}"
        if name in RESERVED_NAMES:
            yield f"{place} needs another name: results already have a folder {name}."
        # a method may be named by the study and by its experiments on synthetic data, which have lists of
        # their own
        for settings in (study, *list_synthetic_settings(study)):
            methods = list_methods(settings)
            for method in methods:
                yield from _find_missing_keys(place, study, method, methods, keys_of[study["paper"]])
            for method in (name for name in methods if methods.count(name) > 1):
                yield f"{place} names the method '{method}' in methods and in extra_methods: name it once."
        yield from _find_excess_counts(place, study)
        yield from _find_missing_published_file(place, study)
        for key, settings in study.items():
            if isinstance(settings, dict):
                yield from _find_unknown_inputs(f"{place}.{key}", settings, place, study)
        # a paper may have checks of its own, beside the schema of its keys
        if find_spec(f"reproduction.papers.{study['paper']}.settings"):
            yield from import_module(f"reproduction.papers.{study['paper']}.settings").find_problems(
                place, study
            )
    if graded := _find_graded(config["verification"]["datasets"]):
        yield (
            f"verification.datasets names '{graded}', whose rows are graded documents of queries: name a "
            "set with two classes."
        )


def list_methods(settings: Mapping) -> list[str]:
    """List the methods of a study or of an experiment on synthetic data: the paper's, then further ones.

    Parameters
    ----------
    settings : Mapping
        Settings of the study or of the experiment.

    Returns
    -------
    list[str]
        Names in the order of the configuration.
    """
    return [*settings.get("methods", []), *settings.get("extra_methods", [])]


def list_all_methods(study: Mapping) -> list[str]:
    """List the methods of a study and of its experiments on synthetic data.

    Parameters
    ----------
    study : Mapping
        Settings of the study.

    Returns
    -------
    list[str]
        Names; one that several experiments have stands there several times.
    """
    return [
        method for settings in (study, *list_synthetic_settings(study)) for method in list_methods(settings)
    ]


def list_synthetic_settings(study: Mapping) -> list[Mapping]:
    """List the settings of the experiments of a study that draw synthetic data sets.

    Parameters
    ----------
    study : Mapping
        Settings of the study.

    Returns
    -------
    list[Mapping]
        Settings, family by family.
    """
    return [study[family.name] for family in list_families() if family.name in study]


def find_non_finite(value: object, keys: list) -> Iterator[str]:
    """Yield numbers that YAML writes as .nan and .inf, which a schema cannot exclude.

    Parameters
    ----------
    value : object
        Part of the configuration.
    keys : list
        Keys under which the part stands, from the root.

    Yields
    ------
    str
        Sentence that names the keys, joined by dots.
    """
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from find_non_finite(item, [*keys, key])
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{'.'.join(map(str, keys))} is {value}, but must be a finite number."


@cache
def get_requirements(method: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the keys of a study that a method's rule reads, and the methods from which it inherits.

    Parameters
    ----------
    method : str
        Method, named after its rule file.

    Returns
    -------
    tuple[list[tuple[str, str]], list[str]]
        Pairs of a key and a key below it (empty if there is none), and the names of methods; both empty
        for a method without a rule file.
    """
    file = METHODS / f"{method}.smk"
    rule = file.read_text(encoding="utf-8") if file.is_file() else ""
    # Rule files are read as text: Snakemake has not parsed them when the configuration is checked.
    keys = SETTING_READ.findall(rule) + [("admm", "")] * ("methods.admm(" in rule)
    return keys, INHERITED_METHOD.findall(rule)


@cache
def is_for_lists(method: str) -> bool:
    """Whether the rule of a method says that it ranks single lists only.

    Parameters
    ----------
    method : str
        Method, named after its rule file.

    Returns
    -------
    bool
        True if the rule sets the flag.
    """
    file = METHODS / f"{method}.smk"
    return file.is_file() and bool(LISTS_ONLY_FLAG.search(file.read_text(encoding="utf-8")))


def _find_missing_keys(
    place: str, study: dict, method: str, methods: list[str], allowed_keys: list[str]
) -> Iterator[str]:
    """Yield keys and methods that a method needs and its study lacks."""
    # what the rule file reads of the configuration has to be in the study
    keys, parents = get_requirements(method)
    for key, subkey in keys:
        if key not in allowed_keys:
            yield (
                f"{place} names the method '{method}', which reads the key '{key}': studies of the paper "
                f"'{study['paper']}' have none, so leave the method out."
            )
        elif key not in study or (subkey and subkey not in study[key]):
            full_key = f"{key}.{subkey}" if subkey else key
            yield f"{place} needs the key '{full_key}': it names the method '{method}'."
    for parent in parents:
        if parent not in methods:
            yield f"{place}: '{method}' inherits parameters from '{parent}': name '{parent}' too."


def _find_excess_counts(place: str, study: dict) -> Iterator[str]:
    """Yield a message for each number of splits or training rows that is too large."""
    multiverse, drawn_counts = study.get("multiverse", {}), study.get("splits_by_dataset", {})
    counts = multiverse.get("splits_by_dataset", {})
    # only options that need new fits are fitted again, by default on all splits
    refits = any(
        experiment.run
        for experiment in paper(study["paper"]).experiments_of(study)
        if experiment.name == "multiverse"
    )
    default_count = multiverse.get("splits", study["splits"] if refits else 1)
    # a refit on splits that were never drawn would fail late
    for dataset in dict.fromkeys((*study["datasets"], *counts)):
        key = f"splits_by_dataset.{dataset}" if dataset in counts else "splits"
        drawn_key = f"splits_by_dataset.{dataset}" if dataset in drawn_counts else "splits"
        number, n_drawn = counts.get(dataset, default_count), drawn_counts.get(dataset, study["splits"])
        if number > n_drawn:
            yield (
                f"{place}.multiverse.{key} is {number}, but {place}.{drawn_key} is {n_drawn}: write "
                f"{place}.multiverse.splits_by_dataset.{dataset}: {n_drawn}, or less."
            )
    for dataset, number in study.get("train_rows", {}).items():
        # Own data may state no number of rows: then nothing can be said before they are read.
        rows = registry.get(dataset).expected.get("rows", math.inf)
        if number >= rows:
            yield f"{place}.train_rows.{dataset} is {number} of its {rows} rows: leave some to test."


def _find_unknown_inputs(key: str, experiment: dict, place: str, study: dict) -> Iterator[str]:
    """Yield data sets and splits of an experiment that the study does not have."""
    # an experiment takes one data set, or several
    extra = {"dataset": [experiment["dataset"]]} if "dataset" in experiment else {}
    for subkey, names in ({"datasets": experiment.get("datasets", [])} | extra).items():
        for name in names:
            if name not in study["datasets"]:
                suggestion = suggest_nearest(name, study["datasets"])
                yield f"{key}.{subkey} names '{name}', which is not in {place}.datasets; {suggestion}."
    dataset, by_dataset = experiment.get("dataset"), study.get("splits_by_dataset", {})
    # the number of splits of this data set, where it has one of its own
    setting = f"splits_by_dataset.{dataset}" if dataset in by_dataset else "splits"
    splits = by_dataset.get(dataset, study["splits"])
    if experiment.get("split", 0) >= splits:
        bound = f"the last split is {splits - 1}"
        yield f"{key}.split is {experiment['split']}, but {place}.{setting} is {splits}: {bound}."


def _find_missing_published_file(place: str, study: dict) -> Iterator[str]:
    """Yield a missing file of published values."""
    file = paper(study["paper"]).published_values
    if study["published"] and file and not file.is_file():
        yield (
            f"{place}.published is true, but the file of the published numbers, {file}, does not exist: "
            "restore it, or write published: false."
        )


def _find_graded(names: list[str]) -> str:
    return next((name for name in names if registry.get(name).task == "graded"), "")


def suggest_nearest(name: object, candidates: Iterable[str]) -> str:
    """Suggest the known name that is nearest to an unknown one.

    Parameters
    ----------
    name : object
        The unknown name.
    candidates : Iterable[str]
        The known names.

    Returns
    -------
    str
        Part of a sentence that names it.
    """
    matches = difflib.get_close_matches(str(name), list(candidates), n=1, cutoff=0.0)
    return f"the nearest known one is '{matches[0]}'" if matches else "there is none at all"
