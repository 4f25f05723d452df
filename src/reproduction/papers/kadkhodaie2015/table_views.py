"""How a reader sees the tables of a study of K15."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter

import pandas as pd

from reproduction.core.formatting import format_percent, format_short
from reproduction.papers.kadkhodaie2015.suboptimality import profiles as suboptimality
from reproduction.specs.labels import method_label
from reproduction.specs.table_views import (
    DATASET,
    FEATURES,
    METHOD,
    NAME,
    STATUSES,
    Cell,
    Column,
    Print,
    Row,
    View,
    has_fits,
    mean,
    measured,
    number,
    numbers,
    plain,
    printed_mean,
    text_of,
    value,
    word_for,
)

MARKS = {
    "mark_best": ("●", "decimal exponent of Pos@Top above the others'"),
    "mark_fast": ("★", "exponent of the time below"),
}
"""Column -> the sign of the paper for it, and what that says."""
MEASURED = measured("pos_at_top_mean")


def _marked(cell: Callable[[Row], Cell], column: str) -> Callable[[Row], Cell]:
    """Put the sign of a column behind a number."""
    sign, title = MARKS[column.removeprefix("printed_")]

    def make(row: Row) -> Cell:
        made = cell(row)
        return replace(made, mark=sign, title=title) if row[column] == "1" and not made.absent else made

    return make


def _quantity(name: str, mark: str, heading: str, in_print: str, fits: Callable[[Row], bool]) -> Column:
    """Show a mean, and the printed one, each with its mark."""
    printed = _marked(printed_mean(name), f"printed_{mark}")
    return Column(heading, _marked(mean(name), mark), printed, in_print=in_print, fits=fits, quantity=name)


def _distances(name: str, share: Callable[[float], str]) -> Callable[[Row], Cell]:
    """Show the median of a relative distance over the splits, and the largest one."""

    def make(row: Row) -> Cell:
        both = [row[f"{name}_median"], row[f"{name}_max"]]
        return number(both[0], lambda _: " / ".join(map(share, both)), word_for(row))

    return make


def small_share(share: float) -> str:
    """Write a relative distance in per cent; what is certified to 1e-5 is shown as such."""
    return "< 0.001 %" if share < 1e-5 else format_percent(share)


def _bare_share(share: float) -> str:
    """Write it below a head that says the unit."""
    return "<.001" if share < 1e-5 else format_percent(share).removesuffix(" %")


TABLE1 = View(
    "table1",
    "Table 1",
    lead=(DATASET, METHOD, FEATURES),
    columns=(
        _quantity("pos_at_top", "mark_best", "Pos@Top", "Pos@Top", has_fits),
        _quantity("seconds", "mark_fast", "Seconds", "Training time (s)", MEASURED),
        Column("Excess", _distances("excess", small_share), detail=True),
        Column("", _distances("excess", _bare_share), in_print="Excess", on_page=False),
        Column("Own gap", _distances("relative_gap", small_share), detail=True),
        Column("Iterations", value("n_iter_median", "{:.0f}".format), detail=True),
        STATUSES,
        Column("w = 0 is optimal", value("zero_optimal_share", format_percent), detail=True),
        Column("Constant", value("constant_share", format_percent), detail=True),
        Column("Chosen parameters", text_of("chosen"), detail=True),
    ),
    across="features",
    key=("dataset", "method"),
    wide=False,
    groups=("dataset", "features"),
    anchored=True,
    filtered=True,
    say='Mean ± standard deviation over the splits. <span class="mark">●</span> and <span class="mark">★'
    "</span> are the paper's marks for Pos@Top and time. Ours follow the same rule, the decimal exponent of "
    "the mean. Methods beyond the paper are not marked. The dialog of a row says how far the method stops "
    "from the optimum.",
    paper=Print(
        gap="2pt",
        remarks=(
            "Type of 6 pt, made smaller where the text is narrower than the table.",
            r"$\bullet$, $\star$: the paper's marks, by the decimal exponent of the mean, ours as the "
            "printed ones.",
            "Excess: median / maximum relative distance to the certified optimum of objective (11), in per "
            "cent.",
        ),
        ruled=True,
    ),
)


def _beside_exact(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Set the seconds of TopPush beside the exact solver's on the same problem."""
    keys = ["dataset", "features"]
    push, exact = (tables["table1"].query("method == @name") for name in ("toppush", "exact"))
    both = push.merge(exact[[*keys, "seconds_mean"]], on=keys, suffixes=("", "_exact"))
    return both.assign(ratio=both["seconds_mean"] / both["seconds_mean_exact"]).dropna(subset="ratio")


