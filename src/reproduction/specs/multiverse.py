"""Choices of what a paper leaves open, their options, and every number in every specification.

A specification is one option of each choice. The *default* specification has the declared default of each. A
paper hands its choices over with its record; a study says in its configuration which options it looks at.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from numbers import Real

import numpy as np
import pandas as pd

from reproduction.core.results import ResultsError

DEFAULT = "default"
"""Name of the specification in which no option differs from its default."""

OUTCOME_KEY = ("specification", "changes", "dataset", "method", "split")
MULTIVERSE_COLUMNS = (
    *("study", "artefact", "dataset", "method", "quantity", "published", "published_std"),
    *("specification", "changes", "ours_mean", "ours_std", "splits", "zero_models"),
    *("default_mean", "default_std"),
)
"""Columns of multiverse.csv: one row a published number and specification. `splits`: on how many there is a
number of ours; `zero_models`: on how many of them the chosen model is w = 0; `default_mean`, `default_std`:
of the default specification on the same splits, with which an option that was fitted on fewer of them is
compared."""


@dataclass(frozen=True)
class Choice:
    """One thing that a paper leaves open.

    Attributes
    ----------
    name : str
        Key of the configuration.
    title : str
        For readers.
    place : str
        Where in the paper the choice is open, and what stands there.
    default : str or number, or callable
        The declared option; or settings of the study -> that option.
    options : mapping of str to str, or None
        Option -> what it means. None: the option is a number, or the default.
    reuses_fits : bool
        Whether an option selects among fits that are there, and fits nothing anew.
    """

    name: str
    title: str
    place: str
    default: str | float | Callable[[Mapping], str | float]
    options: Mapping[str, str] | None = None
    reuses_fits: bool = True

    def __post_init__(self) -> None:
        if not callable(self.default) and self._option_problem(self.default):
            raise ValueError(f"choice {self.name!r}: the default {self._option_problem(self.default)}")

    def default_option(self, settings: Mapping) -> str:
        """Return the default option of a study, as text.

        Parameters
        ----------
        settings : Mapping
            Settings of the study.

        Returns
        -------
        str
            The option.
        """
        return option_text(self.default(settings) if callable(self.default) else self.default)

    def find_problems(self, options: Sequence, default: str) -> Iterator[str]:
        """Yield what is wrong with the options that a study names.

        Parameters
        ----------
        options : Sequence
            Options of the configuration.
        default : str
            The default option, as text.

        Yields
        ------
        str
            A clause for each problem.
        """
        for option in options:
            if problem := self._option_problem(option):
                yield f"the option {problem}"
        # The default is what every other option is compared with.
        if default not in map(option_text, options):
            yield f"its default, {default}, is missing: name it too"

    def _option_problem(self, option: object) -> str:
        if self.options is None:
            # A choice without a list of options takes any number from 0 on, such as a threshold or a share.
            is_number = isinstance(option, Real) and not isinstance(option, bool) and option >= 0
            return "" if is_number or option == self.default else f"{option!r} is not a number"
        is_known = option_text(option) in self.options
        return "" if is_known else f"{option!r} is not known; known are {', '.join(self.options)}"


def option_text(option: str | float) -> str:
    """Write an option as specifications name it: 1e-05, 0.06, 1000.

    Parameters
    ----------
    option : str or float
        Word or number.

    Returns
    -------
    str
        The text.
    """
    return option if isinstance(option, str) else f"{option:g}"


class Specifications:
    """The choices of a study: their options, their defaults, and the names of specifications.

    Parameters
    ----------
    settings : mapping
        Part of the configuration of the study; without the key ``multiverse`` each choice has its default
        only.
    choices : iterable of Choice
    """

    def __init__(self, choices: Iterable[Choice], settings: Mapping) -> None:
        options = settings.get("multiverse", {}).get("choices", {})
        self.choices = {choice.name: choice for choice in choices}
        self.defaults = {name: choice.default_option(settings) for name, choice in self.choices.items()}
        self.options = {
            name: list(map(option_text, options.get(name, [default])))
            for name, default in self.defaults.items()
        }

    def alternatives(self, choice: str) -> list[str]:
        """List the options of a choice without its default.

        Parameters
        ----------
        choice : str
            Name of the choice.

        Returns
        -------
        list[str]
            The options; none if the paper does not have the choice.
        """
        return [option for option in self.options.get(choice, ()) if option != self.defaults[choice]]

    def cross_options(self, *names: str) -> list[dict[str, str]]:
        """List all combinations of the options of some choices.

        Parameters
        ----------
        *names : str
            Names of the choices.

        Returns
        -------
        list[dict[str, str]]
            An option of each choice, for each combination.
        """
        return [
            dict(zip(names, options, strict=True)) for options in product(*(self.options[n] for n in names))
        ]

    def identify(self, options: Mapping[str, str]) -> dict:
        """Return name and number of changes of the specification with these options, else the defaults.

        Parameters
        ----------
        options : Mapping[str, str]
            Choice -> option.

        Returns
        -------
        dict
            The columns specification and changes.

        Raises
        ------
        KeyError
            If there is no such choice.
        """
        changes = [n for n in self.choices if n in options and options[n] != self.defaults[n]]
        if set(options) - set(self.choices):
            raise KeyError(f"no such choice: {', '.join(sorted(set(options) - set(self.choices)))}")
        # In the order of the choices, so that a combination has one name.
        name = "; ".join(f"{choice}={options[choice]}" for choice in changes) or DEFAULT
        return {"specification": name, "changes": len(changes)}


def require_specifications(present: Iterable, required: Iterable, file_name: str) -> None:
    """Check that the fits of all specifications are there.

    Parameters
    ----------
    present : Iterable
        Specifications, as tuples, that have fits.
    required : Iterable
        Specifications, as tuples, that must have them.
    file_name : str
        File of the fits, for the message.

    Raises
    ------
    ResultsError
        If one is missing; the message names the first.
    """
    present = set(present)
    for specification in required:
        if specification not in present:
            values = ", ".join(map(str, specification))
            raise ResultsError(
                f"{file_name} holds no fit of the specification ({values}): delete the file and run the "
                f"rule that "
                "writes it."
            )


def changed_options(specification: str) -> dict[str, str]:
    """Return the options that a specification changes: ``features=scaled; stop=combined`` -> a dictionary.

    Parameters
    ----------
    specification : str
        Name of the specification.

    Returns
    -------
    dict[str, str]
        Choice -> option; empty for the default one.
    """
    return {} if specification == DEFAULT else dict(pair.split("=", 1) for pair in specification.split("; "))


def complete_specifications(outcomes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split the outcomes by specification, and complete each.

    A specification has rows only for the data sets and methods that its changes affect. The other rows come
    from the specification that has them and shares most of its changes; the default one comes last.

    Parameters
    ----------
    outcomes : pd.DataFrame
        Table with the columns specification, dataset, method, split and the metrics.

    Returns
    -------
    dict[str, pd.DataFrame]
        Specification -> its rows.
    """
    rows_of = outcomes.groupby("specification", sort=False).indices
    changes = {specification: set(changed_options(specification).items()) for specification in rows_of}
    # a number for each pair of a data set and a method
    pair_number = outcomes.groupby(["dataset", "method"], sort=False).ngroup().to_numpy()
    complete = {}
    for specification in rows_of:
        # A specification inherits what it does not change: the rows of the largest subset of its changes that
        # has any, for each data set and method. So a pair of changes that affects one method needs fits of
        # this method alone.
        candidates = [candidate for candidate in rows_of if changes[candidate] <= changes[specification]]
        parts, is_seen = [], np.zeros(len(outcomes), dtype=bool)
        for candidate in sorted(candidates, key=lambda candidate: -len(changes[candidate])):
            rows = rows_of[candidate][~is_seen[pair_number[rows_of[candidate]]]]
            parts.append(rows)
            is_seen[pair_number[rows]] = True
        complete[specification] = outcomes.take(np.concatenate(parts)).reset_index(drop=True)
    return complete


