"""A study as the page and the comparison see it: its paper, tables and figures."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reproduction.comparison.table import Comparison
from reproduction.core.results import STATUS_NOT_OBTAINED, is_empty, missing_reason
from reproduction.plotting.messages import state_message
from reproduction.reporting.standard_artefacts import COMPARISON_FIGURES
from reproduction.specs.paper import PLACEHOLDER_TEXT_ID, Figure, Paper, import_object
from reproduction.specs.study_results import Study
from reproduction.specs.table_views import View


@dataclass(frozen=True)
class Drawing:
    """A figure as a reader sees it.

    Attributes
    ----------
    svg : str
        A whole SVG file.
    description : str
        The words that stand for it where it is not seen.
    data : str
        What is drawn, as CSV text; empty where the figure draws no data.
    name, of_cost
        As `specs.paper.Figure` has them.
    title, caption : str
    message : str
        What it shows, in one sentence.
    """

    title: str
    caption: str
    message: str
    svg: str
    description: str
    name: str
    data: str = ""
    of_cost: bool = False


@dataclass(frozen=True)
class StudyReport:
    """All that the page shows of one study.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
        By the names of their files.
    comparison : Comparison
        What its paper prints beside ours.
    claims : pandas.DataFrame
        Its rows of the claims.
    fits, queries, provenance
        As `specs.study_results.Study` has them.
    name : str
    paper : Paper
    drawings : list of Drawing
    published_file : Path, optional
        The file of the numbers that its paper prints.
    has_group_splits : bool
        Whether no group of rows is in more than one part of a split.
    """

    name: str
    paper: Paper
    fits: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    comparison: Comparison
    drawings: list[Drawing]
    published_file: Path | None = None
    queries: pd.DataFrame | None = None
    claims: pd.DataFrame = field(default_factory=pd.DataFrame)
    provenance: pd.DataFrame | None = None
    has_group_splits: bool = False

    @property
    def has_missing_data(self) -> bool:
        """Whether a data set that it asked for was not obtained."""
        return bool((self.fits["status"] == STATUS_NOT_OBTAINED).any())

    def is_shown(self, name: str) -> bool:
        """Return whether a table is shown: it is not where it is empty though no data are missing.

        Parameters
        ----------
        name : str
            Name of the table.

        Returns
        -------
        bool
        """
        return self.has_missing_data or name not in self.tables or not is_empty(self.tables[name])

    @property
    def views(self) -> list[View]:
        """How its tables are seen: the view of each table, then the paper's further ones."""
        return [*(table.view for table in self.paper.tables if table.view), *self.paper.views]

    def label_artefact(self, name: str) -> str:
        """Name a published table or figure as its paper does: by the title of ours, up to a colon.

        Parameters
        ----------
        name : str
            Name of the table or figure.

        Returns
        -------
        str
            For instance "Table IV"; of one that we do not make, its name with the number apart.
        """
        titles = {record.name: record.title for record in (*self.paper.figures, *self.views)}
        # a table that the study does not have: "table3" becomes "Table 3"
        return titles.get(name, re.sub(r"(\d+)$", r" \1", name).capitalize()).partition(":")[0]

    @property
    def title(self) -> str:
        """Of its paper; any other study goes by its name, after the question if that is no paper's."""
        if self.name == self.paper.name:
            return self.paper.title
        is_published = self.paper.published_values is not None
        return self.name if is_published else f"{self.paper.title} ({self.name})"


def build_study_report(
    study: Study, comparison: Comparison | None = None, claims: pd.DataFrame | None = None
) -> StudyReport:
    """Read what the page shows of a study.

    Parameters
    ----------
    study : Study
        The study with the files of its tables and figures.
    comparison : Comparison, optional
        The comparison of all studies.
    claims : pandas.DataFrame, optional
        Rows of claims.csv of all studies.

    Returns
    -------
    StudyReport
        The study with its tables, drawings, comparison and claims.
    """
    # the tables of this run: a partial one has fewer
    tables = {
        record.name: study.table(record.name)
        for record in study.paper.tables_of(study.settings)
        if study.file(f"{record.name}.csv")
    }
    figures = [*study.paper.figures_of(study.settings), *COMPARISON_FIGURES]
    claim_rows = pd.DataFrame() if claims is None else claims[claims["study"] == study.name]
    return StudyReport(
        study.name,
        study.paper,
        study.fits,
        tables,
        (comparison or Comparison()).select_study(study.name),
        [read_drawing(study, figure) for figure in figures if _is_shown(study, figure)],
        study.published_file,
        study.queries,
        claim_rows,
        study.provenance if study.file("provenance.csv") else None,
        bool(study.settings.get("group_splits")),
    )


def _is_shown(study: Study, figure: Figure) -> bool:
    """Whether a figure shows something, or says which of the data asked for were not obtained."""
    file = study.file(f"{figure.name}.svg")
    if file is None or study.has_missing_data:
        return file is not None
    tables = [study.table(name) for name in figure.tables]
    # a figure without data is a sentence with this id
    is_drawn = f'id="{PLACEHOLDER_TEXT_ID}"' not in file.read_text(encoding="utf-8")
    return is_drawn or bool(tables and missing_reason(tables[0]))


def read_drawing(study: Study, figure: Figure) -> Drawing:
    """Read a figure, with its alternative text and the data that it draws.

    Parameters
    ----------
    study : Study
        The study with the files of its tables and figures.
    figure : Figure
        The record of the figure.

    Returns
    -------
    Drawing
        The figure as SVG, its words, and its data as CSV text (empty where there are none).
    """
    tables = [study.table(name) for name in figure.tables]
    # the alternative text is a function of the tables, or a fixed sentence
    alt_text, reason = figure.alt_text, missing_reason(tables[0]) if tables else ""
    if reason:
        alt_text = f"Not obtained: {reason}"
    elif ":" in alt_text and " " not in alt_text:
        alt_text = import_object(alt_text)(*tables, **figure.options)
    if figure.plot_data and not reason:
        data = format_plot_data(import_object(figure.plot_data)(*tables, **figure.options))
    else:
        file = study.file(f"{figure.tables[0]}.csv") if figure.tables else None
        data = file.read_text(encoding="utf-8") if file else ""
    svg = (
        study.file(f"{figure.name}.svg")
        .read_text(encoding="utf-8")
        .replace(f' id="{PLACEHOLDER_TEXT_ID}"', "")
    )
    message = state_message(figure, tables)
    return Drawing(figure.title, figure.caption, message, svg, alt_text, figure.name, data, figure.of_cost)


def format_plot_data(table: pd.DataFrame) -> str:
    """Write what a figure draws as CSV, with as many digits as can be seen.

    Parameters
    ----------
    table : pandas.DataFrame
        The data of the figure.

    Returns
    -------
    str
    """
    return table.to_csv(index=False, float_format="%.4g", lineterminator="\n")
