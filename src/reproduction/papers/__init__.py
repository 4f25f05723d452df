"""The three papers, each in a folder of its own."""

from __future__ import annotations

from pathlib import Path

OF_PROTOCOL = {
    "top_ranking": "kadkhodaie2015",
    "infinite_push": "rakotomamonjy2012",
    "query_ranking": "laporte2014",
}
"""Protocol -> the folder of the paper that has it."""


def printed_file(protocol: str) -> Path:
    """Find the file of the numbers that the paper of a protocol prints."""
    return Path(__file__).parent / OF_PROTOCOL[protocol] / "printed.csv"
