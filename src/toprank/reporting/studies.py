"""What is shown of a study, by its protocol: its table, its figures, its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from . import (
    claims,
    convergence,
    convergence_figures,
    dirty_model,
    early_stop,
    figures,
    infinite_push,
    method_pairs,
    method_statistics,
    printed_constant,
    printed_figure,
    push_figures,
    push_findings,
    query_comparison,
    query_figures,
    query_findings,
    query_inputs,
    query_ranking,
    query_tests,
    rank_figure,
    scale,
    suboptimality,
    top_ranking,
    top_ranking_latex,
)
from . import findings as top_ranking_findings
from .comparison import compare
from .count_comparison import compare_counts, rows_of_training_parts
from .inputs import read_fits, read_published
from .mark_comparison import compare_marks
from .tables import Form


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
    name : str
        Of its files, without the suffix.
    data : str
        What is drawn, as CSV text; empty where the figure draws no data.
    """

    title: str
    caption: str
    svg: str
    description: str
    name: str
    data: str = ""


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
    published : callable
        Reads the printed numbers.
    panels : pair of figures.Panel
        Of the figure of Table 1.
    beside : callable
        Fits, Table 1 and files of the study -> further tables, drawings and the findings.
    further : tuple of str
        Tables that its studies always have beside Table 1.
    claims : callable, optional
        Name of the study and its further tables -> what the paper says of its figures, as rows of the
        comparison.
    marks : callable, optional
        Table 1 -> the printed marks beside ours, as rows of the comparison.
    """

    form: Form
    table1: Callable
    latex: Callable
    published: Callable
    panels: tuple[figures.Panel, figures.Panel]
    beside: Callable
    further: tuple[str, ...] = ("errata",)
    claims: Callable | None = None
    marks: Callable | None = None

    @property
    def artefacts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the tables and of the figures that each study has."""
        return ("table1", *self.further), ("figure_table1",)

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
        table, printed = self.form.read(files["table1.csv"]), self.published(published)
        rows = [compare(table)]
        if printed is None:
            return rows[0]
        sizes = rows_of_training_parts(read_fits(files["fits.csv"])) if "fits.csv" in files else None
        rows.append(compare_counts(study, printed, data, sizes))
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
            figures.describe_figure(table, self.panels),
            "figure_table1",
            files["table1.csv"].read_text(encoding="utf-8"),
        )
        tables, drawings, said = self.beside(fits, table, files)
        return fits, {"table1": table, **tables}, [drawing, *drawings], said


class QueryRanking:
    """How the tables of L14 are read and shown."""

    artefacts = (
        ("table3", "table4", "table5", "table6", "tests", "errata"),
        ("figure1", "figure2", "figure3"),
    )

    def compare(
        self, study: str, files: Mapping[str, Path], published: Mapping | None, data: pd.DataFrame
    ) -> pd.DataFrame:
        """Set the printed numbers beside ours; the tables hold both."""
        return query_comparison.compare(
            {name: form.read(files[f"{name}.csv"]) for name, form in query_ranking.FORMS.items()}
        )

    def read(self, files: Mapping[str, Path]) -> tuple:
        """Read fits, tables, drawings and findings."""
        fits = query_inputs.read_query_fits(files["fits.csv"])
        forms = query_ranking.FORMS | {"tests": query_tests.TESTS}
        tables = {name: form.read(files[f"{name}.csv"]) for name, form in forms.items()}
        described = (
            query_figures.describe_figure1(),
            query_figures.describe_figure2(tables["table4"]),
            query_figures.describe_figure3(tables["table5"]),
        )
        data = {
            "figure1": "",  # formulas
            "figure2": as_text(query_figures.drawn_figure2(tables["table4"])),
            "figure3": as_text(query_figures.drawn_figure3(tables["table4"], tables["table5"])),
        }
        drawings = [
            Drawing(
                title,
                caption,
                files[f"{name}.svg"].read_text(encoding="utf-8"),
                words,
                name,
                data[name],
            )
            for (name, (title, caption)), words in zip(QUERY_FIGURES.items(), described, strict=True)
        ]
        beside, further = _drawn(QUERY_FURTHER, files)
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
    published : str, mapping of str to str, or None
        The file of printed numbers, or several by the names of their tables.
    """

    name: str
    protocol: str
    fits: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    comparison: pd.DataFrame
    drawings: list[Drawing]
    findings: list[str] = field(default_factory=list)
    published: str | Mapping[str, str | None] | None = None


def read_study(
    name: str,
    protocol: str,
    files: Iterable[str | Path],
    published: str | Mapping[str, str | None] | None,
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
    published : str, mapping of str to str, or None
        The file of printed numbers, or several by the names of their tables.
    comparison : pandas.DataFrame, optional
        Rows of all studies.

    Returns
    -------
    StudyReport
    """
    by_name = {Path(file).name: Path(file) for file in files}
    fits, tables, drawings, said = PROTOCOLS[protocol].read(by_name)
    tables["errata"] = pd.read_csv(by_name["errata.csv"])
    if "printed_measured.svg" in by_name:
        drawings.append(_printed_measured(by_name))
    tables |= _statistics(by_name)
    if "ranks" in tables:
        drawings = [*drawings, _critical_difference(tables["ranks"], by_name)]
    rows = pd.DataFrame() if comparison is None else comparison[comparison["study"] == name]
    return StudyReport(name, protocol, fits, tables, rows, drawings, said, published)


