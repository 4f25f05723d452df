"""The records that describe a paper: `Paper`, with its tables, figures and experiments.

The workflow, the renderers and the page read these records; none of them names a paper. A function that draws
a figure or runs an experiment is given as text, "module:function": so only a job that draws imports
Matplotlib, and the digest of a job covers the code of that job alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from reproduction.specs.metrics import Metric
    from reproduction.specs.multiverse import Choice
    from reproduction.specs.table_views import View

PLACEHOLDER_TEXT_ID = "words-only"
"""Id, in the SVG file of a figure that draws nothing, of the sentence that says why."""

PART_PLACEHOLDER = "{part}"
"""Placeholder in a name for the part of an experiment that a table or a figure shows."""


def import_object(named: str) -> Any:
    """Import what a text names.

    Parameters
    ----------
    named : str
        "module:name".

    Returns
    -------
    Any
    """
    module, _, name = named.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True)
class Table:
    """A table: how its rows are made, and how they are written.

    Attributes
    ----------
    name : str
        Name of its files, without a suffix.
    make : callable
        `study_results.Study`, and the part where the name holds `PART_PLACEHOLDER`, -> rows.
    form : object with ``write(rows, path)`` and ``read(path)``
        The columns of its CSV file: a `csv_tables.TypedCsv`, or `csv_tables.PlainCsv`.
    latex : callable, optional
        Rows, as `form` reads them, -> LaTeX, where its `view` is not written as LaTeX.
    caption : str
        Stands in its LaTeX as a comment; a table that may break over pages brings its own.
    as_text : bool
        Whether `latex` takes the cells as they stand in the CSV file.
    compared : bool
        Whether published numbers or sentences are set beside it.
    view : table_views.View, optional
        How a reader sees it, in LaTeX and on the page.
    """

    name: str
    make: Callable[..., pd.DataFrame]
    form: Any
    latex: Callable[[pd.DataFrame], str] | None = None
    caption: str = ""
    as_text: bool = False
    compared: bool = False
    view: View | None = None

    @property
    def has_latex(self) -> bool:
        """Whether it is written as LaTeX."""
        return self.view is not None or self.latex is not None


@dataclass(frozen=True)
class Figure:
    """A figure: what it is drawn from, by what, and the words that stand around it.

    Attributes
    ----------
    name : str
        Name of its files, without a suffix.
    title, caption : str
        Heading of the figure on the page, and the words below it.
    tables : tuple of str
        Names of the tables that it is drawn from; they are the arguments of the four functions.
    draw : str
        "module:function" -> a Matplotlib figure.
    alt_text : str
        Likewise -> the words that stand for the figure where it is not seen; or these words themselves.
    message : str
        Likewise -> one sentence: what the figure shows, with numbers of what it draws.
    plot_data : str
        Likewise -> what it draws as rows; empty where that is its first table.
    options : mapping
        Further arguments of the four, by name.
    of_cost : bool
        Whether it stands in the part of the page on cost.
    """

    name: str
    title: str
    caption: str
    tables: tuple[str, ...]
    draw: str
    alt_text: str
    message: str
    plot_data: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    of_cost: bool = False


@dataclass(frozen=True)
class Experiment:
    """An optional part of a study, with its tables and figures: a key of the study's configuration.

    Attributes
    ----------
    name : str
        The key.
    tables, figures : tuple of Table, tuple of Figure
        One whose name holds `PART_PLACEHOLDER` is there once for each part.
    run : str
        "module:function" that runs one part; empty where the tables are made of the study's fits. It is
        called with ``settings``, ``part``, ``splits`` (a `SplitData` each), ``seed``, ``study`` and ``fits``,
        and yields pairs of a table's name and a row.
    parts : callable
        Settings of the study -> names of the parts, a job each.
    settings : callable
        Settings of the study and a part -> all that the results depend on.
    split_inputs : callable
        Settings of the study and a part -> pairs of a data set and the number of a split that is read.
    fits : callable
        Settings of the study and a part -> triples of a data set, a feature scaling and a method, whose fits
        the experiment reads; their files are passed to `run` as ``fits``.
    bandwidth : bool
        Whether the memory bandwidth bounds the times that it measures.
    memory : callable, optional
        Settings of the study and a part -> megabytes, where they are more than a job's usual ones.
    """

    name: str
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    run: str = ""
    parts: Callable[[Mapping], Sequence[str]] = lambda study: ("all",)
    settings: Callable[[Mapping, str], Mapping] | None = None
    split_inputs: Callable[[Mapping, str], Sequence[tuple[str, int]]] = lambda study, part: ()
    fits: Callable[[Mapping, str], Sequence[tuple[str, str, str]]] = lambda study, part: ()
    bandwidth: bool = False
    memory: Callable[[Mapping, str], float] | None = None

    def cache_key(self, study: Mapping, part: str) -> Mapping:
        """Return all settings that the results of a part depend on, by default the experiment's own.

        Parameters
        ----------
        study, part : Mapping, str
            Settings of the study, and name of the part.

        Returns
        -------
        Mapping
        """
        return study[self.name] if self.settings is None else self.settings(study, part)


@dataclass(frozen=True)
class Paper:
    """A paper, or a question that no paper asks: how its studies run, and what they show.

    What only a paper has, its published numbers and their comparison, may be left out.

    Attributes
    ----------
    name : str
        Of its folder, and of the study that reproduces it.
    title, authors, venue, citation : str
        Bibliographic data; `citation` is the short form in running text.
    message : str
        The claim of the paper, in one sentence.
    methods : tuple of str
        Those that it compares, in its order.
    search : str
        Module whose ``run`` searches on the folds of a split.
    queries : bool
        Whether it ranks within queries; otherwise one list a data set.
    mixed : bool
        Whether its data sets may be lists and queries side by side.
    choices : tuple of multiverse.Choice
        What the paper leaves open.
    outcomes : str
        "module:function": study -> one row a specification, data set, method and split, see `multiverse`.
    splits : callable
        Settings of a study and a data set -> how its splits are drawn: ``kind`` and what that depends on.
    fits : tuple of str
        Columns of the rows of its fits.
    metrics : tuple of Metric
        Metrics by which its methods are compared.
    tests : str
        Which statistical tests are the paper's own, and where they stand.
    tables, figures, experiments : tuple of Table, tuple of Figure, tuple of Experiment
        Tables and figures of each of its studies, and the experiments that some of them have.
    order, extra_artefacts : tuple of str
        Names of its tables and figures in the order of the publication, and of what the page shows after
        them, before the other figures.
    views : tuple of table_views.View
        What the page shows of its tables beside their own views, for `order` and `extra_artefacts`.
    compare : str
        Likewise: study -> its published numbers beside ours, a comparison of `reproduction.comparison`.
    claims : str
        "module:tuple" of `comparison.claims.Claim`: its sentences that could be false.
    published_values : Path, optional
        The file of its published numbers.
    address : str
        Of its page at the publisher, where that is known.
    costs : tuple of table_views.View
        What is shown of cost; empty where the seconds of the fits are all.
    recommend : str
        Likewise: tables of the study -> sentences with its advice, with which its section begins.
    published_splits : int
        How many random splits its published means are over; 0 where its folds are fixed.
    """

    name: str
    title: str
    authors: str
    venue: str
    citation: str
    message: str
    methods: tuple[str, ...]
    search: str
    queries: bool
    splits: Callable[[Mapping, str], Mapping]
    fits: tuple[str, ...]
    metrics: tuple[Metric, ...]
    tests: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    experiments: tuple[Experiment, ...]
    order: tuple[str, ...]
    extra_artefacts: tuple[str, ...]
    claims: str = ""
    compare: str = ""
    published_values: Path | None = None
    published_splits: int = 0
    mixed: bool = False
    choices: tuple[Choice, ...] = ()
    outcomes: str = ""
    views: tuple[View, ...] = ()
    costs: tuple[View, ...] = ()
    address: str = ""
    recommend: str = ""

    def experiments_of(self, settings: Mapping) -> list[Experiment]:
        """List the experiments that a study has, by its settings.

        Parameters
        ----------
        settings : Mapping

        Returns
        -------
        list of Experiment
        """
        return [experiment for experiment in self.experiments if settings.get(experiment.name)]

    def experiment(self, name: str) -> Experiment:
        """Find an experiment by its name.

        Parameters
        ----------
        name : str

        Returns
        -------
        Experiment
        """
        return next(experiment for experiment in self.experiments if experiment.name == name)

    def tables_of(self, settings: Mapping) -> list[Table]:
        """List the tables of a study, the paper's own and those of its experiments, as they are made.

        Parameters
        ----------
        settings : Mapping

        Returns
        -------
        list of Table
        """
        return [*self.tables, *self._experiment_artefacts(settings, "tables")]

    def figures_of(self, settings: Mapping) -> list[Figure]:
        """List the figures of a study, the paper's own and those of its experiments.

        Parameters
        ----------
        settings : Mapping

        Returns
        -------
        list of Figure
        """
        return [*self.figures, *self._experiment_artefacts(settings, "figures")]

    def _experiment_artefacts(self, settings: Mapping, kind: str) -> Iterator:
        for experiment in self.experiments_of(settings):
            for artefact in getattr(experiment, kind):
                parts = experiment.parts(settings) if PART_PLACEHOLDER in artefact.name else [""]
                yield from (instantiate_part(artefact, part) for part in parts)


def instantiate_part(artefact: Table | Figure, part: str) -> Table | Figure:
    """Put the name of a part into a table or figure that is there once for each.

    Parameters
    ----------
    artefact, part : Table or Figure, str
        Table or figure of an experiment, and name of the part.

    Returns
    -------
    Table | Figure
        A copy for this part; the same object where its name has no placeholder.
    """
    if PART_PLACEHOLDER not in artefact.name:
        return artefact
    filled = {"name": artefact.name.replace(PART_PLACEHOLDER, part)}
    if isinstance(artefact, Figure):
        filled |= {"title": artefact.title.replace(PART_PLACEHOLDER, part)}
        filled |= {"alt_text": artefact.alt_text.replace(PART_PLACEHOLDER, part)}
        filled |= {"tables": tuple(name.replace(PART_PLACEHOLDER, part) for name in artefact.tables)}
    else:
        filled |= {"make": lambda study: artefact.make(study, part)}
    return replace(artefact, **filled)
