"""A table described once: the same cells in LaTeX and on the page, of made rows and of each paper."""

import re
from dataclasses import replace

import pandas as pd
import pytest
import query_rows
import report_rows
from markupsafe import escape
from report_rows import ROOT
from report_runs import read_page
from studies import study_of
from typesetting import NASTY

from reproduction.core.results import MEAN_DATASET
from reproduction.reporting.latex.tabular import table_to_latex, view_to_latex
from reproduction.reporting.page.render import make_environment
from reproduction.reporting.page.table import build_view_context
from reproduction.specs.table_cells import DATASET, METHOD, has_fits, mean_cell, number_cell
from reproduction.specs.table_views import Cell, Column, LatexLayout, SubText, View


def row(dataset, method, value, **more):
    fields = {
        "study": "s",
        "dataset": dataset,
        "feature_scaling": "raw",
        "method": method,
        "method_group": "paper",
    }
    status_fields = {"data_status": "obtained", "reason": "none", "note": "none"}
    return fields | status_fields | {"a_mean": value, "a_std": 0.5, "published": 7.0} | more


ROWS = pd.DataFrame(
    [
        row("first", "exact", 2.0, note="has a note"),
        row("first", "toppush", 1.0),
        row("second", "toppush", float("nan"), data_status="not obtained", reason=f"see {NASTY}"),
        row(MEAN_DATASET, "toppush", 3.0),
    ]
)


def best(table_runs):
    cell = mean_cell("a")(table_runs)
    return replace(
        cell, strong=table_runs["a_mean"] == 2, sub_texts=(SubText("beside"), SubText("~", "published"))
    )


LONG_VIEW = View(
    "long",
    "Long",
    lead=(DATASET, METHOD),
    columns=(
        Column(
            "A",
            mean_cell("a"),
            lambda row: number_cell(row["published"]),
            latex_heading="Quantity",
            fits=has_fits,
        ),
        Column(
            "B", lambda row: Cell("−1 %", -1.0, underlined="why", mark="★", title="star"), latex_heading="B"
        ),
        Column("C", lambda row: "on the page"),
    ),
    groups=("dataset",),
    filtered=True,
    anchored=True,
    lead_text='<b>See</b> <a href="#{{ study }}-x">x</a>',
    latex_layout=LatexLayout(ruled=True, remarks=("A remark.",)),
)
WIDE_VIEW = View(
    "wide",
    "Wide",
    lead=(DATASET,),
    columns=(Column("Method", best, latex_heading="Method"),),
    pivot_by="method",
    key=("dataset", "feature_scaling"),
    group_titles={"paper": "Of the paper", "beyond": "Beyond"},
    label="{title}, {method_group}",
)


WIDE_VIEW_IN_LINES = replace(WIDE_VIEW, latex_layout=LatexLayout(lines=("ours", "to", "print")))


def page_of(view, rows=ROWS):
    module = make_environment().get_template("view.html.j2").module
    return " ".join(str(module.view(build_view_context(view, {view.name: rows}, "s"))).split())


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (
            LONG_VIEW,
            r"& & \multicolumn{2}{c}{Quantity} & \\ \cmidrule(lr){3-4} Data set & Method & published & o",
        ),
        (LONG_VIEW, r"\midrule first & Exact & 7.00 & 2.00 $\pm$ 0.500 & \underline{$-$1\,\%} $\star$ \\"),
        (LONG_VIEW, r"\\ & TopPush & 7.00 & 1.00 $\pm$ 0.500 &"),
        (LONG_VIEW, r"\midrule second & TopPush & 7.00 & not obtained &"),
        (LONG_VIEW, r"% A remark. \begingroup\fontsize{6}{6.8}"),
        (LONG_VIEW, r"\par second (not obtained): see a\_b \& 100\%"),
        (LONG_VIEW, r"\par first: has a note \par\endgroup"),
        (WIDE_VIEW, r"Of the paper\par \resizebox"),
        (WIDE_VIEW, r"\begin{tabular}{l*{2}{r}} \toprule Data set & TopPush & Exact \\ \midrule first &"),
        (
            WIDE_VIEW,
            r"first & 1.00 $\pm$ 0.500 (beside, $\sim$) & \textbf{2.00 $\pm$ 0.500} (beside, $\sim$) \\",
        ),
        (WIDE_VIEW, r"second & not obtained (beside, $\sim$) & not run \\ \midrule mean &"),
        (WIDE_VIEW_IN_LINES, r"mean & ours & 3.00 $\pm$ 0.500 & not run"),
        (WIDE_VIEW_IN_LINES, r"\\ & to & beside & beside \\ & print & $\sim$"),
    ],
)
def test_a_view_in_latex(view, expected):
    assert expected in " ".join(view_to_latex(view, ROWS).split())


def test_data_sets_that_are_missing_for_one_reason_are_named_together():
    missing = ROWS[ROWS["dataset"] == "second"]
    rows = [ROWS] + [missing.assign(dataset=x, reason=f"The data set {x} lacks a file") for x in ("u", "v")]
    text = " ".join(view_to_latex(LONG_VIEW, pd.concat(rows)).split())
    assert r"\par u, v (not obtained): each lacks a file \par" in text
    assert r"\par second (not obtained): see a" in text and text.count("lacks a file") == 1
    alone = " ".join(view_to_latex(LONG_VIEW, pd.concat(rows[:2])).split())
    assert r"\par u (not obtained): The data set u lacks a file" in alone


