"""The slips that K15's Table 1 shows by itself, beside its caption.

Section 5.2 is right about times: it counts orders of magnitude by decimal exponents, as the marks do. By them
A2DM2 is one order faster on spambase, and slower on diabetes and a9a only, where its Pos@Top is higher.
"""

from __future__ import annotations

from reproduction.erratum import Erratum
from reproduction.papers.kadkhodaie2015.marks import marks_reproduced
from reproduction.papers.kadkhodaie2015.table1 import printed_table1
from reproduction.printed import read_printed


def of_table(published: str) -> list[Erratum]:
    """Check the printed Table 1 against its caption."""
    marks, found = marks_reproduced(printed_table1(read_printed(published))), []
    for sign, mark, words in (
        ("●", "pos_at_top_mark", "“at least 10 times greater than the Pos@Top achieved by the rest”"),
        ("★", "seconds_mark", "“at least an order of magnitude faster compared to the remaining ones”"),
    ):
        wrong = ~marks.loc[marks["mark"] == mark, ["factor_rule", "exponent_rule"]].astype(bool)
        found.append(
            Erratum(
                f"rule of {sign}",
                "caption of Table 1",
                f"{sign}: {words}",
                f"{sign}: the decimal exponent of the mean is better than the others",
                "the printed means and marks of the eleven data sets",
                "data sets whose marks contradict the rule",
                *(int(wrong[rule].sum()) for rule in ("factor_rule", "exponent_rule")),
                0,
            )
        )
    return found
