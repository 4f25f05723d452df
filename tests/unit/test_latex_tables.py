"""The tables of a run as LaTeX: which there are, and that a document can `\\input` all of them."""

import pytest
import yaml
from doc_code_blocks import write_files
from paths import Paths
from report_rows import ROOT
from studies import study_of
from typesetting import long_comparison, needs_pdflatex, typeset_body

from reproduction.core.results import ResultsError, read_text
from reproduction.reporting.latex.run_tables import RUN_TABLE_WRITERS, comparison_to_latex
from reproduction.reporting.latex.tabular import LONG_TABLE_COMMENT, table_to_latex

SNAPSHOT = ROOT / "reports/snapshot"
STUDIES = ("rakotomamonjy2012", "laporte2014", "kadkhodaie2015", "across")
PATHS = Paths(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")) | {"results": "results"})
MAX_OVERFULL_PT = 10
"""By how much a box may be wider than the page, in points."""


@pytest.fixture(scope="module")
def tables():
    """Path -> LaTeX of all tables of the committed snapshot."""
    written = {}
    comparison = long_comparison()
    for study in STUDIES:
        read_from = study_of(study, (SNAPSHOT / study).glob("*.csv"))
        texts = {
            table.name: table_to_latex(table, read_from.table(table.name), file)
            for table in read_from.paper.tables
            if table.has_latex and (file := read_from.file(f"{table.name}.csv"))
        }
        texts["comparison"] = comparison_to_latex(comparison, study)
        written |= {f"{study}/{name}.tex": text for name, text in texts.items()}
    for name in ("verification", "data"):
        written[f"{name}.tex"] = RUN_TABLE_WRITERS[name][0](read_text(SNAPSHOT / f"{name}.csv", ()))
    return written


def test_a_table_names_its_packages_and_its_caption(tables):
    for path, text in tables.items():
        assert text.isascii() and "\\usepackage{booktabs}" in text, path
    caption = tables["laporte2014/table4.tex"].splitlines()[1]
    assert caption.startswith("% Caption: Table IV of the paper: sparsity ratio")
    assert "% Caption" not in tables["across/bayes.tex"]


@needs_pdflatex
def test_every_table_compiles_and_fits_the_page(tables, tmp_path):
    write_files(tables, tmp_path)
    lines = []
    for path, text in tables.items():
        floats = not (LONG_TABLE_COMMENT in text or r"\begin{longtable}" in text)
        line = rf"\input{{{path}}}"
        lines.append(rf"\begin{{table}}[p]{line}\end{{table}}\clearpage" if floats else rf"{line}\clearpage")
    wide = typeset_body(tmp_path, "\n".join(lines))
    assert not [box for box in wide if box[0] > MAX_OVERFULL_PT]


@needs_pdflatex
def test_a_broken_table_is_named_with_its_line(tmp_path):
    (tmp_path / "broken.tex").write_text("\\begin{tabular}{l}\nfirst \\\\\n\\thisisnothing\n\\end{tabular}")
    with pytest.raises(AssertionError, match=r"broken\.tex:3: Undefined control sequence"):
        typeset_body(tmp_path, r"\input{broken.tex}")


def test_the_layout_names_every_table_and_figure_of_a_study():
    names = [*(f"table{i}" for i in (3, 4, 5, 6)), "tests", "choices", "multiverse_cost"]
    names += ["ranks", "claims", "comparison"]
    assert PATHS.list_study_latex("laporte2014") == [f"results/laporte2014/{name}.tex" for name in names]
    assert PATHS.list_run_latex() == [f"results/{name}.tex" for name in ("coverage", "verification", "data")]
    published = PATHS.list_figure_exports("rakotomamonjy2012")
    drawn_files = {
        path.rpartition("/")[2]
        for path in PATHS.list_page_files("rakotomamonjy2012")
        if path.endswith(".svg")
    }
    expected = {f"results/rakotomamonjy2012/{name.removesuffix('.svg')}" for name in drawn_files}
    assert set(published) == {f"{name}{end}" for name in expected for end in (".pdf", ".png")}
    assert {
        "figure_table1.svg",
        "figure1.svg",
        "path_ionosphere-bad.svg",
        "critical_difference.svg",
    } <= drawn_files


def test_a_study_without_published_numbers_has_no_comparison():
    quick = PATHS.studies.config | {"run": ["kadkhodaie2015"]}
    quick["studies"] = {"kadkhodaie2015": PATHS.studies.settings["kadkhodaie2015"] | {"published": False}}
    paths = Paths(quick)
    files = [*paths.list_study_latex("kadkhodaie2015"), *paths.list_run_latex()]
    assert not any(name in file for name in ("comparison", "claims", "coverage") for file in files)


def test_a_result_file_that_lacks_a_column_is_named(tmp_path):
    bad = tmp_path / "verification.csv"
    bad.write_text("case,method\n", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"verification\.csv lacks the column 'relative_gap'"):
        read_text(bad, RUN_TABLE_WRITERS["verification"][1])