@pytest.mark.parametrize(
    "view", [LONG_VIEW, WIDE_VIEW, replace(LONG_VIEW, group_titles={"beyond": "Beyond"})]
)
def test_a_table_without_rows_says_so_in_latex(view):
    assert "nothing" in view_to_latex(view, ROWS.iloc[:0])


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (LONG_VIEW, '<h3 id="s-long">Long</h3> <p id="s-long-says"><b>See</b> <a href="#s-x">x</a></p>'),
        (LONG_VIEW, 'aria-label="Long of s"><table class="data" data-filter="s-long">'),
        (LONG_VIEW, '<th scope="col" class="num">A</th><th scope="col" class="num published">published</th>'),
        (LONG_VIEW, '<th scope="col" class="also" data-choices="method">Method</th>'),
        (
            LONG_VIEW,
            '<tr id="s-first-raw-exact" class="first"><th scope="row" title="has a note">first<small>see',
        ),
        (
            LONG_VIEW,
            '<tr id="s-first-raw-toppush"><th scope="row" class="repeat">first</th><td class="also">T',
        ),
        (LONG_VIEW, '<td class="num" data-value="2" data-fits="s/first/raw/exact">2.00 ± 0.500</td>'),
        (LONG_VIEW, '<td class="num" data-value="7">7.00</td>'),
        (LONG_VIEW, '<u title="why">−1 %</u> <span class="mark" title="star">★</span></td>'),
        (LONG_VIEW, '<td class="num absent" data-fits="s/second/raw/toppush">–</td>'),
        (LONG_VIEW, f'title="see {escape(" ".join(NASTY.split()))}"'),
        (WIDE_VIEW, '<h4 id="s-wide-1">Of the paper</h4> <div class="scroll" tabindex="0" role="region"'),
        (WIDE_VIEW, "<strong>2.00 ± 0.500</strong><small>beside</small><small>published ~</small></td>"),
        (WIDE_VIEW, '<td class="num absent">not run</td>'),
    ],
)
def test_a_view_on_the_page(view, expected):
    text = page_of(view)
    read_page(text)
    assert expected in text.replace(" <", "<").replace("> ", ">") or expected in text


def test_a_view_without_rows_on_the_page():
    empty = {"long": ROWS.iloc[:0]}
    assert (
        build_view_context(LONG_VIEW, empty, "s") is None and build_view_context(LONG_VIEW, {}, "s") is None
    )
    page_text = page_of(replace(LONG_VIEW, empty_text="None was <i>run</i>."), empty["long"])
    assert "None was <i>run</i>." in page_text and "<table" not in page_text


@pytest.fixture(scope="module")
def table_runs(tmp_path_factory):
    """Rows of the tests: unlike the full run they hold a failed method and texts to be escaped."""
    folder = tmp_path_factory.mktemp("rows")
    report_rows.write_results(folder)
    of_top = {"table1": report_rows.table1_of(folder)}
    return {"kadkhodaie2015": of_top, "laporte2014": query_rows.default_tables()}


@pytest.mark.parametrize(
    ("name", "table", "expected", "of_tests"),
    [
        ("rakotomamonjy2012", "table1", r"\underline{0.455 $\pm$ 0.326} & 64.2", ""),
        ("kadkhodaie2015", "table1", r"$<$.001 / $<$.001", r"nowhere \& \textless{}has\textgreater{} no"),
        ("laporte2014", "table3", "16140 (16140)", r"Gov\_100\% \& \textless{}no\textgreater{} mirror"),
        ("laporte2014", "table4", r"0.10 $\pm$ 0.08 (0.09)", "0.8 \\% of the query ids"),
        (
            "laporte2014",
            "table5",
            r"published & $-$0.8\,\% (p $=$ 0.02) & $\sim$ & \textbf{0.4",
            r"\textbf{0.47",
        ),
        ("laporte2014", "table6", r"$-$1\,\% (p $=$ 0.043)", "FSMRank (reconstructed)"),
    ],
)
def test_the_tables_of_the_papers(name, table, expected, of_tests, table_runs, tmp_path):
    """Of the full run, and of made rows: a cell for every column, and none in the file is blank."""
    study = study_of(name, (ROOT / "reports/snapshot" / name).glob("*.csv"))
    record = next(record for record in study.paper.tables if record.name == table)
    tables = {expected: study.table(table)} | ({of_tests: table_runs[name][table]} if of_tests else {})
    for table_name, rows in tables.items():
        record.form.write(rows, tmp_path / "once.csv")
        record.form.write(record.form.read(tmp_path / "once.csv"), tmp_path / "twice.csv")
        assert (tmp_path / "once.csv").read_bytes() == (tmp_path / "twice.csv").read_bytes()
        cells = pd.read_csv(tmp_path / "once.csv", dtype=str, keep_default_na=False)
        assert not cells.isin(["", "nan", "NaN", "None", "<NA>"]).any(axis=None)
        text = table_to_latex(record, rows, ROOT)
        assert table_name in text and text.isascii()
        for tabular in text.split(r"\begin{tabular}")[1:]:
            body = tabular[tabular.index(r"\midrule") :].splitlines()
            assert len({len(re.findall(r"(?<!\\)&", line)) for line in body if line.endswith(r"\\")}) == 1
