"""LaTeX to PDF: pdflatex runs until the references are stable, and an error becomes one sentence."""

import os
import re
import shutil
import subprocess
from pathlib import Path

RUNS, LONGEST = 4, 600
"""How often pdflatex is run at most, and the seconds that one run may take."""


class TypesettingError(RuntimeError):
    """A document cannot be typeset; the message is one sentence for the person who asked for it."""


def typeset(source: str | Path) -> Path:
    """Make a PDF of a LaTeX document, in its folder.

    `source`: the document. Paths in it are relative to its folder. Returns: the PDF; the log lies beside it.
    Raises `TypesettingError`: if pdflatex is not installed, or if the document does not compile: then the
    message has the first error, where it is, and the path of the log.
    """
    source = Path(source)
    program = shutil.which("pdflatex")
    if program is None:
        raise TypesettingError(
            f"{source} cannot be typeset, since there is no pdflatex: install Debian's packages "
            "texlive-latex-base and texlive-latex-recommended, or any TeX distribution with booktabs, and "
            "run again."
        )
    log = source.with_suffix(".log")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", source.name]
    # Long lines are not wrapped: a message must be found whole.
    environment = os.environ | {"max_print_line": "10000"}
    for run in range(1, RUNS + 1):
        try:
            done = subprocess.run(
                command, cwd=source.parent, env=environment, capture_output=True, timeout=LONGEST
            )
        except subprocess.TimeoutExpired:
            raise TypesettingError(
                f"{source} is not typeset after {LONGEST} seconds: see {log}, which says how far it came."
            ) from None
        said = log.read_text(encoding="latin-1") if log.is_file() else done.stdout.decode("latin-1")
        if done.returncode:
            raise TypesettingError(f"{source} does not compile: {first_error(said)}; the whole log is {log}.")
        if run > 1 and not re.search(r"Rerun (to get|LaTeX)|Table widths have changed", said):
            break
    return source.with_suffix(".pdf")


def first_error(log: str) -> str:
    """Say what the first error in a log is, and where: ``../a/table1.tex, line 3: Misplaced ...``."""
    found = re.search(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+): (?P<words>.*)$", log, re.MULTILINE)
    if found is None:
        found = re.search(r"^! (?P<words>.*)$", log, re.MULTILINE)
        return found["words"].rstrip(".") if found else "pdflatex says no more"
    context = re.search(rf"^l\.{found['line']} (.*)$", log[found.end() :], re.MULTILINE)
    near = f" (near '{context[1].strip()[-60:]}')" if context else ""
    return f"{found['file']}, line {found['line']}: {found['words'].rstrip('.')}{near}"


def overfull(log: str) -> list[tuple[float, str]]:
    """List the boxes of a log that are wider than their room: points, and where."""
    found = re.findall(r"^Overfull \\hbox \(([\d.]+)pt too wide\) (.*)$", log, re.MULTILINE)
    return sorted(((float(points), where) for points, where in found), reverse=True)
