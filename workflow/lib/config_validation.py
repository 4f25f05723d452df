"""Check the configuration, and report the first error in one sentence.

The schema defines keys, types and ranges. It is schemas/config.schema.yaml, with the keys of all studies in
`$defs/every_study`, and a `schema.yaml` in the folder of each paper, and of each block for its key. Names of
data sets, methods and studies are checked here; the message for an unknown one suggests the nearest known.
"""

import os
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import config_consistency
import yaml
from config_consistency import METHODS, nearest
from jsonschema import Draft202012Validator

import reproduction.papers
from reproduction.core.errors import DataError
from reproduction.core.redaction import redact_addresses
from reproduction.datasets import registry
from reproduction.papers import PAPERS, paper
from reproduction.specs.multiverse import option_text

SCHEMA = Path(__file__).resolve().parents[1] / "schemas" / "config.schema.yaml"
#: The end of the sentence on an unknown method.
A_METHOD = " (a method is a file below workflow/rules/methods)"


class ConfigError(ValueError):
    """An error in the configuration; the message is one sentence for the user."""


def validate_config(config: dict) -> None:
    """Raise ConfigError, with one sentence, if ``config`` is not valid."""
    defined = schema()["$defs"]
    keys_of = {name: list(defined[name]["properties"]) for name in PAPERS}
    for sentence in chain(
        _schema_problems(config), _name_problems(config), config_consistency.problems(config, keys_of)
    ):
        raise ConfigError(f"Configuration: {redact_addresses(sentence)}")


@cache
def schema() -> dict:
    """Return the whole schema; do not change it, it is cached."""
    whole = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    definitions = whole["$defs"]
    common, study = definitions["every_study"], definitions["study"]
    study["properties"]["paper"]["enum"] = [*PAPERS]
    study["allOf"] = []
    for name in PAPERS:
        folder = Path(reproduction.papers.__file__).with_name(name)
        own, blocks = _read(folder / "schema.yaml"), sorted(folder.glob("*/schema.yaml"))
        definitions[name] = {
            "type": "object",
            "additionalProperties": False,
            "required": [*common["required"], *own.get("required", [])],
            "properties": common["properties"]
            | own.get("properties", {})
            | {file.parent.name: _read(file) for file in blocks},
        }
        is_it = {"required": ["paper"], "properties": {"paper": {"const": name}}}
        study["allOf"].append({"if": is_it, "then": {"$ref": f"#/$defs/{name}"}})
    return whole


def _read(file: Path) -> dict:
    return yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}


def name_own_data(config: dict) -> None:
    """Set the user's own registry of data sets for this process and its subprocesses.

    Raises `ConfigError`: the registry cannot be read, or an entry is wrong.
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


def unknown(kind: str, names: Iterable[str], where: str, known: Iterable[str], hint="") -> Iterator[str]:
    """Yield a sentence, with the nearest known name, for each name that is not known."""
    known = list(known)
    for name in names:
        if name not in known:
            yield f"unknown {kind} '{name}' in {where}; {nearest(name, known)}{hint}."


def _name_problems(config: dict) -> Iterator[str]:
    datasets, methods = known_datasets(), known_methods()
    yield from unknown("study", config["run"], "run", config["studies"])
    used = {"datasets": config["datasets"], "verification.datasets": config["verification"]["datasets"]}
    for where, names in used.items():
        yield from unknown("data set", [] if names == "all" else names, where, datasets)
    yield from unknown("method", config.get("expected_status", {}), "expected_status", methods)
    for name, study in config["studies"].items():
        keys = ("datasets", "splits_of", "splits_per_job_of", "train_rows", "paths")
        of_datasets = {key: study.get(key, {}) for key in keys}
        inner = (("limits", "candidates_of"), ("multiverse", "splits_of"), ("multiverse", "left_out"))
        of_datasets |= {f"{block}.{key}": study.get(block, {}).get(key, {}) for block, key in inner}
        for key, names in of_datasets.items():
            yield from unknown("data set", names, f"studies.{name}.{key}", datasets)
        of_methods = {key: study.get(key, []) for key in ("methods", "beyond")}
        of_methods["toy.methods"] = study.get("toy", {}).get("methods", [])
        for key, names in of_methods.items():
            yield from unknown("method", names, f"studies.{name}.{key}", methods, A_METHOD)
        yield from _wrong_task(name, study)
        yield from _wrong_axes(name, study)


def _wrong_axes(name: str, study: dict) -> Iterator[str]:
    """Axes and levels that the paper does not have, and axes without their default."""
    axes = {axis.name: axis for axis in paper(study["paper"]).choices}
    given = study.get("multiverse", {})
    named = [
        f"{key}={option_text(level)}" for key, levels in given.get("axes", {}).items() for level in levels
    ]
    for dataset, levels in given.get("left_out", {}).items():
        yield from unknown("level", levels, f"studies.{name}.multiverse.left_out.{dataset}", named)
    where = f"studies.{name}.multiverse.axes"
    for key, levels in given.get("axes", {}).items():
        if key not in axes:
            yield from unknown("axis", [key], where, axes)
            continue
        for problem in axes[key].find_problems(levels, axes[key].default_option(study)):
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


def _inside(where: str) -> str:
    return f" in {where}" if where else ""
