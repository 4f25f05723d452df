"""Errata of the papers: of each slip, the published and the corrected form, and a computation that runs both.

`docs/errata.md` lists them; `tests/unit/test_errata.py` compares the page with what is computed here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

AVAILABLE_TEXT_NOTE = "in the text available to us"
"""Said of a slip that is one symbol, which a copy of the text may have lost."""

MAX_FINITE = 1e6
"""Largest value of a published form that is written as a number; beyond it, the iterates diverge."""


@dataclass(frozen=True)
class Erratum:
    """What is published, what it should be, and a number that each of the two leads to.

    Attributes
    ----------
    erratum : str
        Its name, unique within the paper.
    place : str
        Section, equation or line.
    problem : str
        What was run.
    measured : str
        The quantity that both forms are measured by; it should not exceed `threshold`.
    """

    erratum: str
    place: str
    published: str
    corrected: str
    problem: str
    measured: str
    published_value: float
    corrected_value: float
    threshold: float

    @property
    def is_demonstrated(self) -> bool:
        """Whether the published form ends above the threshold, or at NaN, and the corrected one does not."""
        fails = not self.published_value <= self.threshold
        return bool(fails and self.corrected_value <= self.threshold)


def table_of(errata: Iterable[Erratum]) -> str:
    """Write the errata of a paper as the table of the documentation, in Markdown."""
    lines = ["| where | published | corrected | what shows it |", "|---|---|---|---|"]
    for slip in errata:
        result = (
            f"{slip.measured}: **{_format_value(slip.published_value)}** as published, "
            f"at most {slip.threshold:.2g}"
        )
        cells = (slip.place, slip.published, slip.corrected, f"{result} as corrected. Run: {slip.problem}.")
        escaped = (cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells)
        lines.append(f"| {' | '.join(escaped)} |")
    return "\n".join([*lines, ""])


def _format_value(value: float) -> str:
    """Write what a published form leads to with two digits, or that its iterates diverge."""
    if not value <= MAX_FINITE:
        return "diverges"
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"
