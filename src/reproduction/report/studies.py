"""What is shown of a study, by its protocol: its table, its figures, its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from reproduction.comparison.counts import compare_counts, rows_of_training_parts
from reproduction.comparison.verdicts import compare
from reproduction.papers.kadkhodaie2015 import claims, convergence, dirty_model, scale, suboptimality
from reproduction.papers.kadkhodaie2015 import findings as top_ranking_findings
from reproduction.papers.kadkhodaie2015 import latex as top_ranking_latex
from reproduction.papers.kadkhodaie2015 import table1 as top_ranking_table1
from reproduction.papers.kadkhodaie2015.mark_comparison import compare_marks
from reproduction.papers.laporte2014 import comparison as query_comparison
from reproduction.papers.laporte2014 import findings as query_findings
from reproduction.papers.laporte2014 import inputs as query_inputs
from reproduction.papers.laporte2014 import significance as query_significance
from reproduction.papers.laporte2014 import tables as query_tables
from reproduction.papers.rakotomamonjy2012 import findings as push_findings
from reproduction.papers.rakotomamonjy2012 import table1 as push_table1
from reproduction.printed import read_printed
from reproduction.report import table1_figure
from reproduction.report.drawings import (
    INFINITE_PUSH_FIGURES,
    QUERY_FURTHER,
    TOP_RANKING_FIGURES,
    Drawing,
    as_text,
    critical_difference,
    drawn,
    drawn_of_queries,
    drawn_paths,
    printed_measured,
)
from reproduction.report.method_statistics import pairs as method_pairs
from reproduction.report.method_statistics import ranks as method_statistics
from reproduction.results import read_fits
from reproduction.tables import Form


@dataclass(frozen=True)
class Table1Protocol:
    """How the Table 1 of a protocol is made and read, and what is shown beside it.

    Attributes
    ----------
    form : Form
        Of Table 1.
    table1 : callable
        Makes it.
    latex : callable
        Writes it as LaTeX.
    panels : pair of table1_figure.Panel
        Of the figure of Table 1.
    beside : callable
        Fits, Table 1 and files of the study -> further tables, drawings and the findings.
    claims : callable, optional
        Name of the study and its further tables -> what the paper says of its figures, as rows of the
        comparison.
    marks : callable, optional
        Table 1 -> the printed marks beside ours, as rows of the comparison.
    meanings : mapping, optional
        What the printed counts count, as for `compare_counts`.
    """

    form: Form
    table1: Callable
    latex: Callable
    panels: tuple[table1_figure.Panel, table1_figure.Panel]
    beside: Callable
    claims: Callable | None = None
    marks: Callable | None = None
    meanings: Mapping | None = None

    def compare(
        self, study: str, files: Mapping[str, Path], published: str | None, data: pd.DataFrame
    ) -> pd.DataFrame:
        """Set the printed numbers beside ours.

        Parameters
        ----------
        study : str
        files : mapping of str to Path
            Its tables, by name; fits.csv where the sizes of its training parts are printed.
        published : str or None
            The file of printed numbers.
        data : pandas.DataFrame
            Rows of `inputs.read_data`.
        """
        table, printed = self.form.read(files["table1.csv"]), read_printed(published)
        rows = [compare(table)]
        if printed is None:
            return rows[0]
        sizes = rows_of_training_parts(read_fits(files["fits.csv"])) if "fits.csv" in files else None
        rows.append(compare_counts(study, printed, data, sizes, self.meanings))
        if self.marks is not None:
            rows.append(self.marks(table))
        if self.claims is not None:
            names = (name for name in files if name not in ("table1.csv", "fits.csv"))
            rows.append(self.claims(study, {Path(name).stem: pd.read_csv(files[name]) for name in names}))
        return pd.concat(rows, ignore_index=True)

    def read(self, files: Mapping[str, Path]) -> tuple:
        """Read fits, tables, drawings and findings."""
        fits, table = read_fits(files["fits.csv"]), self.form.read(files["table1.csv"])
        drawing = Drawing(
            "Figure of Table 1",
            "Methods from top to bottom as in the legend. Filled: ours. Open diamonds: printed, if any. "
            "Bars: one standard deviation over the splits, cut where they would pass below zero. Counts are "
            "linear below 1 and logarithmic above, seconds are logarithmic.",
            files["figure_table1.svg"].read_text(encoding="utf-8"),
            table1_figure.describe_figure(table, self.panels),
            "figure_table1",
            as_text(table1_figure.drawn(table, self.panels)),
        )
        tables, drawings, said = self.beside(fits, table, files)
        return fits, {"table1": table, **tables}, [drawing, *drawings], said


class QueryRanking:
    """How the tables of L14 are read and shown."""

    def compare(
        self, study: str, files: Mapping[str, Path], published: str | None, data: pd.DataFrame
    ) -> pd.DataFrame:
        """Set the printed numbers beside ours; the tables hold both."""
        return query_comparison.compare(
            {name: form.read(files[f"{name}.csv"]) for name, form in query_tables.FORMS.items()}
        )

    def read(self, files: Mapping[str, Path]) -> tuple:
        """Read fits, tables, drawings and findings."""
        fits = query_inputs.read_query_fits(files["fits.csv"])
        forms = query_tables.FORMS | {"tests": query_significance.TESTS}
        tables = {name: form.read(files[f"{name}.csv"]) for name, form in forms.items()}
        drawings = drawn_of_queries(tables, files)
        beside, further = drawn(QUERY_FURTHER, files)
        if "queries.csv" in files:
            queries = query_inputs.read_queries(files["queries.csv"])
            beside["short_queries"] = query_inputs.short_queries(queries)
        return fits, tables | beside, drawings + further, query_findings.findings(fits, tables)


@dataclass(frozen=True)
class StudyReport:
    """All that the page shows of one study.

    Attributes
    ----------
    name, protocol : str
    fits : pandas.DataFrame
        The collected fits.
    tables : dict of str to pandas.DataFrame
        Its tables by the names of their files.
    comparison : pandas.DataFrame
        Its rows of the comparison.
    drawings : list of Drawing
    findings : list of str
        Sentences shown above the table.
    published : str or None
        The file of printed numbers.
    """

    name: str
    protocol: str
    fits: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    comparison: pd.DataFrame
    drawings: list[Drawing]
    findings: list[str] = field(default_factory=list)
    published: str | None = None


def read_study(
    name: str,
    protocol: str,
    files: Iterable[str | Path],
    published: str | None,
    comparison: pd.DataFrame | None = None,
) -> StudyReport:
    """Read what is shown of a study.

    Parameters
    ----------
    name : str
    protocol : str
        Key of `PROTOCOLS`.
    files : iterable of path-like
        The study's results: fits.csv, and the tables and figures of its protocol.
    published : str or None
        The file of printed numbers.
    comparison : pandas.DataFrame, optional
        Rows of all studies.

    Returns
    -------
    StudyReport
    """
    by_name = {Path(file).name: Path(file) for file in files}
    fits, tables, drawings, said = PROTOCOLS[protocol].read(by_name)
    tables["errata"] = pd.read_csv(by_name["errata.csv"])
    tables |= _statistics(by_name)
    if "ranks" in tables:
        drawings.append(critical_difference(tables["ranks"], by_name))
    if "printed_measured.svg" in by_name:
        drawings.append(printed_measured(by_name))
    rows = pd.DataFrame() if comparison is None else comparison[comparison["study"] == name]
    return StudyReport(name, protocol, fits, tables, rows, drawings, said, published)


def _statistics(files: Mapping[str, Path]) -> dict[str, pd.DataFrame]:
    """Read the statistics beyond the paper's own, as far as the study has them."""
    forms = {"ranks": method_statistics.RANKS, "pairwise": method_pairs.PAIRWISE}
    return {name: form.read(files[f"{name}.csv"]) for name, form in forms.items() if f"{name}.csv" in files}


