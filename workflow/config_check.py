"""Check the configuration and say in one sentence what is wrong with it.

The schema (schemas/config.schema.yaml) knows keys, types and ranges. What it cannot know, which data sets,
methods and studies there are, is looked up here. An unknown name is answered with the nearest known one.
"""

import difflib
import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import cross_checks
from config_schema import schema
from jsonschema import Draft202012Validator

from reproduction.papers import PAPERS

WORKFLOW = Path(__file__).resolve().parent

#: Methods of top ranking that have a rho.
ADMM_FAMILY = ("admm", "a2dm2", "a2dm2_restart")

#: Blocks of a study of queries that are measured on one fold of some of its data sets.
ON_ONE_FOLD = ("constant", "early_stop")


class ConfigError(ValueError):
    """Something in the configuration is wrong; the message is one sentence for the person who wrote it."""


def validate_config(
    config: dict, datasets: Iterable[str] | None = None, methods: Iterable[str] | None = None
) -> None:
    """Raise ConfigError, with one sentence, if ``config`` is not what the workflow understands.

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
    """Name the user's own registry to this process and to all that it starts.

    Raises
    ------
    ConfigError
        The registry cannot be read, or an entry of it is wrong.
    """
    from reproduction.data import registry
    from reproduction.data.errors import DataError

    path = config.get("own_data")
    os.environ[registry.OWN_FILE] = str(Path(path).resolve()) if isinstance(path, str) and path else ""
    try:
        for name in registry.names():
            registry.get(name)
    except DataError as error:
        raise ConfigError(f"Configuration: {error}") from error


def known_methods() -> list[str]:
    """Return the methods: one file each below workflow/rules/methods."""
    return sorted(path.stem for path in (WORKFLOW / "rules" / "methods").glob("*.smk"))


def known_datasets() -> list[str]:
    """Return the data sets of the registry."""
    from reproduction.data import registry

    return sorted(registry.names())


def _schema_problems(config: dict) -> Iterator[str]:
    for error in sorted(Draft202012Validator(schema()).iter_errors(config), key=_unknown_keys_first):
        where = ".".join(str(part) for part in error.absolute_path)
        if error.validator == "additionalProperties":
            known = list(error.schema["properties"])
            unknown = next(key for key in error.instance if key not in known)
            yield f"unknown key '{unknown}'{_inside(where)}; {_nearest(unknown, known)}."
        elif error.validator == "required":
            missing = next(key for key in error.validator_value if key not in error.instance)
            yield f"the key '{missing}'{_inside(where)} is missing."
        elif error.validator == "enum":
            known = error.validator_value
            yield f"{where} is {error.instance!r}, which is not known; {_nearest(error.instance, known)}."
        elif error.validator == "oneOf":
            yield f"{where} is {error.instance!r}, and must be {error.schema['description'].split('; ')[-1]}"
        else:
            yield f"{where} is wrong: {error.message}{_hint(error)}."


def _hint(error) -> str:
    """YAML 1.1 reads 1e-4 as text, which is hard to see."""
    if error.validator == "type" and "number" in error.validator_value and isinstance(error.instance, str):
        try:
            return f" (YAML wants a point in it: {float(error.instance):.1e})"
        except ValueError:
            pass
    return ""


def _unknown_keys_first(error) -> tuple[bool, str]:
    return error.validator != "additionalProperties", error.json_path


def _name_problems(config: dict, datasets: list[str], methods: list[str]) -> Iterator[str]:
    for study in config["run"]:
        if study not in config["studies"]:
            yield f"unknown study '{study}' in run; {_nearest(study, config['studies'])}."
    if config["datasets"] != "all":
        yield from _unknown_datasets(config["datasets"], "datasets", datasets)
    yield from _unknown_datasets(config["verification"]["datasets"], "verification.datasets", datasets)
    for method in config.get("expected_status", {}):
        if method not in methods:
            yield f"unknown method '{method}' in expected_status; {_nearest(method, methods)}."
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
                        f"unknown method '{method}' in {where}; {_nearest(method, methods)} "
                        "(a method is a file below workflow/rules/methods)."
                    )
        yield from _wrong_task(name, study)
        yield from _incomplete_push(name, study)
        yield from _incomplete_queries(name, study)
        yield from _wrong_convergence(name, study)
        yield from _wrong_axes(name, study)


def _wrong_axes(name: str, study: dict) -> Iterator[str]:
    """Axes and levels that the paper's record does not know, and axes without their default."""
    from reproduction.multiverse import as_text
    from reproduction.papers import paper

    axes = {axis.name: axis for axis in paper(study["paper"]).axes}
    given = study.get("multiverse", {})
    named = [f"{key}={as_text(level)}" for key, levels in given.get("axes", {}).items() for level in levels]
    for dataset, levels in given.get("left_out", {}).items():
        for level in levels:
            if level not in named:
                where = f"studies.{name}.multiverse.left_out.{dataset}"
                yield f"unknown level '{level}' in {where}; {_nearest(level, named)}."
    for key, levels in given.get("axes", {}).items():
        where = f"studies.{name}.multiverse.axes"
        if key not in axes:
            yield f"unknown axis '{key}' in {where}; {_nearest(key, axes)}."
            continue
        for problem in axes[key].problems(levels, axes[key].default_of(study)):
            yield f"{where}.{key}: {problem}."


