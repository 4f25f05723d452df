"""The slips of the three papers, each shown by a small computation.

The printed form fails, the corrected one does not. What nothing fails by is not listed.
"""

from __future__ import annotations

from reproduction import printed_tables
from reproduction.papers.kadkhodaie2015 import errata as top_ranking
from reproduction.papers.laporte2014 import errata as query_ranking
from reproduction.papers.laporte2014 import table_errata as query_tables
from reproduction.papers.rakotomamonjy2012 import errata as infinite_push

PAPERS = {
    "infinite_push": ("rakotomamonjy2012", infinite_push.errata, printed_tables.infinite_push),
    "query_ranking": ("laporte2014", query_ranking.errata, query_tables.query_ranking),
    "top_ranking": ("kadkhodaie2015", top_ranking.errata, printed_tables.top_ranking),
}
"""Protocol -> its paper, the slips of its formulas, and those that its printed tables show."""


def demonstrations(protocol: str, published: str | None = None) -> list[dict]:
    """Run every printed form of a paper beside the corrected one.

    Parameters
    ----------
    protocol : str
        Key of `PAPERS`.
    published : str, optional
        The file of the printed numbers. Without it the slips that the tables show are left out.

    Returns
    -------
    list of dict
        One row a computation, with erratum, paper, place, printed, corrected, problem (what was run),
        measured (the quantity), printed_value, corrected_value, threshold and shown: whether the printed form
        ends above the threshold, and the corrected one does not.

    Raises
    ------
    ValueError
        If no paper has that protocol.
    """
    if protocol not in PAPERS:
        raise ValueError(f"unknown protocol {protocol!r}; it must be one of {', '.join(PAPERS)}")
    paper, of_formulas, of_tables = PAPERS[protocol]
    found = [*of_formulas(), *(of_tables(published) if published else ())]
    return [erratum.row(paper) for erratum in found]
