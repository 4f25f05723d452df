"""A slip of a paper with the small computation that shows it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

IN_OUR_TEXT = "in the text available to us"
"""Said of a slip that is one symbol, which a copy of the text may have lost."""


@dataclass(frozen=True)
class Erratum:
    """What is printed, what it should be, and a number that each of the two leads to.

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
    printed: str
    corrected: str
    problem: str
    measured: str
    printed_value: float
    corrected_value: float
    threshold: float

    @property
    def shown(self) -> bool:
        """Whether the printed form ends above the threshold, or at NaN, and the corrected one does not."""
        fails = not self.printed_value <= self.threshold
        return bool(fails and self.corrected_value <= self.threshold)


def as_rows(paper: str, errata: Iterable[Erratum]) -> list[dict]:
    """Lay out the errata of a paper as the rows of errata.csv.

    `paper`: its name, which stands in every row. `errata`: what the paper's ``errata`` returns.
    """
    return [{"erratum": one.erratum, "paper": paper, **asdict(one), "shown": one.shown} for one in errata]