def _printed_measured(files: Mapping[str, Path]) -> Drawing:
    """Read the figure of printed against measured numbers, with its points."""
    data = files["printed_measured.csv"]
    return Drawing(
        printed_figure.TITLE,
        printed_figure.CAPTION,
        files["printed_measured.svg"].read_text(encoding="utf-8"),
        printed_figure.describe(pd.read_csv(data, na_values="none")),
        "printed_measured",
        data.read_text(encoding="utf-8"),
    )


def _statistics(files: Mapping[str, Path]) -> dict[str, pd.DataFrame]:
    """Read the statistics beyond the paper's own, as far as the study has them."""
    forms = {"ranks": method_statistics.RANKS, "pairwise": method_pairs.PAIRWISE}
    return {name: form.read(files[f"{name}.csv"]) for name, form in forms.items() if f"{name}.csv" in files}


def _critical_difference(ranks: pd.DataFrame, files: Mapping[str, Path]) -> Drawing:
    """Read the diagrams of the mean ranks."""
    return Drawing(
        rank_figure.TITLE,
        rank_figure.CAPTION,
        files["critical_difference.svg"].read_text(encoding="utf-8"),
        rank_figure.describe(ranks),
        "critical_difference",
        files["ranks.csv"].read_text(encoding="utf-8"),
    )


def as_text(table: pd.DataFrame) -> str:
    """Write what a figure draws as CSV, with as many digits as can be seen."""
    return table.to_csv(index=False, float_format="%.4g", lineterminator="\n")


def _drawn(
    known: Mapping[str, tuple[str, str, Callable]], files: Mapping[str, Path]
) -> tuple[dict[str, pd.DataFrame], list[Drawing]]:
    """Read the tables behind a protocol's further figures, as far as the study has them, and the figures."""
    tables = {name: pd.read_csv(files[f"{name}.csv"]) for name in known if f"{name}.csv" in files}
    drawings = [
        Drawing(
            title,
            caption,
            files[f"{name}.svg"].read_text(encoding="utf-8"),
            describe(tables[name]),
            name,
            as_text(DRAWN[describe](tables[name]))
            if describe in DRAWN
            else files[f"{name}.csv"].read_text(encoding="utf-8"),
        )
        for name, (title, caption, describe) in known.items()
        if name in tables
    ]
    return tables, drawings


def _top_ranking(
    fits: pd.DataFrame, table: pd.DataFrame, files: Mapping[str, Path]
) -> tuple[dict[str, pd.DataFrame], list[Drawing], list[str]]:
    """Figures 1 to 3 of K15 and what goes beyond it, as far as the study has them, and the findings."""
    tables, drawings = _drawn(TOP_RANKING_FIGURES, files)
    said = top_ranking_findings.findings(fits, table)
    for block, names in TOP_RANKING_BLOCKS.items():
        if all(name in tables for name in names):
            said += block.findings(*(tables[name] for name in names))
    return tables, drawings, said


