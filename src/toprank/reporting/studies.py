"""What is shown of a study, by its protocol: its table, its figures, its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from . import figures, infinite_push, push_figures, push_findings, top_ranking, top_ranking_latex
from . import findings as top_ranking_findings
from .inputs import read_fits, read_published
from .tables import Form


@dataclass(frozen=True)
class Protocol:
    """How the tables of one protocol are made and read.

    Attributes
    ----------
    form : Form
        Of Table 1.
    table1 : callable
        Makes it.
    latex : callable
        Writes it as LaTeX.
    published : callable
        Reads the printed numbers.
    panels : pair of figures.Panel
        Of the figure of Table 1.
    """

    form: Form
    table1: Callable
    latex: Callable
    published: Callable
    panels: tuple[figures.Panel, figures.Panel]


PROTOCOLS = {
    "top_ranking": Protocol(
        top_ranking.TABLE1,
        top_ranking.table1,
        top_ranking_latex.latex_table1,
        read_published,
        figures.TOP_RANKING,
    ),
    "infinite_push": Protocol(
        infinite_push.TABLE1,
        infinite_push.table1,
        infinite_push.latex_table1,
        infinite_push.read_published,
        figures.INFINITE_PUSH,
    ),
}


@dataclass(frozen=True)
class Drawing:
    """A figure on the page.

    Attributes
    ----------
    title, caption : str
    svg : str
        A whole SVG file.
    description : str
        The words that stand for it where it is not seen.
    """

    title: str
    caption: str
    svg: str
    description: str


@dataclass(frozen=True)
class StudyReport:
    """All that the page shows of one study.

    Attributes
    ----------
    name, protocol : str
    fits, table, comparison : pandas.DataFrame
        Rows of `inputs.read_fits`, of Table 1, and of `comparison.compare`.
    drawings : list of Drawing
        The first one is that of Table 1.
    findings : list of str
        Sentences shown above the table.
    """

    name: str
    protocol: str
    fits: pd.DataFrame
    table: pd.DataFrame
    comparison: pd.DataFrame
    drawings: list[Drawing]
    findings: list[str] = field(default_factory=list)


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
        The study's results: fits.csv, table1.csv, figure_table1.svg, and what its protocol adds.
    published : str or None
        The file of printed numbers.
    comparison : pandas.DataFrame, optional
        Rows of all studies.

    Returns
    -------
    StudyReport
    """
    by_name = {Path(file).name: Path(file) for file in files}
    kind = PROTOCOLS[protocol]
    fits, table = read_fits(by_name["fits.csv"]), kind.form.read(by_name["table1.csv"])
    drawings = [
        Drawing(
            "Figure of Table 1",
            "Filled: ours. Open diamonds: printed, if any. Bars: one standard deviation over the splits, cut "
            "where they would pass below zero. Counts are linear below 1 and logarithmic above, seconds are "
            "logarithmic.",
            by_name["figure_table1.svg"].read_text(encoding="utf-8"),
            figures.describe_figure(table, kind.panels),
        )
    ]
    if protocol == "top_ranking":
        said = top_ranking_findings.findings(fits, table, kind.published(published))
    else:
        more, said = _infinite_push(fits, table, by_name)
        drawings += more
    rows = pd.DataFrame() if comparison is None else comparison[comparison["study"] == name]
    return StudyReport(name, protocol, fits, table, rows, drawings, said)


def _infinite_push(
    fits: pd.DataFrame, table: pd.DataFrame, files: Mapping[str, Path]
) -> tuple[list[Drawing], list[str]]:
    """Figures 1 to 3 and the paths of R12, as far as the study has them, and the findings."""
    tables = {name: pd.read_csv(files[name]) for name in FIGURE_TABLES if name in files}
    drawings = []
    for name, (title, caption, describe) in FIGURE_TABLES.items():
        if name in tables:
            svg = files[Path(name).with_suffix(".svg").name].read_text(encoding="utf-8")
            drawings.append(Drawing(title, caption, svg, describe(tables[name])))
    for name, file in sorted(files.items()):
        if name.startswith("path_") and name.endswith(".svg"):
            dataset = file.stem.removeprefix("path_")
            drawings.append(
                Drawing(
                    f"Regularisation path on {dataset}",
                    "Weights (or the norms of groups of weights) of the certified optimum on the first split "
                    "against the share of λ_max, those that enter first in colour; below, what they are "
                    "worth. Beyond the paper.",
                    file.read_text(encoding="utf-8"),
                    f"Regularisation path of the infinite push on {dataset}: weights, and below the rate at "
                    "the top.",
                )
            )
    toy, times = tables.get("figure1.csv"), tables.get("figure3.csv")
    return drawings, push_findings.findings(fits, table, toy, times)


FIGURE_TABLES = {
    "figure1.csv": (
        "Figure 1: rate at the top on the toy problem",
        "Mean over the trials and its standard error (band). Below, in the colour of the method, stand "
        "the two-sided p-values of the Wilcoxon signed-rank test against the ℓ₁ infinite push. The numbers "
        "of rows and the Wishart distribution are declared.",
        push_figures.describe_figure1,
    ),
    "figure2.csv": (
        "Figure 2: retrieval of the relevant features",
        "Mean over the trials and its standard error (band). The ℓ₂ infinite push uses all features: its "
        "precision is the share of relevant ones.",
        push_figures.describe_figure2,
    ),
    "figure3.csv": (
        "Figure 3: running time",
        "Median time of a fit against the number of pairs, and the exponent p of the larger half of the "
        "sizes. Algorithm 1 runs on the pairs, to a relative duality gap of 1e-3; the exact solver and "
        "RankSVM never form a pair and run to 1e-8 (beyond the paper). Open markers: stopped by the limit.",
        push_figures.describe_figure3,
    ),
}
"""Table behind a figure of R12 -> title, caption, and the function that says what it shows."""
