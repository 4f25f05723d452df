"""The user's changes of the configuration: partial runs, removed keys, values of the command line.

The configuration is cut before anything else reads it, so no other module knows about partial runs. Seeds
depend on the study, the data set and the index of a split, so a partial run gives the same numbers.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import yaml
from config_consistency import asked_by, every_method, is_for_lists, methods_of
from config_validation import ConfigError, unknown, validate_config
from optional_dependencies import missing
from snakemake.utils import update_config

from reproduction.datasets import registry
from reproduction.papers import paper

#: The block that belongs to the fits of a study's table.
OF_THE_TABLE = "multiverse"
KINDS = ("studies", "datasets", "methods", "blocks")


def settle(config: dict, workflow) -> None:
    """Check the configuration, merged by Snakemake, and cut it in place to the selected part.

    Raises `ConfigError`: it is wrong.
    """
    given = workflow.config_settings
    read_words(config, given.config)
    studies = config.get("studies")  # otherwise the check below reports the error
    if isinstance(studies, dict) and all(isinstance(study, dict) for study in studies.values()):
        base = Path(workflow.configfiles[-1]).read_text(encoding="utf-8") if given.configfiles else ""
        take_away(config, given.configfiles, yaml.safe_load(base) or {})
    validate_config(config)
    add_beyond(config)
    if config.get("only"):
        select(config)
    if config.get("only") or config.get("beyond"):
        validate_config(config)
    said = leave_out(config)
    if workflow.is_main_process:
        print(*said, sep="\n", end="\n" if said else "", file=sys.stderr)


def add_beyond(config: dict) -> None:
    """Add the methods of the key ``beyond`` to each study."""
    for study in config["studies"].values():
        if more := [name for name in config.get("beyond", ()) if name not in methods_of(study)]:
            study["beyond"] = [*study.get("beyond", []), *more]


def leave_out(config: dict) -> list[str]:
    """Remove methods that are not installed, and methods for lists from studies of queries.

    Returns: a sentence for each.


    Raises `ConfigError`: a study has no method left.
    """
    if config.get("published_fits"):
        return []  # no method runs
    said = {}
    for name in config["run"]:
        study = config["studies"][name]
        for method in methods_of(study):
            if lacking := missing(method):
                said[method] = f"'{method}' is left out: it needs {lacking[0]}, which is not installed."
        of_lists = [one for one in methods_of(study) if _ranks_queries(study) and is_for_lists(one)]
        said |= {
            f"{one} in {name}": f"'{one}' is left out of {name}: it ranks single lists, and no queries."
            for one in of_lists
        }
        left = {*said, *of_lists}
        kept = {key: [one for one in study.get(key, ()) if one not in left] for key in ("methods", "beyond")}
        if not any(kept.values()):
            why = " ".join(said.values())
            raise ConfigError(f"Configuration: the study '{name}' has no method that can run. {why}".strip())
        study.update({key: listed for key, listed in kept.items() if key in study})
    return [*said.values()]


def _ranks_queries(study: Mapping) -> bool:
    """Whether all data sets of a study have queries."""
    tasks = {registry.get(name).task for name in study["datasets"]}
    return tasks == {"graded"}


def read_words(config: dict, given: Mapping) -> None:
    """Read numbers, true, false and null of the command line, which Snakemake leaves as text where nested.

    What a workflow hands to this one as its module may lack words that are for other parts of it.
    """
    for key, value in given.items():
        if isinstance(value, Mapping) and isinstance(config.get(key), dict):
            read_words(config[key], value)
        elif config.get(key) == value:
            config[key] = _plain(value)


def _plain(value):
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    try:
        word = yaml.safe_load(value) if isinstance(value, str) else value
    except yaml.YAMLError:
        return value
    return word if word is None or isinstance(word, bool | int | float) else value


def take_away(config: dict, files: Iterable[str | Path], base: Mapping) -> None:
    """Remove from the studies the keys that a further config file sets to null.

    Raises `ConfigError`: such a file seems to remove a key by omitting it. That has no effect, since
    Snakemake merges mappings.
    """
    known = {"studies": {}} | deepcopy(dict(base))
    for file in files:
        changes = yaml.safe_load(Path(file).read_text(encoding="utf-8")) or {}
        for sentence in _left_out(changes.get("studies") or {}, known["studies"]):
            raise ConfigError(f"Configuration: {Path(file).name} {sentence}")
        update_config(known, changes)
    for study in config["studies"].values():
        for place in (study, study.get("datasets")):
            for key in [key for key, value in (place or {}).items() if value is None]:
                del place[key]


def _left_out(changed: Mapping, known: Mapping) -> Iterator[str]:
    remedy = "which does not remove it: write '{0}: null' there, or select with the key 'only'."
    for name, study in changed.items():
        before = known.get(name)
        if not isinstance(study, Mapping) or before is None:
            continue
        ours, theirs = study.get("datasets") or {}, before["datasets"]
        lacking = [dataset for dataset in theirs if dataset not in ours]
        if ours and lacking and all(ours[dataset] == theirs.get(dataset) for dataset in ours):
            yield f"names data sets of the study '{name}' without '{lacking[0]}', {remedy.format(lacking[0])}"
        lacking = [key for key in before if key not in study]
        if "paper" in study and lacking:  # a complete study, not a change of one
            yield f"describes the study '{name}' without '{lacking[0]}', {remedy.format(lacking[0])}"


@dataclass(frozen=True)
class Only:
    """The names of each kind that are selected; None: all."""

    studies: list[str] | None = None
    datasets: list[str] | None = None
    methods: list[str] | None = None
    blocks: list[str] | None = None
    splits: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether studies are selected as a whole, perhaps with fewer splits."""
        return self.datasets is self.methods is self.blocks is None