def aggregate_splits(outcomes: pd.DataFrame, quantities: Sequence[str]) -> pd.DataFrame:
    """Average outcomes over splits.

    Parameters
    ----------
    outcomes : pd.DataFrame
        Table with the columns of `OUTCOME_KEY`, ``zero_model``, and one column a quantity.
    quantities : Sequence[str]
        Names of these columns.

    Returns
    -------
    pd.DataFrame
        One row a specification, data set, method and quantity: ours_mean, ours_std (of one split: NaN),
        splits, zero_models, default_mean and default_std. Where the default specification has a number, only
        splits on which it has one count.
    """
    key = ["specification", "changes", "dataset", "method"]
    long = outcomes.melt([*key, "split", "zero_model"], list(quantities), "quantity", "value")
    long = long[long["value"].notna()]
    split_key = ["dataset", "method", "split", "quantity"]
    # The default beside each row on the same split: an option may have been run on fewer splits.
    default = long.loc[long["specification"] == DEFAULT, [*split_key, "value"]]
    long = long.merge(default.rename(columns={"value": "of_default"}), on=split_key, how="left")
    # Only splits on which the default has a number, so that both means are over the same ones; without a
    # default at all, over those that there are.
    has_default = long.groupby(["dataset", "method", "quantity"])["of_default"].transform("count") > 0
    long = long[long["of_default"].notna() | ~has_default]
    groups = long.groupby([*key, "quantity"], sort=False)
    means = groups["value"].agg(ours_mean="mean", ours_std="std", splits="count")
    paired = groups["of_default"].agg(default_mean="mean", default_std="std")
    return means.assign(zero_models=groups["zero_model"].sum()).join(paired).reset_index()


def multiverse_table(study: str, outcomes: pd.DataFrame, published: pd.DataFrame | None) -> pd.DataFrame:
    """Set every published result beside ours in every specification.

    Parameters
    ----------
    study : str
        Name of the study.
    outcomes : pd.DataFrame
        See `aggregate_splits`; its other columns are no quantities.
    published : pd.DataFrame
        Rows of `published_values.read_published_values`. None: the rows are those of our results.

    Returns
    -------
    pd.DataFrame
        The columns of `MULTIVERSE_COLUMNS`. A published number without a result of ours has one row, of the
        default specification, without a number.
    """
    quantities = [name for name in outcomes.columns if name not in (*OUTCOME_KEY, "zero_model", "status")]
    ours = aggregate_splits(outcomes, quantities)
    if published is None:
        table = ours.assign(artefact="none", published=np.nan, published_std=np.nan)
    else:
        columns = {"number": "published", "deviation": "published_std"}
        results = published[published["quantity"].isin(quantities)].rename(columns=columns)
        results = results[["artefact", "dataset", "method", "quantity", "published", "published_std"]]
        # From the left: a published number without one of ours keeps its row.
        table = results.merge(ours, on=["dataset", "method", "quantity"], how="left")
        table["specification"] = table["specification"].fillna(DEFAULT)
        table = table.fillna({"changes": 0, "splits": 0, "zero_models": 0})
    counts = dict.fromkeys(("changes", "splits", "zero_models"), int)
    return table.assign(study=study)[list(MULTIVERSE_COLUMNS)].astype(counts)
