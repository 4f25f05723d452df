"""Check the configuration, and report the first error in one sentence.

The schema defines keys, types and ranges. It is schemas/config.schema.yaml, with the keys of all studies in
`$defs/every_study`, and a `schema.yaml` in the folder of each paper, and of each experiment for its key.
Names of data sets, methods and studies are checked here; for an unknown one the nearest known is suggested.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import config_consistency
import yaml
from config_consistency import METHODS, suggest_nearest
from jsonschema import Draft202012Validator

import reproduction.papers
from reproduction.core.errors import DataError
from reproduction.core.redaction import redact_addresses
from reproduction.datasets import registry
from reproduction.datasets.synthetic_families import list_families
from reproduction.papers import PAPERS, paper
from reproduction.specs.multiverse import option_text

if TYPE_CHECKING:
    from jsonschema import ValidationError

SCHEMA = Path(__file__).resolve().parents[1] / "schemas" / "config.schema.yaml"
#: Key of an older version -> what it is called now.
RENAMED_KEYS = {
    "axes": "choices",
    "beyond": "extra_methods",
    "blocks": "experiments",
    "candidates_of": "candidates_by_dataset",
    "every": "stride",
    "features": "feature_scaling",
    "left_out": "excluded_options",
    "looked_at": "extra_shares",
    "splits_of": "splits_by_dataset",
    "splits_per_job_of": "splits_per_job_by_dataset",
}
#: The end of the sentence on an unknown method.
METHOD_HINT = " (a method is a file below workflow/rules/methods)"


class ConfigError(ValueError):
    """An error in the configuration; the message is one sentence for the user."""


def validate_config(config: dict) -> None:
    """Check a configuration against the schema, the known names and itself.

    Parameters
    ----------
    config : dict
        The configuration.

    Raises
    ------
    ConfigError
        The configuration is not valid; the message is one sentence.
    """
    definitions = load_schema()["$defs"]
    keys_of = {name: list(definitions[name]["properties"]) for name in PAPERS}
    # the schema first: the later checks rely on the types that it asks for
    for sentence in chain(
        _find_schema_errors(config),
        _find_name_errors(config),
        config_consistency.find_contradictions(config, keys_of),
    ):
        raise ConfigError(f"Configuration: {redact_addresses(sentence)}")


@cache
def load_schema() -> dict:
    """Return the whole schema; do not change it, it is cached.

    Returns
    -------
    dict
        JSON schema of a configuration.
    """
    full_schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    definitions = full_schema["$defs"]
    common_keys, study = definitions["every_study"], definitions["study"]
    # Papers and experiments are found by their folders: each brings the schema of its own keys.
    study["properties"]["paper"]["enum"] = [*PAPERS]
    # the keys of a study depend on its paper: one branch of the schema for each
    study["allOf"] = []
    for name in PAPERS:
        folder = Path(reproduction.papers.__file__).with_name(name)
        paper_schema, experiment_files = (
            _read_yaml(folder / "schema.yaml"),
            sorted(folder.glob("*/schema.yaml")),
        )
        definitions[name] = {
            "type": "object",
            "additionalProperties": False,
            "required": [*common_keys["required"], *paper_schema.get("required", [])],
            "properties": common_keys["properties"]
            | paper_schema.get("properties", {})
            | {file.parent.name: _read_yaml(file) for file in experiment_files},
        }
        is_paper = {"required": ["paper"], "properties": {"paper": {"const": name}}}
        study["allOf"].append({"if": is_paper, "then": {"$ref": f"#/$defs/{name}"}})
    return full_schema


def _read_yaml(file: Path) -> dict:
    return yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}


def register_own_data(config: dict) -> None:
    """Set the user's own registry of data sets for this process and its subprocesses.

    Parameters
    ----------
    config : dict
        The configuration; its key ``own_data`` names the registry.

    Raises
    ------
    ConfigError
        The registry cannot be read, or an entry is wrong.
    """
    # as an environment variable, which the processes of jobs inherit
    path = config.get("own_data")
    os.environ[registry.USER_REGISTRY_VARIABLE] = (
        str(Path(path).resolve()) if isinstance(path, str) and path else ""
    )
    try:
        for name in registry.list_names():
            registry.get(name)
    except DataError as error:
        raise ConfigError(f"Configuration: {error}") from error


def list_known_methods() -> list[str]:
    """Return the methods: one file each below workflow/rules/methods.

    Returns
    -------
    list[str]
    """
    return sorted(path.stem for path in METHODS.glob("*.smk"))


def list_known_datasets() -> list[str]:
    """Return the data sets of the registry.

    Returns
    -------
    list[str]
    """
    return sorted(registry.list_names())


def _find_schema_errors(config: dict) -> Iterator[str]:
    # An unknown key is often a misspelt one, whose absence is reported as well: the misspelling comes first.
    for error in sorted(Draft202012Validator(load_schema()).iter_errors(config), key=_unknown_keys_first):
        place = ".".join(str(part) for part in error.absolute_path)
        if error.validator == "additionalProperties":
            allowed = list(error.schema["properties"])
            unknown_key = next(key for key in error.instance if key not in allowed)
            # the new name of a renamed key says more than the nearest known one
            new_key = RENAMED_KEYS.get(unknown_key)
            if new_key in allowed:
                place = _format_location(place)
                yield f"the key '{unknown_key}'{place} is called '{new_key}' now: rename it."
                continue
            suggestion = suggest_nearest(unknown_key, allowed)
            yield f"unknown key '{unknown_key}'{_format_location(place)}; {suggestion}."
        elif error.validator == "required":
            missing = next(key for key in error.validator_value if key not in error.instance)
            yield f"the key '{missing}'{_format_location(place)} is missing."
        elif error.validator == "enum":
            # a value out of a list of words, such as a paper or a feature scaling
            allowed = error.validator_value
            suggestion = suggest_nearest(error.instance, allowed)
            yield f"{place} is {error.instance!r}, which is not known; {suggestion}."
        elif error.validator == "pattern" and place in ("studies", "datasets"):
            yield (
                f"{place} has the name {error.instance!r}: write small letters, digits and underscores, a "
                "letter first."
            )
        elif error.validator == "oneOf":
            yield f"{place} is {error.instance!r}, but must be {error.schema['description'].split('; ')[-1]}"
        else:
            yield f"{place} is wrong: {error.message}{_explain_number(error)}."


def _explain_number(error: ValidationError) -> str:
    """Explain that YAML 1.1 reads 1e-4 as text."""
    if error.validator == "type" and "number" in error.validator_value and isinstance(error.instance, str):
        try:
            return f" (YAML needs a point in the number: {float(error.instance):.1e})"
        except ValueError:
            pass
    return ""


def _unknown_keys_first(error: ValidationError) -> tuple[bool, str]:
    return error.validator != "additionalProperties", error.json_path


def find_unknown(
    kind: str, names: Iterable[str], place: str, candidates: Iterable[str], hint: str = ""
) -> Iterator[str]:
    """Yield a sentence, with the nearest known name, for each name that is not known.

    Parameters
    ----------
    kind : str
        What the names are names of, in the sentence.
    names : Iterable[str]
        Names that the configuration uses.
    place : str
        Where they stand, in the sentence.
    candidates : Iterable[str]
        The known names.
    hint : str, optional
        End of the sentence.

    Yields
    ------
    str
        Sentence that names the nearest known name.
    """
    candidates = list(candidates)
    for name in names:
        if name not in candidates:
            yield f"unknown {kind} '{name}' in {place}; {suggest_nearest(name, candidates)}{hint}."


def _find_name_errors(config: dict) -> Iterator[str]:
    datasets, methods = list_known_datasets(), list_known_methods()
    yield from find_unknown("study", config["run"], "run", config["studies"])
    # data sets are named in many places: each is checked with its place for the message
    names_of = {"datasets": config["datasets"], "verification.datasets": config["verification"]["datasets"]}
    for place, names in names_of.items():
        yield from find_unknown("data set", [] if names == "all" else names, place, datasets)
    yield from find_unknown("method", config.get("expected_status", {}), "expected_status", methods)
    for name, study in config["studies"].items():
        keys = (
            "datasets",
            "splits_by_dataset",
            "splits_per_job_by_dataset",
            "train_rows",
            "paths",
            "other_class",
        )
        of_datasets = {key: study.get(key, {}) for key in keys}
        nested_keys = (
            ("limits", "candidates_by_dataset"),
            ("multiverse", "splits_by_dataset"),
            ("multiverse", "excluded_options"),
        )
        of_datasets |= {
            f"{section}.{key}": study.get(section, {}).get(key, {}) for section, key in nested_keys
        }
        for key, names in of_datasets.items():
            yield from find_unknown("data set", names, f"studies.{name}.{key}", datasets)
        of_methods = {key: study.get(key, []) for key in ("methods", "extra_methods")}
        of_methods["grids"] = study.get("grids", {})
        of_methods["limits.candidate_factors"] = study.get("limits", {}).get("candidate_factors", {})
        of_methods |= {
            f"{family.name}.methods": study.get(family.name, {}).get("methods", [])
            for family in list_families()
        }
        for key, names in of_methods.items():
            yield from find_unknown("method", names, f"studies.{name}.{key}", methods, METHOD_HINT)
        yield from _find_wrong_tasks(name, study)
        yield from _find_wrong_choices(name, study)


def _find_wrong_choices(name: str, study: dict) -> Iterator[str]:
    """Yield choices and options that the paper does not have, and choices without their default."""
    # a choice is the paper's, its options are the configuration's
    choices = {choice.name: choice for choice in paper(study["paper"]).choices}
    multiverse = study.get("multiverse", {})
    options = [
        f"{key}={option_text(value)}"
        for key, values in multiverse.get("choices", {}).items()
        for value in values
    ]
    for dataset, values in multiverse.get("excluded_options", {}).items():
        yield from find_unknown(
            "option", values, f"studies.{name}.multiverse.excluded_options.{dataset}", options
        )
    place = f"studies.{name}.multiverse.choices"
    for key, values in multiverse.get("choices", {}).items():
        if key not in choices:
            yield from find_unknown("choice", [key], place, choices)
            continue
        for problem in choices[key].find_problems(values, choices[key].default_option(study)):
            yield f"{place}.{key}: {problem}."


def _find_wrong_tasks(name: str, study: dict) -> Iterator[str]:
    """Yield data sets that a paper cannot rank: queries need LETOR's parts, single lists two classes."""
    paper_record = paper(study["paper"])
    # papers with queries alone, for the remedy; a mixed paper takes both kinds of data
    query_papers = " or ".join(
        f"'{paper_name}'"
        for paper_name in PAPERS
        if paper(paper_name).queries and not paper(paper_name).mixed
    )
    for dataset in study["datasets"] if not paper_record.mixed else ():
        is_graded = registry.get(dataset).task == "graded"
        if is_graded and not paper_record.queries:
            yield (
                f"studies.{name}.datasets names '{dataset}', whose rows are graded documents of queries: "
                f"they need the paper {query_papers}, and not '{study['paper']}'."
            )
        if paper_record.queries and not is_graded:
            yield (
                f"studies.{name}.datasets names '{dataset}', which has no queries in LETOR's five parts: "
                f"the paper {query_papers} needs a set such as 'mq2008'."
            )


def _format_location(place: str) -> str:
    return f" in {place}" if place else ""
