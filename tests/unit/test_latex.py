"""LaTeX from texts and result files: everything is escaped, and every row has its cells."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_rows import ROOT
from typesetting import NASTY, long_comparison, needs_pdflatex, typeset_body

from reproduction.core.formatting import (
    LATEX_CHARACTERS,
    escape_breakable,
    escape_latex,
    format_latex_number,
    shrink_tabulars,
)
from reproduction.papers.laporte2014.significance_views import format_latex_tests
from reproduction.reporting.latex.run_tables import (
    RUN_TABLE_WRITERS,
    comparison_to_latex,
    coverage_to_latex,
    data_to_latex,
    verification_to_latex,
)

SNAPSHOT = ROOT / "reports/snapshot"
SNAPSHOT_FILES = [
    *SNAPSHOT.rglob("*.csv"),
    *SNAPSHOT.rglob("*.html"),
    *(ROOT / "reports/captions").rglob("*.rst"),
]
SNAPSHOT_FILES += [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.yaml")]
COLUMNS = {
    "tests": "study dataset metric method best decrease_percent t_p t_p_by_folds wilcoxon_p wilcoxon_holm "
    "permutation_p",
    "coverage": "study artefact quantity published_cells agrees differs",
    "data": "dataset status reason rows rows_published features positives negatives queries preferences note",
    "verification": "method case objective reference relative_gap tolerance passed status",
    "comparison": "study artefact dataset method quantity kind published published_std ours_mean ours_std "
    "margin verdict reason specification shown_in",
}


def nasty(name, rows=2):
    columns = COLUMNS[name].split()
    return pd.DataFrame([[NASTY] * len(columns)] * rows, columns=columns)


def write_latex(name, table):
    if name == "comparison":
        return comparison_to_latex(table, NASTY)
    return (format_latex_tests if name == "tests" else RUN_TABLE_WRITERS[name][0])(table)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & c%", r"a\_b \& c\%"),
        ("\\x{}", r"\textbackslash{}x\{\}"),
        ("2 < 3 | x", r"2 \textless{} 3 \textbar{} x"),
        ("ℓ₁, λ", r"$\ell$$_1$, $\lambda$"),
        ("10⁻⁶ ± 1 × 2", r"10$^{-}$$^{6}$ $\pm$ 1 $\times$ 2"),
        ("‖x‖² ≤ ∞", r"$\|$x$\|$$^{2}$ $\leq$ $\infty$"),
        ("★ ● − –", r"$\star$ $\bullet$ $-$ --"),
        ("λ̂ and ŷ and é", r"$\hat{\lambda}$ and \^{y} and \'{e}"),
        ("[1] --option ---", r"{[}1] -{}-option -{}-{}-"),
        ("two\nlines\t x", "two lines x"),
        ("☃", "{[}SNOWMAN{]}"),
        ("\x07", "{[}U+0007{]}"),
        (3, "3"),
    ],
)
def test_what_stands_for_a_text(text, expected):
    assert escape_latex(text) == expected


@given(st.text())
def test_any_text_becomes_ascii_on_one_line(text):
    assert escape_latex(text).isascii() and escape_latex(text).isprintable()
    bare = re.sub(r"\\[\\{}&%$#_^~]", "", escape_latex(text))
    assert bare.count("{") == bare.count("}")


def test_every_character_of_the_results_has_a_sign():
    # what the page's style sheet draws beside a button is no text of the results
    files = (path.read_text(encoding="utf-8") for path in SNAPSHOT_FILES)
    texts = (re.sub(r"<style>.*?</style>", "", text, flags=re.S) for text in files)
    characters = {character for text in texts for character in text if not character.isascii()}
    assert {"ℓ", "λ", "‖", "★"} <= characters
    unknown = {character for character in characters if "{[}" in escape_latex(f"x{character}")}
    assert not unknown, f"give them a sign in reporting/latex/text.py: {unknown}"


@given(st.text(alphabet="ab1/_.=:( )-"))
def test_breaks_change_nothing_but_where_lines_may_break(text):
    assert escape_breakable(text).replace(r"\allowbreak{}", "") == escape_latex(text)


def test_a_number_is_not_broken():
    assert (
        escape_breakable("0.05 of https://a.b/c_d").replace(r"\allowbreak{}", "¦")
        == r"0.05 of https:¦/¦/¦a.¦b/¦c\_¦d"
    )


def test_cells_of_numbers():
    cells = {"1648": "1648", "0.12345": "0.123", "1e-14": r"$1.00\times 10^{-14}$", "-0.5": "$-0.500$"}
    cells |= {"inf": r"$\infty$", "-inf": r"$-\infty$", "nan": "none", "not_obtained": r"not\_obtained"}
    assert {cell: format_latex_number(cell) for cell in cells} == cells


def test_each_tabular_is_fitted():
    shrunk = shrink_tabulars("a\n\\begin{tabular}{l}x\\end{tabular}\nb\n\\begin{tabular}{l}y\\end{tabular}")
    assert shrunk.count(r"\resizebox{") == 2 and shrunk.count(r"\end{tabular}}") == 2
    assert shrunk.startswith("a\n") and "}\nb\n" in shrunk


@pytest.mark.parametrize("name", COLUMNS)
def test_every_row_has_a_cell_for_every_head(name):
    text = write_latex(name, nasty(name))
    rows = [line for line in text.splitlines() if line.endswith(r"\\") and " & " in line]
    cells = {len(re.findall(r"(?<!\\)&", row)) for row in rows}
    assert len(cells) == 1 and len(rows) >= 2, rows
    assert text.isascii()


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_without_rows_says_so(name):
    assert "nothing" in write_latex(name, nasty(name, rows=0))


@needs_pdflatex
def test_nasty_names_compile(tmp_path):
    signs = " ".join(map(escape_latex, [*LATEX_CHARACTERS, NASTY, "é", "ŵ", "λ̂", "ø̃"]))
    tables = [write_latex(name, nasty(name, rows)) for name in COLUMNS for rows in (0, 2)]
    typeset_body(tmp_path, "\n\n".join([signs, escape_breakable(NASTY), *tables]))


def test_the_comparison_shows_a_study_as_it_is_published():
    table = long_comparison()
    text = comparison_to_latex(table, "laporte2014")
    assert text.count("\n") > (table["study"] == "laporte2014").sum()
    assert "kadkhodaie2015" not in text and "& 8.1 &" in text, "a published number keeps its digits"
    assert " $\\pm$ " in text and "not obtained" in text


def test_the_verification_counts_by_method():
    rows = [("admm", "1e-9", "0.001", "True"), ("admm", "-2e-3", "0.001", "False")]
    rows.append(("exact", "0.0", "1e-06", "true"))
    columns = ["method", "relative_gap", "tolerance", "passed"]
    text = verification_to_latex(pd.DataFrame(rows, columns=columns))
    assert r"ADMM & 2 & 1 & 0.00200 & 0.001 \\" in text
    assert r"Exact & 1 & 1 & 0 & 1e-06 \\" in text


def test_the_data_show_a_published_count_only_where_it_differs():
    row = dict.fromkeys(COLUMNS["data"].split(), "")
    row |= {"dataset": "diabetes", "status": "obtained", "rows": "768", "rows_published": "768"}
    missing = row | {"dataset": "bci", "status": "not obtained", "rows": "", "rows_published": "300"}
    missing["reason"] = "It was found nowhere; to use it, do this."
    more = {"features_published": "34", "features": "8"}
    text = data_to_latex(pd.DataFrame([row | more, missing | {"features_published": ""}]))
    assert "diabetes & obtained & 768 & 8 (34) & " in text
    assert "bci & not obtained & (300) & " in text and "found nowhere" in text and "do this" not in text


def test_the_coverage_takes_whatever_counts_there_are():
    rows = {"study": ["a", "a"], "artefact": ["table1", "all"], "quantity": ["x_y", "all"]}
    text = coverage_to_latex(pd.DataFrame(rows | {"agrees": ["3", "4"], "agrees in order": ["0", "1"]}))
    heads = r"Study & Artefact & Quantity & \rotatebox{90}{Agrees} & \rotatebox{90}{Agrees in order} \\"
    assert heads in text, "many counts stand side by side: their heads are turned"
    assert "a & table1 & x y & 3 & 0 \\\\\n & all & all & 4 & 1 \\\\" in text