def select(config: dict) -> None:
    """Cut the configuration in place to what its key ``only`` names.

    Raises `ConfigError`: ``only`` names something that no study has.
    """
    studies = {name: config["studies"][name] for name in config["run"]}
    only = _understood(config["only"], studies)
    cut = {name: _cut(studies[name], only) for name in studies if name in (only.studies or studies)}
    cut = {name: study for name, study in cut.items() if study}
    for kind in ("datasets", "methods", "blocks"):
        for named in getattr(only, kind) or ():
            if not any(named in _names(study, kind) for study in cut.values()):
                lacks = _lacking({name: studies[name] for name in only.studies or studies}, only)
                raise ConfigError(
                    f"Configuration: only names '{named}', which none of its studies has with all else "
                    f"that it names: {lacks}."
                )
    config.update(run=list(cut), studies=config["studies"] | cut, datasets=[])
    # only cases without files: a partial run downloads no other data
    cases = [name for name in config["verification"]["datasets"] if not registry.get(name).files]
    if cases:
        config["verification"] = config["verification"] | {"datasets": cases}


def _understood(given, studies: Mapping) -> Only:
    """Sort the selected names by kind.

    Raises `ConfigError`: a name is unknown or ambiguous.
    """
    known = {kind: [name for study in studies.values() for name in _names(study, kind)] for kind in KINDS[1:]}
    known["studies"] = list(studies)
    if isinstance(given, Mapping):
        named = {kind: _listed(given[kind]) for kind in KINDS if given.get(kind)}
        for kind, names in named.items():
            _refuse_unknown(names, f"only.{kind}", known[kind])
        return Only(**named, splits=given.get("splits"))
    named = {}
    for name in _listed(given):
        kinds = [kind for kind in KINDS if name in known[kind]]
        if len(kinds) > 1:
            both = " and ".join(kinds)
            remedy = f"write {{{kinds[0]}: {name}}} or {{{kinds[1]}: {name}}}"
            raise ConfigError(f"Configuration: '{name}' in only can mean {both}: {remedy}.")
        _refuse_unknown([name], "only", chain(*known.values()))
        named.setdefault(kinds[0], []).append(name)
    return Only(**named)


def _names(study: Mapping, kind: str) -> list[str]:
    """The names of a kind in a study."""
    if kind == "datasets":
        return list(study["datasets"])
    if kind == "blocks":
        return [block.name for block in paper(study["paper"]).blocks_of(study)]
    return every_method(study)


def _lacking(studies: Mapping, only: Only) -> str:
    """Say which study lacks which of the selected names."""
    words = {"datasets": "data set", "methods": "method", "blocks": "block"}
    clauses = []
    for study, settings in studies.items():
        lacking = [
            f"the {word} '{name}'"
            for kind, word in words.items()
            for name in getattr(only, kind) or ()
            if name not in _names(settings, kind)
        ]
        # it has each of them, but for instance measures the block on other data sets
        clauses.append(f"'{study}' lacks {' and '.join(lacking) or 'a part that joins them'}")
    return "; ".join(clauses)


