"""Checks of keys of the configuration against each other; each problem is a sentence.

The keys that a method reads, and the methods from which it inherits parameters, are read from its rule file.
Checks for a single paper are in its folder, as `settings.problems`.
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
from reproduction.papers import paper

METHODS = Path(__file__).resolve().parents[1] / "rules" / "methods"
READ = re.compile(r'studies\.get_settings\(wildcards\)\["(\w+)"\](?:\["(\w+)"\])?')
LISTS_ONLY = re.compile(r"\blists_only=True\b")
TAKEN_OVER = re.compile(r'chosen=paths\.get_fit_pattern\("(\w+)"\)')
#: Folders of the results that do not belong to a study.
RESERVED = ("benchmarks", "data", "logs", "paper", "verification")


def problems(config: dict, keys_of: dict[str, list[str]]) -> Iterator[str]:
    """Yield a sentence for each contradiction; ``keys_of``: the keys that a study of each paper may have."""
    yield from not_finite(config, [])
    for name, study in config["studies"].items():
        where = f"studies.{name}"
        if name in RESERVED:
            yield f"{where} needs another name: results already have a folder {name}."
        for block in (study, study.get("toy", {})):
            listed = methods_of(block)
            for method in listed:
                yield from _lacking(where, study, method, listed, keys_of[study["paper"]])
            for method in (name for name in listed if listed.count(name) > 1):
                yield f"{where} names the method '{method}' in methods and in beyond: name it once."
        yield from _counts(where, study)
        yield from _printed(where, study)
        for key, block in study.items():
            if isinstance(block, dict):
                yield from _measured_on(f"{where}.{key}", block, where, study)
        if find_spec(f"reproduction.papers.{study['paper']}.settings"):
            yield from import_module(f"reproduction.papers.{study['paper']}.settings").problems(where, study)
    if graded := _graded(config["verification"]["datasets"]):
        yield (
            f"verification.datasets names '{graded}', whose rows are graded documents of queries: name a "
            "set with two classes."
        )


def methods_of(block: Mapping) -> list[str]:
    """List the methods of a study, or of its toy problem: those of the paper, then further ones."""
    return [*block.get("methods", []), *block.get("beyond", [])]


def every_method(study: Mapping) -> list[str]:
    """List the methods of a study and of its toy problem."""
    return [*methods_of(study), *methods_of(study.get("toy", {}))]


def not_finite(value: object, where: list) -> Iterator[str]:
    """Numbers that YAML writes as .nan and .inf, which a schema cannot exclude."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from not_finite(inner, [*where, key])
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{'.'.join(map(str, where))} is {value}, but must be a finite number."


@cache
def asked_by(method: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the keys of a study that a method's rule reads, and the methods from which it inherits."""
    file = METHODS / f"{method}.smk"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    keys = READ.findall(text) + [("admm", "")] * ("methods.admm(" in text)
    return keys, TAKEN_OVER.findall(text)


@cache
def is_for_lists(method: str) -> bool:
    """Whether the rule of a method says that it ranks single lists only."""
    file = METHODS / f"{method}.smk"
    return file.is_file() and bool(LISTS_ONLY.search(file.read_text(encoding="utf-8")))


def _lacking(where: str, study: dict, method: str, listed: list[str], known: list[str]) -> Iterator[str]:
    """Keys and methods that a method needs and its study lacks."""
    keys, chosen = asked_by(method)
    for key, inner in keys:
        if key not in known:
            yield (
                f"{where} names the method '{method}', which reads the key '{key}': studies of the paper "
                f"'{study['paper']}' have none, so leave the method out."
            )
        elif key not in study or (inner and inner not in study[key]):
            said = f"{key}.{inner}" if inner else key
            yield f"{where} needs the key '{said}': it names the method '{method}'."
    for other in chosen:
        if other not in listed:
            yield f"{where}: '{method}' inherits parameters from '{other}': name '{other}' too."


def _counts(where: str, study: dict) -> Iterator[str]:
    """Numbers of splits and rows that exceed those of the study or the data."""
    varied = study.get("multiverse", {})
    of_single = {f"splits_of.{dataset}": number for dataset, number in varied.get("splits_of", {}).items()}
    asked = {"splits": varied.get("splits", 1)} | of_single
    for key, number in asked.items():
        if number > study["splits"]:
            yield f"{where}.multiverse.{key} is {number}, but {where}.splits is {study['splits']}."
    for dataset, number in study.get("train_rows", {}).items():
        rows = registry.get(dataset).expected.get("rows", math.inf)
        if number >= rows:
            yield f"{where}.train_rows.{dataset} is {number} of its {rows} rows: leave some to test."


def _measured_on(key: str, block: dict, where: str, study: dict) -> Iterator[str]:
    """Data sets and splits of a block that the study does not have."""
    single = {"dataset": [block["dataset"]]} if "dataset" in block else {}
    for inner, named in ({"datasets": block.get("datasets", [])} | single).items():
        for name in named:
            if name not in study["datasets"]:
                said = nearest(name, study["datasets"])
                yield f"{key}.{inner} names '{name}', which is not in {where}.datasets; {said}."
    if block.get("split", 0) >= study["splits"]:
        last = f"the last split is {study['splits'] - 1}"
        yield f"{key}.split is {block['split']}, but {where}.splits is {study['splits']}: {last}."


def _printed(where: str, study: dict) -> Iterator[str]:
    """A missing file of printed numbers."""
    file = paper(study["paper"]).printed
    if study["published"] and file and not file.is_file():
        yield (
            f"{where}.published is true, but the file of the printed numbers, {file}, does not exist: "
            "restore it, or write published: false."
        )


def _graded(names: list[str]) -> str:
    return next((name for name in names if registry.get(name).task == "graded"), "")


def nearest(name: object, known: Iterable[str]) -> str:
    """Suggest the known name that is nearest to an unknown one."""
    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.0)
    return f"the nearest known one is '{close[0]}'" if close else "there is none at all"