def _incomplete_push(name: str, study: dict) -> Iterator[str]:
    """What one key of the paper rakotomamonjy2012 asks of another."""
    if study["paper"] != "rakotomamonjy2012":
        return
    for dataset in study["datasets"]:
        if dataset not in study["train_rows"]:
            yield f"studies.{name}.train_rows lacks the data set '{dataset}' of studies.{name}.datasets."
    for dataset, path in study.get("paths", {}).items():
        if dataset not in study["datasets"]:
            yield f"studies.{name}.paths names '{dataset}', which is not in studies.{name}.datasets."
        if path["penalty"] == "group" and "group_size" not in path:
            yield f"studies.{name}.paths.{dataset} needs the key 'group_size': its penalty is the group norm."
    if "times" in study and "toy" not in study:
        yield f"studies.{name}.times needs the key 'toy' beside it: it times the toy problem."


def _incomplete_queries(name: str, study: dict) -> Iterator[str]:
    """What one key of the paper laporte2014 asks of another."""
    if study["paper"] != "laporte2014":
        return
    beyond = study.get("beyond", [])
    for method in beyond:
        if method in study["methods"]:
            yield f"studies.{name} names the method '{method}' in methods and in beyond: name it once."
    for block in ON_ONE_FOLD:
        if block not in study:
            continue
        measured, where = study[block], f"studies.{name}.{block}"
        for dataset in measured["datasets"]:
            if dataset not in study["datasets"]:
                yield (
                    f"{where}.datasets names '{dataset}', which is not in studies.{name}.datasets; "
                    f"{_nearest(dataset, study['datasets'])}."
                )
        yield from _split_beyond(f"{where}.split", measured["split"], name, study)


def _wrong_convergence(name: str, study: dict) -> Iterator[str]:
    """What the split that is followed iteration by iteration asks of its study."""
    followed = study.get("convergence")
    if not followed or study["paper"] != "kadkhodaie2015":
        return
    where, dataset = f"studies.{name}.convergence", followed["dataset"]
    if dataset not in study["datasets"]:
        yield (
            f"{where}.dataset is '{dataset}', which is not in studies.{name}.datasets; "
            f"{_nearest(dataset, study['datasets'])}."
        )
    elif followed["features"] not in study["datasets"][dataset]:
        yield (
            f"{where}.features is '{followed['features']}', which studies.{name}.datasets.{dataset} does not "
            f"have; {_nearest(followed['features'], study['datasets'][dataset])}."
        )
    yield from _split_beyond(f"{where}.split", followed["split"], name, study)
    for method in followed["rhos"]:
        if method not in ADMM_FAMILY:
            yield f"unknown method '{method}' in {where}.rhos; {_nearest(method, ADMM_FAMILY)}."


def _split_beyond(where: str, split: int, name: str, study: dict) -> Iterator[str]:
    """A split that the study does not have."""
    if split >= study["splits"]:
        yield (
            f"{where} is {split}, but studies.{name}.splits is {study['splits']}: the last split is "
            f"{study['splits'] - 1}."
        )


def _wrong_task(name: str, study: dict) -> Iterator[str]:
    """Data sets that a paper cannot rank: queries need LETOR's parts, single lists two classes."""
    from reproduction.data import registry
    from reproduction.papers import paper

    record = paper(study["paper"])
    for dataset in study["datasets"] if not record.mixed else ():
        is_graded = registry.get(dataset).task == "graded"
        if is_graded and not record.queries:
            yield (
                f"studies.{name}.datasets names '{dataset}', whose rows are graded documents of queries: "
                f"they need the paper 'laporte2014', and not '{study['paper']}'."
            )
        if record.queries and not is_graded:
            yield (
                f"studies.{name}.datasets names '{dataset}', which has no queries in LETOR's five parts: "
                "the paper 'laporte2014' needs a set such as 'mq2008'."
            )


def _unknown_datasets(names: Iterable[str], where: str, known: list[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            yield f"unknown data set '{name}' in {where}; {_nearest(name, known)}."


def _nearest(name: object, known: Iterable[str]) -> str:
    known = list(known)
    nearest = difflib.get_close_matches(str(name), known, n=1, cutoff=0.0)
    return f"the nearest known one is '{nearest[0]}'" if nearest else "there is none at all"


def _inside(where: str) -> str:
    return f" in {where}" if where else ""
