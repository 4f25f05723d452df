"""What the tests of LaTeX share: a minimal document around tables, compiled where there is pdflatex."""

import os
import re
import shutil
import subprocess

import pytest
from report_rows import ROOT

from reproduction.core.results import read_text

needs_pdflatex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
PACKAGES = (
    r"\usepackage[a4paper,margin=2cm]{geometry}\usepackage{array,booktabs,graphicx,longtable}\parindent0pt"
)
NASTY = r'a_b & 100% of $x^2$ #{1} ~<|>" \emph [x] *λ̂‖w‖₁ ≤ 10⁻⁶ ☃ --end é'


def long_comparison():
    """The comparison of the committed snapshot, with what a run writes now."""
    rows = read_text(ROOT / "reports/snapshot/comparison.csv", ())
    return rows.assign(margin="0.0123", specification="features=scaled; stop=m_k", verdict="recovered")


def typeset_body(folder, body):
    """Compile a document of these lines; return the boxes that are too wide: points, and where."""
    source = folder / "document.tex"
    source.write_text(
        rf"\documentclass{{article}}{PACKAGES}\begin{{document}}{body}\end{{document}}", encoding="utf-8"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", source.name]
    for _ in range(3):  # the widths of a longtable's columns settle in the third run
        process = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"max_print_line": "10000"},  # a message is on one line
            capture_output=True,
            timeout=300,
        )
        log = source.with_suffix(".log").read_text(encoding="latin-1")
        assert process.returncode == 0, re.findall(r"^(?:\S+:\d+:|!) .*", log, re.MULTILINE)[:3]
    wide = re.findall(r"^Overfull \\hbox \(([\d.]+)pt too wide\) (.*)$", log, re.MULTILINE)
    return [(float(points), where) for points, where in wide]