def _infinite_push(
    fits: pd.DataFrame, table: pd.DataFrame, files: Mapping[str, Path]
) -> tuple[dict[str, pd.DataFrame], list[Drawing], list[str]]:
    """Figures 1 to 3 and the paths of R12, as far as the study has them, and the findings."""
    tables, drawings = _drawn(INFINITE_PUSH_FIGURES, files)
    for name, file in sorted(files.items()):
        if name.startswith("path_") and name.endswith(".svg"):
            dataset = file.stem.removeprefix("path_")
            numbers = files[f"{file.stem}.csv"], files[f"{file.stem}_weights.csv"]
            drawings.append(
                Drawing(
                    f"Regularisation path on {dataset}",
                    "Weights (or the norms of groups of weights) of the certified optimum on the first split "
                    "against the share of λ_max, those that enter first in colour, the others grey; below, "
                    "the rate at the top (left axis) and how many are used (right axis). Beyond the paper.",
                    file.read_text(encoding="utf-8"),
                    f"Regularisation path of the infinite push on {dataset}: weights, and below the rate at "
                    "the top.",
                    file.stem,
                    as_text(push_figures.drawn_path(*map(pd.read_csv, numbers))),
                )
            )
    return tables, drawings, push_findings.findings(fits, table, tables.get("figure1"), tables.get("figure3"))


STATISTICS = (("ranks", "pairwise"), ("critical_difference",))
"""Names of the tables and of the figures that every study has, whatever its protocol."""

TOP_RANKING_FIGURES: dict[str, tuple[str, str, Callable]] = {
    "figure1": (
        "Figure 1: the dirty model with elastic nets",
        "Medians over the draws, with the 10th to 90th percentile (band); gaps in absolute value and over "
        "that at the first iteration, as in the paper. F(x_k, y_k) may lie below F*, since its constraint "
        "does not hold; dashed: F(x_k, b − A x_k), which may not. Below, τ₁ is the largest step of Theorem "
        "1, and open markers are runs that do not get there. F* and D* come from the conic solver. μ, η, τ "
        "and the number of draws are declared.",
        dirty_model.describe,
    ),
    "figure2": (
        "Figure 2: objective and Pos@Top, iteration by iteration",
        "One split. Dashed: the certified optimum of objective (11). Dotted, in the colour of a method: what "
        "the optimum of the perturbed objective (13), which it minimises, is worth on (11). Large open "
        "markers: where the published stopping rule holds; every method runs on. Seconds are those of the "
        "algorithm alone. The panels in the middle and the exact solver are beyond the paper. The values of "
        "ρ are declared: of each grid the one whose residuals end smallest.",
        convergence_figures.describe_figure2,
    ),
    "figure3": (
        "Figure 3: residuals and ROC curves",
        "The split and the runs of Figure 2; large open markers: the published stops. ROC curves on the test "
        "part: solid after the published stops (after all iterations where the rule did not hold, and for "
        "the exact solver), dotted after all iterations; on the right the top of the list, which is what the "
        "methods are for.",
        convergence_figures.describe_figure3,
    ),
    "suboptimality": (
        "Iterations and seconds to the optimum: performance profiles",
        "Beyond the paper. A problem is a data set, a block of features and a λ, on the first split; the "
        "title of a panel is the relative suboptimality to be reached on objective (11). Read a curve of "
        "height h over the factor x as: this method solved a share h of the problems within x times the cost "
        "of the method that was best on each. At the left end stands how often it was the best, at the right "
        "end how many it solved at all: failures count as infinite. The ADMM family has the best ρ of its "
        "grid in hindsight, for every problem and level. After 100 iterations every hundredth part more is "
        "looked at. A marker is a problem solved; methods that solve none are named in the title. A step of "
        "the exact solver costs more than an iteration of the others. Problems whose optimum w = 0 attains "
        "to the level are left out.",
        suboptimality.describe,
    ),
    "scale": (
        "Cost and size",
        "Seconds per iteration (left; a Newton step of the exact solver) and of a whole fit (right) on "
        "generated sets of dense float32 rows that are mapped from a file, in the page cache. Dotted: two "
        "passes over the matrix at the bandwidth measured in the same process. Open markers: stopped by a "
        "limit. Stars: extrapolated to the training parts of epsilon. Where there are few rows, the ADMM "
        "family's solve of its factored system, (d + 1)² numbers, outweighs the passes. Beyond the paper.",
        scale.describe,
    ),
}
"""Figure of K15, beside that of Table 1 -> title, caption, and the function that says what it shows."""

