"""How a reader sees the tables of a study of K15."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter

import pandas as pd

from reproduction.core.formatting import format_percent, format_short
from reproduction.papers.kadkhodaie2015.suboptimality import profiles as suboptimality
from reproduction.specs.labels import method_label
from reproduction.specs.table_cells import (
    DATASET,
    DATASET_NAME,
    FEATURES,
    METHOD,
    STATUSES,
    has_fits,
    has_value,
    mean_cell,
    missing_text,
    number_cell,
    number_columns,
    published_mean_cell,
    text_cell,
    value_cell,
    without_filter,
)
from reproduction.specs.table_views import Cell, Column, LatexLayout, Row, View

MARK_SIGNS = {
    "mark_best": ("●", "decimal exponent of Pos@Top above the others'"),
    "mark_fast": ("★", "exponent of the time below"),
}
"""Column -> the sign of the paper for it, and what that says."""
HAS_POS_AT_TOP = has_value("pos_at_top_mean")


def _mark_cell(cell: Callable[[Row], Cell], column: str) -> Callable[[Row], Cell]:
    """Return a cell function that puts the paper's sign behind a number where the column says so."""
    sign, title = MARK_SIGNS[column.removeprefix("published_")]

    def make_cell(row: Row) -> Cell:
        """Return the number with its sign.

        Parameters
        ----------
        row : Row
            Row of the table.

        Returns
        -------
        Cell
            The cell; without the sign where the number is missing.
        """
        number = cell(row)
        return (
            replace(number, mark=sign, title=title) if row[column] == "1" and not number.is_absent else number
        )

    return make_cell


def _quantity_column(
    name: str, mark: str, heading: str, latex_heading: str, fits: Callable[[Row], bool]
) -> Column:
    """Build the column of a mean beside the published one, each with its mark."""
    published = _mark_cell(published_mean_cell(name), f"published_{mark}")
    return Column(
        heading,
        _mark_cell(mean_cell(name), mark),
        published,
        latex_heading=latex_heading,
        fits=fits,
        quantity=name,
    )


def _distance_cell(name: str, share: Callable[[float], str]) -> Callable[[Row], Cell]:
    """Return a cell function for the median and the maximum of a relative distance over the splits."""

    def make_cell(row: Row) -> Cell:
        """Return the median and the maximum.

        Parameters
        ----------
        row : Row
            Row of the table.

        Returns
        -------
        Cell
            Both numbers in one cell.
        """
        shares = [row[f"{name}_median"], row[f"{name}_max"]]
        return number_cell(shares[0], lambda _: " / ".join(map(share, shares)), missing_text(row))

    return make_cell


def _format_share(share: float) -> str:
    """Write a relative distance in per cent; below 1e-5, the accuracy of the certificates, as "< 0.001 %"."""
    return "< 0.001 %" if share < 1e-5 else format_percent(share)


def _format_bare_share(share: float) -> str:
    """Write a relative distance in per cent without the unit, which the LaTeX heading states."""
    return "<.001" if share < 1e-5 else format_percent(share).removesuffix(" %")


TABLE1_VIEW = View(
    "table1",
    "Table 1",
    lead=(DATASET, METHOD, FEATURES),
    columns=(
        _quantity_column("pos_at_top", "mark_best", "Pos@Top", "Pos@Top", has_fits),
        _quantity_column("seconds", "mark_fast", "Seconds", "Training time (s)", HAS_POS_AT_TOP),
        Column("Excess", _distance_cell("excess", _format_share), detail=True),
        Column("", _distance_cell("excess", _format_bare_share), latex_heading="Excess", on_page=False),
        Column("Own gap", _distance_cell("relative_gap", _format_share), detail=True),
        Column("Iterations", value_cell("n_iter_median", "{:.0f}".format), detail=True),
        STATUSES,
        Column("w = 0 is optimal", value_cell("zero_optimal_share", format_percent), detail=True),
        Column("Constant", value_cell("constant_share", format_percent), detail=True),
        Column("Chosen parameters", text_cell("chosen"), detail=True),
    ),
    pivot_by="feature_scaling",
    key=("dataset", "method"),
    wide=False,
    groups=("dataset", "feature_scaling"),
    anchored=True,
    filtered=True,
    lead_text='Mean ± standard deviation over the splits. <span class="mark">●</span> and <span class="mark">'
    "★</span> are the paper's marks for Pos@Top and time. Ours follow the same rule, the decimal exponent of "
    "the mean. Methods beyond the paper are not marked. The dialog of a row states how far the method stops "
    "from the optimum.",
    latex_layout=LatexLayout(
        gap="2pt",
        remarks=(
            "Type of 6 pt, made smaller where the text is narrower than the table.",
            r"$\bullet$, $\star$: the paper's marks, by the decimal exponent of the mean, ours as the "
            "published ones.",
            "Excess: median / maximum relative distance to the certified optimum of objective (11), in per "
            "cent.",
        ),
        ruled=True,
    ),
)


