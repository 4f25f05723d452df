"""The papers, and a study of none, each in a folder of its own. No other folder names one."""

from __future__ import annotations

from reproduction.specs.paper import Paper, import_object

PAPERS = {
    "across": "reproduction.papers.across.paper:PAPER",
    "rakotomamonjy2012": "reproduction.papers.rakotomamonjy2012.paper:PAPER",
    "laporte2014": "reproduction.papers.laporte2014.paper:PAPER",
    "kadkhodaie2015": "reproduction.papers.kadkhodaie2015.paper:PAPER",
}
"""Name -> its record, in the order in which papers are shown."""


def paper(name: str) -> Paper:
    """Return the record of a paper.

    Parameters
    ----------
    name : str
        Key of `PAPERS`.

    Returns
    -------
    Paper
        Imported when it is asked for.

    Raises
    ------
    ValueError
        If there is no paper of that name.
    """
    if name not in PAPERS:
        raise ValueError(f"unknown paper {name!r}; it must be one of {', '.join(PAPERS)}")
    return import_object(PAPERS[name])
