"""The slips that K15's Table 1 shows by itself, beside its caption and the text."""

from __future__ import annotations

from reproduction.erratum import Erratum
from reproduction.papers.kadkhodaie2015.marks import marks_reproduced
from reproduction.papers.kadkhodaie2015.table1 import printed_table1
from reproduction.printed import read_printed

A_FIFTH = 0.2
"""How far a factor may lie from one that is given in words."""


def of_table(published: str) -> list[Erratum]:
    """Check Table 1 against its caption and the text.

    Parameters
    ----------
    published : path-like
        The printed numbers of K15.
    """
    table = printed_table1(read_printed(published))
    marks = marks_reproduced(table)
    found = []
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
                f"{sign}: the decimal exponent of the mean is better than that of the rest",
                "the printed means and marks of the eleven data sets",
                "data sets whose marks contradict the rule",
                int(wrong["factor_rule"].sum()),
                int(wrong["exponent_rule"].sum()),
                0,
            )
        )
    by_method = table.pivot(index="dataset", columns="method")
    seconds, pos = by_method["seconds_mean"], by_method["pos_at_top_mean"]
    factor = float(seconds.loc["spambase", "toppush"] / seconds.loc["spambase", "a2dm2"])
    slower = seconds["a2dm2"] > seconds["toppush"]
    worse = slower & (pos["a2dm2"] < pos["toppush"])
    excepted = worse & ~worse.index.isin(["w8a", "covtype"])
    return [
        *found,
        Erratum(
            "order of magnitude on spambase",
            "section 5.2",
            "A2DM2 “can be even one order of magnitude faster” than TopPush (spambase)",
            "five times faster (spambase)",
            "seconds of TopPush over those of A2DM2 in Table 1",
            "relative distance from the factor of the text",
            abs(10 / factor - 1),
            abs(5 / factor - 1),
            A_FIFTH,
        ),
        Erratum(
            "slower and better",
            "section 5.2",
            "“In the cases where A2DM2 is slower than TopPush, A2DM2 achieves better ranking performance”",
            "… except on w8a and covtype",
            f"the {int(slower.sum())} sets of Table 1 on which A2DM2 takes longer",
            "sets among them on which its Pos@Top is lower",
            int(worse.sum()),
            int(excepted.sum()),
            0,
        ),
    ]
