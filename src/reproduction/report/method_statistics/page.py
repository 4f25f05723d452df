"""What the page shows of the statistics beyond the papers' own: mean ranks, their tests, pairs of methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from reproduction.columns import Cell, Column, Row, View, number, text_of
from reproduction.labels import method_key, method_label
from reproduction.measures import LABELS, LOGARITHMIC
from reproduction.report.method_statistics.pairs import ALL
from reproduction.report.method_statistics.ranks import why_untested
from reproduction.report.page.view import shown

PAGE_ROWS = 600
"""Of pairs. Where there are more, single data sets show those with the method of the best mean rank only."""

LEVEL = 0.05


def context(tables: Mapping[str, pd.DataFrame], tests: str, study: str) -> dict:
    """Prepare mean ranks and pairs of methods.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        "ranks" and "pairwise", by their forms.
    tests : str
        Which tests are the paper's own, and where they stand.
    study : str

    Returns
    -------
    dict
        Empty where the study has no such tables.
    """
    if "ranks" not in tables or "pairwise" not in tables:
        return {}
    pairs = pairs_shown(tables["ranks"], tables["pairwise"])
    return {
        "own": tests,
        "ranks": [found for view in (RANKS, TESTS) if (found := shown(view, tables, study))],
        "pairs": shown(PAIRS, {"pairwise": pairs}, study),
        "shown_pairs": len(pairs),
        "all_pairs": len(tables["pairwise"]),
        "has_corrected": has_corrected(tables["pairwise"]),
    }


def pairs_shown(ranks: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Select the pairs that the page shows: all, or `PAGE_ROWS` of them if they are too many."""
    if len(pairs) <= PAGE_ROWS:
        return pairs
    ranked = ranks[ranks["mean_rank"].notna()].sort_values("mean_rank", kind="stable")
    best = ranked.drop_duplicates(["features", "measure"]).set_index(["features", "measure"])["method"]
    of_best = [
        best.get((row["features"], row["measure"])) in (row["method"], row["rival"])
        for _, row in pairs.iterrows()
    ]
    return pairs[(pairs["dataset"] == ALL) | np.array(of_best)]


def has_corrected(pairs: pd.DataFrame) -> bool:
    """Whether any pair has a test that corrects for splits which share rows."""
    return bool(pairs["corrected_t_p"].notna().any())


def p_text(value: float) -> str:
    """Write a p-value."""
    return "< .001" if value < 1e-3 else f"{value:.2g}"


def _p_value(heading: str, name: str) -> Column:
    return Column(heading, lambda row: number(row[name], p_text))


def _measure(row: Row) -> str:
    return LABELS.get(row["measure"], row["measure"])