DRAWN = {
    dirty_model.describe: dirty_model.medians_and_bands,
    convergence_figures.describe_figure2: convergence_figures.drawn_figure2,
    convergence_figures.describe_figure3: convergence_figures.drawn_figure3,
    suboptimality.describe: suboptimality.profiles,
}
"""What says in words what a figure shows -> what selects what it draws, where its table holds more."""

TOP_RANKING_BLOCKS = {
    dirty_model: ("figure1",),
    convergence: ("figure2", "figure3"),
    suboptimality: ("suboptimality",),
    scale: ("scale",),
}
"""Module whose ``findings`` speak of one block of a study -> the tables that it asks for."""

INFINITE_PUSH_FIGURES = {
    "figure1": (
        "Figure 1: rate at the top on the toy problem",
        "Mean over the trials and its standard error (band). Below, in the colour of the method, stand "
        "the two-sided p-values of the Wilcoxon signed-rank test against the ℓ₁ infinite push. The numbers "
        "of rows and the Wishart distribution are declared.",
        push_figures.describe_figure1,
    ),
    "figure2": (
        "Figure 2: retrieval of the relevant features",
        "Mean over the trials and its standard error (band). The ℓ₂ infinite push uses all features: its "
        "precision is the share of relevant ones.",
        push_figures.describe_figure2,
    ),
    "figure3": (
        "Figure 3: running time",
        "Median time of a fit against the number of pairs, and the exponent p of the larger half of the "
        "sizes. Algorithm 1 runs on the pairs, to a relative duality gap of 1e-3; the exact solver and "
        "RankSVM never form a pair and run to 1e-8 (beyond the paper). Open markers: stopped by the limit.",
        push_figures.describe_figure3,
    ),
}
"""Figure of R12 -> title, caption, and the function that says what it shows."""

QUERY_FIGURES = {
    "figure1": (
        "Figure 1: the regularisers",
        "One weight, λ = 1, the parameters of the paper's figure (ε = 1, γ = 1). Dashed: SCAD, beyond the "
        "paper.",
    ),
    "figure2": (
        "Figure 2: removed features",
        "One minus the sparsity ratio: farther out is sparser. A spoke a data set that was obtained, a line "
        "a method; on the right, if anything is printed, the printed values of the same data sets.",
    ),
    "figure3": (
        "Figure 3: MAP against the sparsity ratio",
        "Means over the folds. Dotted: the mean MAP of the paper's methods. Hollow: beyond the paper. A "
        "plus: the printed MAP of the printed best method at its printed ratio, in the colour of the method.",
    ),
}
"""Figure of L14 -> title and caption."""

QUERY_FURTHER: dict[str, tuple[str, str, Callable]] = {
    "constant": (
        "What the printed Lipschitz constant costs",
        "Beyond the paper. Iterations of ℓ₁ RankSVM from w = 0, on one fold, until the objective is within "
        "the level of the certified optimum: FISTA (Algorithm 1) with the printed constant, which is a "
        "trace, and with the largest eigenvalue, both looked at in every tenth iteration; proximal Newton "
        "has no such constant. Hollow: stopped by a limit. A Newton step costs more than an iteration of "
        "FISTA; the seconds are in the data of the figure.",
        printed_constant.describe,
    ),
    "early_stop": (
        "FenchelRank's stop and its sparsity",
        "Beyond the paper. Variables of FenchelRank with its published stop (a gap of 1e-3 or 1000 steps) "
        "and of the certified optimum in the same ℓ₁ ball, on one fold of each data set.",
        early_stop.describe,
    ),
}
"""Figure beyond L14 -> title, caption, and the function that says what it shows."""

PROTOCOLS = {
    "top_ranking": Table1Protocol(
        top_ranking.TABLE1,
        top_ranking.table1,
        top_ranking_latex.latex_table1,
        read_published,
        figures.TOP_RANKING,
        _top_ranking,
        claims=claims.claims,
        marks=compare_marks,
    ),
    "infinite_push": Table1Protocol(
        infinite_push.TABLE1,
        infinite_push.table1,
        infinite_push.latex_table1,
        infinite_push.read_published,
        figures.INFINITE_PUSH,
        _infinite_push,
    ),
    "query_ranking": QueryRanking(),
}