def _merge_exact(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Merge the seconds of TopPush with those of the exact solver on the same problem."""
    keys = ["dataset", "feature_scaling"]
    toppush, exact = (tables["table1"].query("method == @name") for name in ("toppush", "exact"))
    # one row for each data set and feature scaling on which both were timed
    pairs = toppush.merge(exact[[*keys, "seconds_mean"]], on=keys, suffixes=("", "_exact"))
    return pairs.assign(ratio=pairs["seconds_mean"] / pairs["seconds_mean_exact"]).dropna(subset="ratio")


EXACT_VIEW = View(
    "exact",
    "TopPush beside the exact solver",
    lead=(without_filter(DATASET_NAME), without_filter(FEATURES)),
    columns=(
        *number_columns(("TopPush, s", "seconds_mean", ""), ("Exact, s", "seconds_mean_exact", "")),
        Column(
            "TopPush / exact", lambda row: number_cell(row["ratio"], lambda ratio: f"{format_short(ratio)} ×")
        ),
        *number_columns(("Excess of TopPush", "excess_median", "")),
    ),
    rows=_merge_exact,
    groups=("dataset", "feature_scaling"),
    label="{title} in {study}",
    small=True,
    lead_text="Mean seconds of the chosen fits; <em>excess</em>: how far TopPush stops above the certified "
    'optimum, relative to it (median). All methods are in <a href="#{{ study }}-table1">Table 1</a>.',
)


def _alpha_cell(row: Row) -> Cell:
    """Return the cell of λ, which sorts by its value."""
    return Cell(row["alpha"], float(row["alpha"])) if row["alpha"] else Cell("–")


def _list_level_columns(rows: pd.DataFrame) -> Iterator[Column]:
    """Yield the columns: λ and the method, one for each level, then the note."""
    identity_columns = ("dataset", "feature_scaling", "alpha", "method", "note")
    yield Column("λ", _alpha_cell)
    yield Column("Method", lambda row: row["method"] or "all", style="", choices="method")
    yield from (Column(name, itemgetter(name)) for name in rows.columns if name not in identity_columns)
    yield Column("Note", text_cell("note"), style="text", detail=True)


LEVELS_VIEW = View(
    "to_levels",
    "Iterations and seconds to the optimum",
    lead=(DATASET_NAME, FEATURES),
    columns=_list_level_columns,
    rows=lambda tables: (
        suboptimality.summarise_levels(tables["suboptimality"]) if "suboptimality" in tables else None
    ),
    groups=("dataset", "feature_scaling", "alpha"),
    label="{title}, {study}",
    filtered=True,
    small=True,
    folded="rows of iterations and seconds",
    after="suboptimality",
    lead_text="Beyond the paper: until the relative suboptimality on objective (11), (F(w) − F*) / F* with "
    "the certified optimum F*, is at most the level of the column, on the first split. The ADMM family has "
    "the best ρ of its grid in hindsight; ∞: not within the limits. A2DM2 and its restart minimise the "
    "perturbed objective (13) and converge to another point.",
)

SIZES_VIEW = View(
    "scale",
    "Cost and size in numbers",
    lead=(replace(without_filter(METHOD), cell=lambda row: method_label(row["solver"])),),
    columns=(
        Column("Kind", text_cell("kind"), style="", detail=True),
        *number_columns(("Rows", "rows", ".0f"), ("GB", "gigabytes", "")),
        *number_columns(("Seconds per iteration", "seconds_per_iteration", "")),
        *number_columns(("Passes", "ratio_to_two_passes", ".2g"), ("Seconds", "seconds", "")),
        *number_columns(("Iterations", "n_iter", ".0f"), detail=True),
        Column("Peak, GB", lambda row: number_cell(row["peak_resident_mb"] / 1000, "{:.2g}".format)),
        Column(
            "Hours of the study",
            lambda row: number_cell(row["study_seconds"] / 3600, "{:.2g}".format),
            detail=True,
        ),
        Column("Ended as", lambda row: row["status"] if isinstance(row["status"], str) else "–", detail=True),
    ),
    label="Cost and size of {study}",
    small=True,
    folded="rows of numbers",
    after="scale",
    lead_text="<em>Passes</em>: the cost of an iteration relative to two passes over the matrix. "
    "Extrapolated rows: what a fit, and all fits of the study, would take on the training parts of epsilon.",
)
