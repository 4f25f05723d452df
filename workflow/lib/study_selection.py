"""The selection of a partial run: which studies, data sets, methods, experiments and splits it computes.

`config_selection` calls it before anything else reads the configuration, so no other module knows about
partial runs. A study is cut to the selected parts and to the methods that these need. Seeds depend on the
study, the data set and the index of a split, so a partial run gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from math import inf
from typing import TYPE_CHECKING

from config_consistency import get_requirements, list_all_methods, list_methods
from config_validation import ConfigError, find_unknown

from reproduction.datasets import registry
from reproduction.datasets.synthetic_families import list_families
from reproduction.papers import paper

if TYPE_CHECKING:
    from reproduction.specs.paper import Experiment, Paper

#: The experiment that belongs to the fits of a study's table.
TABLE_EXPERIMENT = "multiverse"
KINDS = ("studies", "datasets", "methods", "experiments")


@dataclass(frozen=True)
class Selection:
    """The selected names of each kind, and the largest number of splits; None selects all.

    Parameters
    ----------
    studies, datasets, methods, experiments : list[str], optional
    splits : int, optional
        The first so many of each data set.
    max_rows : int, optional
        Only data sets of at most so many rows.
    """

    studies: list[str] | None = None
    datasets: list[str] | None = None
    methods: list[str] | None = None
    experiments: list[str] | None = None
    splits: int | None = None
    max_rows: int | None = None

    @property
    def has_whole_studies(self) -> bool:
        """Whether studies are selected as a whole, perhaps with fewer splits."""
        return self.datasets is self.methods is self.experiments is self.max_rows is None

    def admits(self, dataset: str) -> bool:
        """Return whether a data set is part of the selection.

        Parameters
        ----------
        dataset : str
            Name in the registry.

        Returns
        -------
        bool
            False also where its rows are not known, if there is a limit.
        """
        # data sets of unknown size do not pass a limit of rows
        rows = registry.get(dataset).expected.get("rows", inf) if self.max_rows else 0
        return (self.datasets is None or dataset in self.datasets) and rows <= (self.max_rows or inf)


def apply_selection(config: dict) -> None:
    """Cut the configuration in place to what its key ``only`` names.

    Parameters
    ----------
    config : dict
        The configuration; changed in place.

    Raises
    ------
    ConfigError
        ``only`` names something that no study has.
    """
    studies = {name: config["studies"][name] for name in config["run"]}
    # each study is cut by itself; those of which nothing is left are not run
    selection = _parse_selection(config["only"], studies)
    parts = {
        name: _cut_study(studies[name], selection)
        for name in studies
        if name in (selection.studies or studies)
    }
    parts = {name: study for name, study in parts.items() if study}
    # a name that no cut study has is an error, since the run would silently lack it
    for kind in ("datasets", "methods", "experiments"):
        for name in getattr(selection, kind) or ():
            if not any(name in _list_names(study, kind) for study in parts.values()):
                gaps = _describe_missing(
                    {name: studies[name] for name in selection.studies or studies}, selection
                )
                raise ConfigError(
                    f"Configuration: only names '{name}', which none of its studies has with all else "
                    f"that it names: {gaps}."
                )
    config.update(run=list(parts), studies=config["studies"] | parts, datasets=[])
    # only cases without files: a partial run downloads no other data
    cases = [name for name in config["verification"]["datasets"] if not registry.get(name).files]
    if cases:
        config["verification"] = config["verification"] | {"datasets": cases}


def _parse_selection(words: str | Iterable[str] | Mapping, studies: Mapping) -> Selection:
    """Sort the selected names by kind.

    Raises
    ------
    ConfigError
        A name is unknown or ambiguous.
    """
    # names of every study, also of those that are not selected, to tell a misspelt name from a misplaced one
    names_of = {
        kind: [name for study in studies.values() for name in _list_names(study, kind)] for kind in KINDS[1:]
    }
    names_of["studies"] = list(studies)
    if isinstance(words, Mapping):
        selected = {kind: split_names(words[kind]) for kind in KINDS if words.get(kind)}
        for kind, names in selected.items():
            _refuse_unknown(names, f"only.{kind}", names_of[kind])
        return Selection(**selected, splits=words.get("splits"), max_rows=words.get("max_rows"))
    selected = {}
    for name in split_names(words):
        # A bare word may be a data set and an experiment at once: then the user has to say which.
        kinds = [kind for kind in KINDS if name in names_of[kind]]
        if len(kinds) > 1:
            meanings = " and ".join(kinds)
            remedy = f"write {{{kinds[0]}: {name}}} or {{{kinds[1]}: {name}}}"
            raise ConfigError(f"Configuration: '{name}' in only can mean {meanings}: {remedy}.")
        _refuse_unknown([name], "only", chain(*names_of.values()))
        selected.setdefault(kinds[0], []).append(name)
    return Selection(**selected)


def _list_names(study: Mapping, kind: str) -> list[str]:
    """List the names of a kind in a study."""
    if kind == "datasets":
        return list(study["datasets"])
    if kind == "experiments":
        return [experiment.name for experiment in paper(study["paper"]).experiments_of(study)]
    return list_all_methods(study)


def _describe_missing(studies: Mapping, selection: Selection) -> str:
    """Say which study lacks which of the selected names."""
    words = {"datasets": "data set", "methods": "method", "experiments": "experiment"}
    clauses = []
    for study, settings in studies.items():
        missing_names = [
            f"the {word} '{name}'"
            for kind, word in words.items()
            for name in getattr(selection, kind) or ()
            if name not in _list_names(settings, kind)
        ]
        # it has each of them, but for instance runs the experiment on other data sets
        clauses.append(f"'{study}' lacks {' and '.join(missing_names) or 'a part that joins them'}")
    return "; ".join(clauses)


def split_names(words: str | Iterable[str]) -> list[str]:
    """Return the names of a selection.

    Parameters
    ----------
    words : str or iterable of str
        Names, as a list or as text with commas or blanks between.

    Returns
    -------
    list[str]
        Names in their order.
    """
    return words.replace(",", " ").split() if isinstance(words, str) else list(words)


def _refuse_unknown(names: Iterable[str], key: str, known_names: Iterable[str]) -> None:
    for sentence in find_unknown("name", names, key, known_names):
        raise ConfigError(f"Configuration: {sentence}")


def _cut_study(study: dict, selection: Selection) -> dict | None:
    """Cut the settings of a study to the selection; None if nothing of it is selected."""
    paper_record, settings = paper(study["paper"]), dict(study)
    if selection.splits:
        settings |= _limit_splits(study, selection.splits)
    if selection.methods:
        keep_methods(
            settings,
            {
                *selection.methods,
                *(parent for name in selection.methods for parent in list_inherited_methods(name)),
            },
        )
    datasets = [name for name in study["datasets"] if selection.admits(name)]
    # if only experiments are selected, the study's own table is not run
    is_alone = selection.experiments and selection.datasets is None and selection.methods is None
    is_run = bool(datasets and list_methods(settings) and not is_alone)
    for experiment in paper_record.experiments_of(settings):
        is_selected = selection.has_whole_studies or experiment.name in (selection.experiments or ())
        if not (is_run if experiment.name == TABLE_EXPERIMENT else is_selected):
            del settings[experiment.name]
    if not is_run:
        settings["table"] = False
        settings.pop(TABLE_EXPERIMENT, None)
        datasets = [name for name in datasets if name in _list_experiment_datasets(paper_record, settings)]
    settings["datasets"] = {name: study["datasets"][name] for name in datasets}
    for experiment in paper_record.experiments_of(settings):
        settings[experiment.name] = _cut_experiment(
            settings[experiment.name], study["datasets"], datasets, settings["splits"]
        )
        if not settings[experiment.name] or not _list_fit_methods(experiment, settings) <= {
            *list_methods(settings)
        }:
            del settings[experiment.name]
    return settings if is_run or paper_record.experiments_of(settings) else None


def list_inherited_methods(method: str) -> list[str]:
    """List the methods from which a method inherits parameters, directly or indirectly.

    Parameters
    ----------
    method : str
        Method, named after its rule file.

    Returns
    -------
    list[str]
        Names, parents before their parents.
    """
    _, parents = get_requirements(method)
    return [*parents, *(ancestor for name in parents for ancestor in list_inherited_methods(name))]


def _limit_splits(study: Mapping, splits: int) -> dict:
    """Return the settings that count splits, or trials of an experiment, with at most ``splits`` of them."""
    limits = {"splits": min(study["splits"], splits)}
    if "splits_by_dataset" in study:
        limits["splits_by_dataset"] = {
            name: min(number, splits) for name, number in study["splits_by_dataset"].items()
        }
    for family in list_families():
        if family.name in study:
            experiment = study[family.name]
            limits[family.name] = experiment | {"trials": min(experiment["trials"], splits)}
    table_experiment = study.get(TABLE_EXPERIMENT, {})
    if "splits" in table_experiment:
        splits_by_dataset = {
            name: min(value, splits) for name, value in table_experiment.get("splits_by_dataset", {}).items()
        }
        limits[TABLE_EXPERIMENT] = table_experiment | {
            "splits": min(table_experiment["splits"], splits),
            "splits_by_dataset": splits_by_dataset,
        }
    return limits


def keep_methods(study: dict, kept_methods: set[str]) -> None:
    """Remove all other methods from a study, and experiments on synthetic data that have none left.

    Parameters
    ----------
    study : dict
        Settings of the study; changed in place.
    kept_methods : set[str]
        Names of the methods that stay.
    """
    for key in ("methods", "extra_methods"):
        if key in study:
            study[key] = [name for name in study[key] if name in kept_methods]
    if study.get("extra_methods") == []:
        del study["extra_methods"]
    for family in list_families():
        if family.name not in study:
            continue
        methods = [name for name in study[family.name]["methods"] if name in kept_methods]
        if methods:
            study[family.name] = study[family.name] | {"methods": methods}
        else:
            del study[family.name]


def _list_fit_methods(experiment: Experiment, study: Mapping) -> set[str]:
    """List the methods whose fits an experiment reads."""
    return {fit[2] for part in experiment.parts(study) for fit in experiment.fits(study, part)}


def _list_experiment_datasets(paper_record: Paper, study: Mapping) -> set[str]:
    """List the data sets that the experiments of a study read."""
    return {
        dataset
        for experiment in paper_record.experiments_of(study)
        for part in experiment.parts(study)
        for dataset, _ in experiment.split_inputs(study, part)
    }


def _cut_experiment(
    settings: Mapping, study_datasets: Mapping, datasets: list[str], splits: int
) -> Mapping | None:
    """Cut the settings of an experiment to some data sets; None if it uses others, or a later split."""
    if settings.get("split", 0) >= splits or settings.get("dataset", "") not in ("", *datasets):
        return None
    if "datasets" in settings:
        selected = [name for name in settings["datasets"] if name in datasets]
        return settings | {"datasets": selected} if selected else None
    if set(settings) <= set(study_datasets):  # the keys are data sets
        return {name: value for name, value in settings.items() if name in datasets}
    return settings
