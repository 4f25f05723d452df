"""The paper of a run: every table and figure is in it, it fits the page, and what is broken is named."""

import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import yaml
from common import Layout
from documented import write
from report_rows import ROOT
from report_runs import run
from studies import study_of
from typesetting import NASTY, long_comparison, needs_pdflatex

from reproduction.papers import paper
from reproduction.report.latex.paper import source
from reproduction.report.latex.tables import WRITERS, latex_comparison
from reproduction.report.latex.typeset import TypesettingError, first_error, overfull, typeset
from reproduction.report.latex.view import latex_table
from reproduction.report.provenance import provenance
from reproduction.report.studies import Drawing, StudyReport
from reproduction.results import ResultsError, read_text
from reproduction.text import escape

SNAPSHOT = ROOT / "reports/snapshot"
STUDIES = ("rakotomamonjy2012", "laporte2014", "kadkhodaie2015", "across")
LAYOUT = Layout(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")) | {"results": "results"})


def write_tables(folder):
    """Write all tables of the committed snapshot as LaTeX; return their paths."""
    written = {}
    comparison = long_comparison()
    for study in STUDIES:
        read_from = study_of(study, (SNAPSHOT / study).glob("*.csv"))
        texts = {
            table.name: latex_table(table, read_from.table(table.name), file)
            for table in read_from.paper.tables
            if table.is_printed and (file := read_from.file(f"{table.name}.csv"))
        }
        texts["comparison"] = latex_comparison(comparison, study)
        written |= {f"{study}/{name}.tex": text for name, text in texts.items()}
    for name in ("verification", "data"):
        if (SNAPSHOT / f"{name}.csv").is_file():
            written[f"{name}.tex"] = WRITERS[name][0](read_text(SNAPSHOT / f"{name}.csv", ()))
    write(written, folder)
    return [folder / name for name in written]


def studies_of(folder):
    """Studies with two figures each, one small and one larger than a page."""
    studies = []
    for study in STUDIES:
        drawings = []
        for name, size in (("figure1", (3, 2)), ("path_a-b", (12, 14))):
            (folder / study).mkdir(parents=True, exist_ok=True)
            figure = plt.figure(figsize=size)
            figure.savefig(folder / study / f"{name}.pdf")
            plt.close(figure)
            drawings.append(Drawing(f"Figure: {NASTY}", NASTY, "<svg/>", "", name))
        studies.append(StudyReport(study, paper(study), pd.DataFrame(), {}, pd.DataFrame(), drawings))
    return studies


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The tables, the figures and the source of the paper, and the studies."""
    folder = tmp_path_factory.mktemp("written")
    tables, studies = write_tables(folder), studies_of(folder)
    found = provenance({"seed": 7}) | {"cpu": NASTY}
    (folder / "paper").mkdir()
    text = source(studies, tables, found, folder / "paper")
    (folder / "paper/paper.tex").write_text(text, encoding="utf-8")
    return folder, studies


@pytest.fixture
def results(written, tmp_path):
    """A copy, to change."""
    return shutil.copytree(written[0], tmp_path / "results")


def test_every_table_and_figure_is_in_it(results):
    text = (results / "paper/paper.tex").read_text(encoding="utf-8")
    assert text.isascii() and str(results) not in text
    for path in results.glob("*/*.tex"):
        if path.parent.name != "paper":
            assert text.count(f"{{../{path.parent.name}/{path.name}}}") == 1, path
    for study in STUDIES:
        assert f"\\drawing{{../{study}/figure1.pdf}}" in text
    assert "{../verification.tex}" in text
    order = [text.index(rf"\section{{{escape(paper(study).title)}}}") for study in STUDIES]
    assert order == sorted(order)


def test_without_tables_of_the_run_there_is_no_section_of_them(written):
    results, studies = written
    tables = [*results.glob("*/table*.tex"), results / "across/results.tex"]
    text = source(studies, tables, provenance({}), results / "paper")
    assert "The whole run" not in text


@needs_pdflatex
def test_it_compiles_and_everything_fits_the_page(results):
    made = typeset(results / "paper/paper.tex")
    log = made.with_suffix(".log").read_text(encoding="latin-1")
    assert made.read_bytes().startswith(b"%PDF")
    wide = [box for box in overfull(log) if box[0] > 10]
    assert not wide, wide
    assert "Float too large" not in log and "undefined" not in log


@needs_pdflatex
def test_a_broken_table_is_named_with_its_line_and_the_log(results):
    broken = results / "laporte2014/table4.tex"
    broken.write_text("\\begin{tabular}{l}\nfirst \\\\\na \\thisisnothing \\\\\n\\end{tabular}")
    named = r"does not compile: .*laporte2014/table4\.tex, line 3"
    with pytest.raises(TypesettingError, match=named) as said:
        typeset(results / "paper/paper.tex")
    assert "thisisnothing" in str(said.value) and "paper.log" in str(said.value)
    with pytest.raises(SystemExit, match=r"table4\.tex, line 3"):
        files = {"source": str(results / "paper/paper.tex")}
        run("paper", results, files, [str(results / "paper/paper.pdf")])
    assert "table4.tex, line 3" in (results / "paper.log").read_text(encoding="utf-8")


@needs_pdflatex
def test_a_figure_that_is_not_there_is_named(results):
    (results / "laporte2014/figure1.pdf").unlink()
    with pytest.raises(TypesettingError, match=r"laporte2014/figure1\.pdf' not found"):
        typeset(results / "paper/paper.tex")


def test_without_pdflatex_the_packages_are_named(results, monkeypatch):
    monkeypatch.setenv("PATH", str(results))
    with pytest.raises(TypesettingError, match="texlive-latex-base and texlive-latex-recommended"):
        typeset(results / "paper/paper.tex")


def test_errors_and_wide_boxes_are_found_in_a_log():
    log = "../a/t.tex:7: Undefined control sequence.\nl.7 a \\foo\n\nOverfull \\hbox (3.5pt too wide) in p\n"
    log += "Overfull \\hbox (12.25pt too wide) in alignment at lines 3--8\n"
    assert first_error(log) == "../a/t.tex, line 7: Undefined control sequence (near 'a \\foo')"
    assert first_error("x\n! Emergency stop.\n") == "Emergency stop"
    assert first_error("nothing") == "pdflatex says no more"
    assert overfull(log) == [(12.25, "in alignment at lines 3--8"), (3.5, "in p")]


def test_the_layout_names_every_table_and_figure_of_a_study():
    names = [*(f"table{i}" for i in (3, 4, 5, 6)), "tests", "axes", "multiverse_cost"]
    names += ["ranks", "claims", "comparison"]
    assert LAYOUT.latex_of("laporte2014") == [f"results/laporte2014/{name}.tex" for name in names]
    files = LAYOUT.latex_files()
    assert files[-3:] == [f"results/{name}.tex" for name in ("coverage", "verification", "data")]
    assert len(files) == len(set(files))
    printed = LAYOUT.for_print("rakotomamonjy2012")
    drawn = {path.stem for path in map(Path, LAYOUT.shown("rakotomamonjy2012")) if path.suffix == ".svg"}
    for name in drawn:
        files = {f"{name}{end}" for end in (".pdf", "_column.pdf", ".png")}
        assert {f"results/rakotomamonjy2012/{file}" for file in files} <= set(printed)
    assert {"figure_table1", "figure1", "figure3", "path_ionosphere-bad", "critical_difference"} <= drawn


def test_a_study_without_printed_numbers_has_no_comparison():
    quick = LAYOUT.config | {"run": ["kadkhodaie2015"]}
    quick["studies"] = {"kadkhodaie2015": LAYOUT.studies["kadkhodaie2015"] | {"published": False}}
    files = Layout(quick).latex_files()
    assert not any(name in file for name in ("comparison", "claims") for file in files)


def test_a_result_file_that_lacks_a_column_is_named(tmp_path):
    bad = tmp_path / "verification.csv"
    bad.write_text("case,method\n", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"verification\.csv lacks the column 'relative_gap'"):
        read_text(bad, WRITERS["verification"][1])