def _top_ranking(
    fits: pd.DataFrame, table: pd.DataFrame, files: Mapping[str, Path]
) -> tuple[dict[str, pd.DataFrame], list[Drawing], list[str]]:
    """Figures 1 to 3 of K15 and what goes beyond it, as far as the study has them, and the findings."""
    tables, drawings = drawn(TOP_RANKING_FIGURES, files)
    said = top_ranking_findings.findings(fits, table)
    for block, names in TOP_RANKING_BLOCKS.items():
        if all(name in tables for name in names):
            said += block.findings(*(tables[name] for name in names))
    return tables, drawings, said


def _infinite_push(
    fits: pd.DataFrame, table: pd.DataFrame, files: Mapping[str, Path]
) -> tuple[dict[str, pd.DataFrame], list[Drawing], list[str]]:
    """Figures 1 to 3 and the paths of R12, as far as the study has them, and the findings."""
    tables, drawings = drawn(INFINITE_PUSH_FIGURES, files)
    drawings += drawn_paths(files)
    return tables, drawings, push_findings.findings(fits, table, tables.get("figure1"), tables.get("figure3"))


TOP_RANKING_BLOCKS = {
    dirty_model: ("figure1",),
    convergence: ("figure2", "figure3"),
    suboptimality: ("suboptimality",),
    scale: ("scale",),
}
"""Module whose ``findings`` speak of one block of a study -> the tables that it asks for."""

PROTOCOLS = {
    "top_ranking": Table1Protocol(
        top_ranking_table1.TABLE1,
        top_ranking_table1.table1,
        top_ranking_latex.latex_table1,
        table1_figure.TOP_RANKING,
        _top_ranking,
        claims=claims.claims,
        marks=compare_marks,
    ),
    "infinite_push": Table1Protocol(
        push_table1.TABLE1,
        push_table1.table1,
        push_table1.latex_table1,
        table1_figure.INFINITE_PUSH,
        _infinite_push,
        meanings=push_table1.MEANINGS,
    ),
    "query_ranking": QueryRanking(),
}