def _rank_rows(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Give every method a row in each block of features and measure."""
    ranks = tables["ranks"]
    methods, rows = sorted(set(ranks["method"]), key=method_key), []
    for (features, measure), block in ranks.groupby(["features", "measure"], sort=False):
        of_method = block.set_index("method")[["mean_rank", "note"]].reindex(methods)
        of_method["best"] = of_method["mean_rank"] == block["mean_rank"].min()
        heading = f"{LABELS.get(measure, measure)}, {features}"
        rows.append(of_method.fillna({"note": "not run"}).reset_index().assign(heading=heading))
    return pd.concat(rows) if rows else ranks


def _rank(row: Row) -> Cell:
    if math.isnan(row["mean_rank"]):
        return Cell("none", absent=True, title=row["note"])
    return Cell(f"{row['mean_rank']:.2f}", row["mean_rank"], strong=row["best"])


RANKS = View(
    "ranks",
    "",
    lead=(Column("Mean rank, 1 is best", lambda row: method_label(row["method"]), style=""),),
    columns=(Column("", _rank),),
    rows=_rank_rows,
    across="heading",
    key=("method",),
    label="Mean ranks of {study}",
)


def _said(block: pd.DataFrame) -> str:
    """Say what is to be said of the test of a block: splits that are missing, what does not count."""
    first = block.iloc[0]
    ranked, without = (block[block["mean_rank"].notna() == known] for known in (True, False))
    said = why_untested(first["n_datasets"], first["n_methods"])
    if len(ranked):  # what is said of the splits, too
        said = ranked["note"].iloc[0]
    notes = [f"{said}." if said not in ("", "none") else ""]
    notes += [f"Not counted: {first['left_out']}." if first["left_out"] != "none" else ""]
    notes += [f"{method_label(row['method'])}: {row['note']}." for _, row in without.iterrows()]
    return " ".join(filter(None, notes))


def _test_rows(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    blocks = tables["ranks"].groupby(["features", "measure"], sort=False)
    return pd.DataFrame([block.iloc[0].to_dict() | {"said": _said(block) or "none"} for _, block in blocks])


TESTS = View(
    "rank_tests",
    "",
    lead=(Column("Measure", _measure, style=""),),
    columns=(
        Column("Features", text_of("features"), style=""),
        Column("Data sets", lambda row: number(row["n_datasets"], "{:.0f}".format, title=row["datasets"])),
        Column("Methods", lambda row: number(row["n_methods"], "{:.0f}".format)),
        _p_value("Friedman p", "friedman_p"),
        _p_value("Iman–Davenport p", "iman_davenport_p"),
        Column("Critical difference", lambda row: number(row["critical_difference"], "{:.2f}".format)),
        Column("Note", text_of("said"), style="text"),
    ),
    rows=_test_rows,
    label="Tests of all methods of {study}",
)


def _method(name: str) -> Callable[[Row], Cell]:
    """Name a method; on a single data set it leads to its fits."""

    def make(row: Row) -> Cell:
        key = "/".join(row[column] for column in ("study", "dataset", "features", name))
        return Cell(method_label(row[name]), fits="" if row["dataset"] == ALL else key)

    return make


def _counts(row: Row) -> Cell:
    said = " / ".join(f"{row[name]:.0f}" for name in ("wins", "ties", "losses"))
    return Cell(said, row["wins"] - row["losses"])


def _as_difference(row: Row, value: float) -> str:
    """Write a difference; of logarithms it is a factor."""
    return f"× {10**value:.3g}" if row["measure"] in LOGARITHMIC else _signed(value, ".3g")


def _signed(value: float, form: str) -> str:
    return f"{value:+{form}}".replace("-", "−")


def _interval(row: Row) -> Cell:
    return number(row["low"], lambda low: " to ".join(_as_difference(row, end) for end in (low, row["high"])))


def _holm(row: Row) -> Cell:
    return number(row["wilcoxon_holm"], p_text, strong=row["wilcoxon_holm"] < LEVEL)


def _pair_columns(rows: pd.DataFrame) -> Iterator[Column]:
    yield Column("Features", text_of("features"), style="", choices="features")
    yield Column("Measure", _measure, style="", choices="measure")
    yield Column("Method", _method("method"), style="", choices="method")
    yield Column("Rival", _method("rival"), style="", choices="rival")
    yield Column("Pairs", lambda row: Cell(f"{row['n']:.0f} {row['of']}", row["n"]))
    yield Column("Wins / ties / losses", _counts)
    yield Column("Difference", lambda row: number(row["mean_difference"], lambda v: _as_difference(row, v)))
    yield Column("95 % interval", _interval)
    yield Column("Effect", lambda row: number(row["rank_biserial"], lambda value: _signed(value, ".2f")))
    yield _p_value("Wilcoxon p", "wilcoxon_p")
    yield Column("Holm p", _holm)
    if has_corrected(rows):
        yield _p_value("Corrected t p", "corrected_t_p")


PAIRS = View(
    "pairwise",
    "",
    lead=(Column("Data set", text_of("dataset"), style="", choices="dataset"),),
    columns=_pair_columns,
    groups=("dataset", "features", "measure"),
    label="Pairs of methods of {study}",
    filtered=True,
)
