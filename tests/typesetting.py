"""What the tests of LaTeX share: a document around tables, and whether it can be typeset here."""

import shutil

import pytest
from report_rows import ROOT

from reproduction.report.latex.typeset import overfull, typeset
from reproduction.results import read_text

needs_pdflatex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
PACKAGES = r"\usepackage[a4paper,margin=2cm]{geometry}\usepackage{array,booktabs,graphicx,longtable}"
NASTY = r'a_b & 100% of $x^2$ #{1} ~<|>" \emph [x] *λ̂‖w‖₁ ≤ 10⁻⁶ ☃ --end é'


def long_comparison():
    """The comparison of the committed snapshot, with what a run writes now."""
    rows = read_text(ROOT / "reports/snapshot/comparison.csv", ())
    return rows.assign(margin="0.0123", universe="features=scaled; stop=m_k", verdict="recovered")


def typeset_body(folder, body):
    """Typeset a document; return the boxes that are too wide."""
    source = folder / "document.tex"
    source.write_text(
        rf"\documentclass{{article}}{PACKAGES}\begin{{document}}{body}\end{{document}}", encoding="utf-8"
    )
    assert typeset(source).stat().st_size > 1000
    return overfull(source.with_suffix(".log").read_text(encoding="latin-1"))
