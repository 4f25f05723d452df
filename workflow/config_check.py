"""Check the configuration, and report the first error in one sentence.

The schema (schemas/config.schema.yaml) defines keys, types and ranges. Names of data sets, methods and
studies are checked here; for an unknown name the message suggests the nearest known one.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import cross_checks
from config_schema import schema
from cross_checks import METHODS, nearest
from jsonschema import Draft202012Validator

from reproduction.data import registry
from reproduction.data.errors import DataError
from reproduction.multiverse import as_text
from reproduction.papers import PAPERS, paper


class ConfigError(ValueError):
    """An error in the configuration; the message is one sentence for the user."""


def validate_config(
    config: dict, datasets: Iterable[str] | None = None, methods: Iterable[str] | None = None
) -> None:
    """Raise ConfigError, with one sentence, if ``config`` is not valid.

    ``datasets`` and ``methods`` are the known names: by default the registry and the files of rules/methods.
    """
    datasets = known_datasets() if datasets is None else list(datasets)
    methods = known_methods() if methods is None else list(methods)
    defined = schema()["$defs"]
    keys_of = {name: list(defined[name]["properties"]) for name in PAPERS}
    for sentence in chain(
        _schema_problems(config),
        _name_problems(config, datasets, methods),
        cross_checks.problems(config, keys_of),
    ):
        raise ConfigError(f"Configuration: {sentence}")


def name_own_data(config: dict) -> None:
    """Set the user's own registry of data sets for this process and its subprocesses.

    Raises
    ------
    ConfigError
        If the registry cannot be read, or an entry is wrong.
    """
    path = config.get("own_data")
    os.environ[registry.OWN_FILE] = str(Path(path).resolve()) if isinstance(path, str) and path else ""
    try:
        for name in registry.names():
            registry.get(name)
    except DataError as error:
        raise ConfigError(f"Configuration: {error}") from error


def known_methods() -> list[str]:
    """Return the methods: one file each below workflow/rules/methods."""
    return sorted(path.stem for path in METHODS.glob("*.smk"))


def known_datasets() -> list[str]:
    """Return the data sets of the registry."""
    return sorted(registry.names())


def _schema_problems(config: dict) -> Iterator[str]:
    for error in sorted(Draft202012Validator(schema()).iter_errors(config), key=_unknown_keys_first):
        where = ".".join(str(part) for part in error.absolute_path)
        if error.validator == "additionalProperties":
            known = list(error.schema["properties"])
            unknown = next(key for key in error.instance if key not in known)
            yield f"unknown key '{unknown}'{_inside(where)}; {nearest(unknown, known)}."
        elif error.validator == "required":
            missing = next(key for key in error.validator_value if key not in error.instance)
            yield f"the key '{missing}'{_inside(where)} is missing."
        elif error.validator == "enum":
            known = error.validator_value
            yield f"{where} is {error.instance!r}, which is not known; {nearest(error.instance, known)}."
        elif error.validator == "oneOf":
            yield f"{where} is {error.instance!r}, but must be {error.schema['description'].split('; ')[-1]}"
        else:
            yield f"{where} is wrong: {error.message}{_hint(error)}."


def _hint(error) -> str:
    """Explain that YAML 1.1 reads 1e-4 as text."""
    if error.validator == "type" and "number" in error.validator_value and isinstance(error.instance, str):
        try:
            return f" (YAML needs a point in the number: {float(error.instance):.1e})"
        except ValueError:
            pass
    return ""


def _unknown_keys_first(error) -> tuple[bool, str]:
    return error.validator != "additionalProperties", error.json_path


def _name_problems(config: dict, datasets: list[str], methods: list[str]) -> Iterator[str]:
    for study in config["run"]:
        if study not in config["studies"]:
            yield f"unknown study '{study}' in run; {nearest(study, config['studies'])}."
    if config["datasets"] != "all":
        yield from _unknown_datasets(config["datasets"], "datasets", datasets)
    yield from _unknown_datasets(config["verification"]["datasets"], "verification.datasets", datasets)
    for method in config.get("expected_status", {}):
        if method not in methods:
            yield f"unknown method '{method}' in expected_status; {nearest(method, methods)}."
    for name, study in config["studies"].items():
        for key in ("datasets", "splits_of", "splits_per_job_of", "train_rows", "paths"):
            yield from _unknown_datasets(study.get(key, {}), f"studies.{name}.{key}", datasets)
        fewer = study.get("limits", {}).get("candidates_of", {})
        yield from _unknown_datasets(fewer, f"studies.{name}.limits.candidates_of", datasets)
        for key in ("splits_of", "left_out"):
            of = study.get("multiverse", {}).get(key, {})
            yield from _unknown_datasets(of, f"studies.{name}.multiverse.{key}", datasets)
        for where, named in (
            (f"studies.{name}.methods", study["methods"]),
            (f"studies.{name}.beyond", study.get("beyond", [])),
            (f"studies.{name}.toy.methods", study.get("toy", {}).get("methods", [])),
        ):
            for method in named:
                if method not in methods:
                    yield (
                        f"unknown method '{method}' in {where}; {nearest(method, methods)} "
                        "(a method is a file below workflow/rules/methods)."
                    )
        yield from _wrong_task(name, study)
        yield from _wrong_axes(name, study)


def _wrong_axes(name: str, study: dict) -> Iterator[str]:
    """Axes and levels that the paper does not have, and axes without their default."""
    axes = {axis.name: axis for axis in paper(study["paper"]).axes}
    given = study.get("multiverse", {})
    named = [f"{key}={as_text(level)}" for key, levels in given.get("axes", {}).items() for level in levels]
    for dataset, levels in given.get("left_out", {}).items():
        for level in levels:
            if level not in named:
                where = f"studies.{name}.multiverse.left_out.{dataset}"
                yield f"unknown level '{level}' in {where}; {nearest(level, named)}."
    for key, levels in given.get("axes", {}).items():
        where = f"studies.{name}.multiverse.axes"
        if key not in axes:
            yield f"unknown axis '{key}' in {where}; {nearest(key, axes)}."
            continue
        for problem in axes[key].problems(levels, axes[key].default_of(study)):
            yield f"{where}.{key}: {problem}."


def _wrong_task(name: str, study: dict) -> Iterator[str]:
    """Data sets that a paper cannot rank: queries need LETOR's parts, single lists two classes."""
    record = paper(study["paper"])
    of_queries = " or ".join(
        f"'{other}'" for other in PAPERS if paper(other).queries and not paper(other).mixed
    )
    for dataset in study["datasets"] if not record.mixed else ():
        is_graded = registry.get(dataset).task == "graded"
        if is_graded and not record.queries:
            yield (
                f"studies.{name}.datasets names '{dataset}', whose rows are graded documents of queries: "
                f"they need the paper {of_queries}, and not '{study['paper']}'."
            )
        if record.queries and not is_graded:
            yield (
                f"studies.{name}.datasets names '{dataset}', which has no queries in LETOR's five parts: "
                f"the paper {of_queries} needs a set such as 'mq2008'."
            )


def _unknown_datasets(names: Iterable[str], where: str, known: list[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            yield f"unknown data set '{name}' in {where}; {nearest(name, known)}."


def _inside(where: str) -> str:
    return f" in {where}" if where else ""