EXACT = View(
    "exact",
    "TopPush beside the exact solver",
    lead=(plain(NAME), plain(FEATURES)),
    columns=(
        *numbers(("TopPush, s", "seconds_mean", ""), ("Exact, s", "seconds_mean_exact", "")),
        Column("TopPush / exact", lambda row: number(row["ratio"], lambda ratio: f"{format_short(ratio)} ×")),
        *numbers(("Excess of TopPush", "excess_median", "")),
    ),
    rows=_beside_exact,
    groups=("dataset", "features"),
    label="{title} in {study}",
    small=True,
    say="Mean seconds of the chosen fits; <em>excess</em>: how far TopPush stops above the certified "
    'optimum, relative to it (median). All methods are in <a href="#{{ study }}-table1">Table 1</a>.',
)


def _alpha(row: Row) -> Cell:
    return Cell(row["alpha"], float(row["alpha"])) if row["alpha"] else Cell("–")


def _to_levels(rows: pd.DataFrame) -> Iterator[Column]:
    """List the columns: a level each, between what a row is about and what is to be said of it."""
    about = ("dataset", "features", "alpha", "method", "note")
    yield Column("λ", _alpha)
    yield Column("Method", lambda row: row["method"] or "all", style="", choices="method")
    yield from (Column(name, itemgetter(name)) for name in rows.columns if name not in about)
    yield Column("Note", text_of("note"), style="text", detail=True)


TO_LEVELS = View(
    "to_levels",
    "Iterations and seconds to the optimum",
    lead=(NAME, FEATURES),
    columns=_to_levels,
    rows=lambda tables: suboptimality.summary(tables["suboptimality"]) if "suboptimality" in tables else None,
    groups=("dataset", "features", "alpha"),
    label="{title}, {study}",
    filtered=True,
    small=True,
    folded="rows of iterations and seconds",
    after="suboptimality",
    say="Beyond the paper: until the relative suboptimality on objective (11), (F(w) − F*) / F* with the "
    "certified optimum F*, is at most the level of the column, on the first split. The ADMM family has the "
    "best ρ of its grid in hindsight; ∞: not within the limits. A2DM2 and its restart minimise the "
    "perturbed objective (13) and converge to another point.",
)

SIZES = View(
    "scale",
    "Cost and size in numbers",
    lead=(replace(plain(METHOD), cell=lambda row: method_label(row["solver"])),),
    columns=(
        Column("Kind", text_of("kind"), style="", detail=True),
        *numbers(("Rows", "rows", ".0f"), ("GB", "gigabytes", "")),
        *numbers(("Seconds per iteration", "seconds_per_iteration", "")),
        *numbers(("Passes", "ratio_to_two_passes", ".2g"), ("Seconds", "seconds", "")),
        *numbers(("Iterations", "n_iter", ".0f"), detail=True),
        Column("Peak, GB", lambda row: number(row["peak_resident_mb"] / 1000, "{:.2g}".format)),
        Column(
            "Hours of the study",
            lambda row: number(row["study_seconds"] / 3600, "{:.2g}".format),
            detail=True,
        ),
        Column("Ended as", lambda row: row["status"] if isinstance(row["status"], str) else "–", detail=True),
    ),
    label="Cost and size of {study}",
    small=True,
    folded="rows of numbers",
    after="scale",
    say="<em>Passes</em>: the cost of an iteration relative to two passes over the matrix. Extrapolated "
    "rows: what a fit, and all fits of the study, would take on the training parts of epsilon.",
)