def _listed(given) -> list[str]:
    return given.replace(",", " ").split() if isinstance(given, str) else list(given)


def _refuse_unknown(names: Iterable[str], where: str, known: Iterable[str]) -> None:
    for sentence in unknown("name", names, where, known):
        raise ConfigError(f"Configuration: {sentence}")


def _cut(study: dict, only: Only) -> dict | None:
    """Cut the settings of a study to the selection; None if nothing of it is selected."""
    record, cut = paper(study["paper"]), dict(study)
    if only.splits:
        cut |= _fewer_splits(study, only.splits)
    if only.methods:
        _keep_methods(cut, {*only.methods, *(other for name in only.methods for other in inherited(name))})
    datasets = [name for name in study["datasets"] if only.datasets is None or name in only.datasets]
    # if only blocks are selected, the study's own table is not run
    is_alone = only.blocks and only.datasets is None and only.methods is None
    is_run = bool(datasets and methods_of(cut) and not is_alone)
    for block in record.experiments_of(cut):
        is_wanted = only.is_whole or block.name in (only.blocks or ())
        if not (is_run if block.name == OF_THE_TABLE else is_wanted):
            del cut[block.name]
    if not is_run:
        cut["table"] = False
        cut.pop(OF_THE_TABLE, None)
        datasets = [name for name in datasets if name in _measured_on(record, cut)]
    cut["datasets"] = {name: study["datasets"][name] for name in datasets}
    for block in record.experiments_of(cut):
        cut[block.name] = _of_datasets(cut[block.name], study["datasets"], datasets, cut["splits"])
        if not cut[block.name] or not _reads(block, cut) <= {*methods_of(cut)}:
            del cut[block.name]
    return cut if is_run or record.experiments_of(cut) else None


def inherited(method: str) -> list[str]:
    """List the methods from which a method inherits parameters, directly or indirectly."""
    _, found = asked_by(method)
    return [*found, *(other for name in found for other in inherited(name))]


def _fewer_splits(study: Mapping, splits: int) -> dict:
    """Return the settings that count splits, or trials of a toy problem, with at most ``splits`` of them."""
    fewer = {"splits": min(study["splits"], splits)}
    if "splits_of" in study:
        fewer["splits_of"] = {name: min(number, splits) for name, number in study["splits_of"].items()}
    if "toy" in study:
        fewer["toy"] = study["toy"] | {"trials": min(study["toy"]["trials"], splits)}
    looked_at = study.get(OF_THE_TABLE, {})
    if "splits" in looked_at:
        of = {name: min(value, splits) for name, value in looked_at.get("splits_of", {}).items()}
        fewer[OF_THE_TABLE] = looked_at | {"splits": min(looked_at["splits"], splits), "splits_of": of}
    return fewer


def _keep_methods(study: dict, wanted: set[str]) -> None:
    """Remove all other methods from a study, and its toy problem if that has no method left."""
    if "toy" in study:
        study["toy"] = dict(study["toy"])
    for block, key in ((study, "methods"), (study, "beyond"), (study.get("toy", {}), "methods")):
        if key in block:
            block[key] = [name for name in block[key] if name in wanted]
    for key, listed in (("beyond", study.get("beyond")), ("toy", study.get("toy", {}).get("methods"))):
        if listed == []:
            del study[key]


def _reads(block, study: Mapping) -> set[str]:
    """The methods whose fits a block reads."""
    return {fit[2] for part in block.parts(study) for fit in block.fits(study, part)}


def _measured_on(record, study: Mapping) -> set[str]:
    """The data sets that the blocks of a study read."""
    return {
        dataset
        for block in record.experiments_of(study)
        for part in block.parts(study)
        for dataset, _ in block.split_inputs(study, part)
    }


def _of_datasets(settings: Mapping, known: Mapping, datasets: list[str], splits: int) -> Mapping | None:
    """Cut a block's settings to some data sets; None if it is measured on others, or on a later split."""
    if settings.get("split", 0) >= splits or settings.get("dataset", "") not in ("", *datasets):
        return None
    if "datasets" in settings:
        named = [name for name in settings["datasets"] if name in datasets]
        return settings | {"datasets": named} if named else None
    if set(settings) <= set(known):  # the keys are data sets
        return {name: value for name, value in settings.items() if name in datasets}
    return settings
