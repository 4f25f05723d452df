"""Recognise the format of a user's file: LETOR's folds, or SVMlight text and its shape."""

import itertools
import re
from collections.abc import Mapping
from pathlib import Path

from reproduction.core.errors import BadArchiveError, DataError
from reproduction.datasets.download import archives
from reproduction.datasets.specs import ARCHIVE_SUFFIXES

MAX_SNIFFED_LINES = 50
"""First lines of a file that show whether it is SVMlight text."""
_SVMLIGHT_LINE = re.compile(rb"\s*[-+]?[\d.][\d.eE+-]*(\s+qid:\S+)?(\s+\d+:\S+)*\s*(#.*)?\s*")
_LAST_FEATURE = re.compile(rb"(\d+):\S+\s*$")


def has_letor_folds(path: Path) -> bool:
    """Whether a folder or an archive holds LETOR's folds; an archive of another kind does not.

    Parameters
    ----------
    path : Path

    Returns
    -------
    bool

    Raises
    ------
    DataError
        A folder without them, or an archive that is damaged.
    """
    try:
        members = archives.list_members(path) if path.is_dir() or path.name.endswith(ARCHIVE_SUFFIXES) else []
    except BadArchiveError as error:
        raise DataError(str(error)) from error
    if path.is_dir() and not any("fold1/" in member.lower() for member in members):
        raise DataError(f"{path} is a folder without LETOR's Fold1 to Fold5: name a file, or that folder.")
    return any("fold1/" in member.lower() for member in members)


def is_svmlight(path: Path) -> bool:
    """Whether the first lines are a label and pairs of a feature and a value.

    Parameters
    ----------
    path : Path
        An unpacked file.

    Returns
    -------
    bool
    """
    with open(path, "rb") as stream:
        lines = [line for line in itertools.islice(stream, MAX_SNIFFED_LINES) if line.split(b"#")[0].strip()]
    return any(b":" in line for line in lines) and all(map(_SVMLIGHT_LINE.fullmatch, lines))


def scan_svmlight(local_paths: Mapping[str, Path]) -> tuple[int, bool]:
    """Find the highest feature of some files, and whether each line has the id of a query.

    Parameters
    ----------
    local_paths : mapping of str to Path
        Name of each file, for messages, to the unpacked file.

    Returns
    -------
    highest : int
        Features count from 1.
    has_queries : bool

    Raises
    ------
    DataError
        Some lines have an id and some have none, or a feature is numbered 0.
    """
    highest, with_query, without_query = 0, 0, 0
    for name, path in local_paths.items():
        with open(path, "rb") as stream:
            for number, line in enumerate(stream, start=1):
                content = line.split(b"#", 1)[0]
                if not content.strip():
                    continue
                with_query, without_query = (
                    with_query + (b"qid:" in content),
                    without_query + (b"qid:" not in content),
                )
                if with_query and without_query:
                    raise DataError(
                        f"{name}: line {number} {'has' if b'qid:' in content else 'lacks'} a qid, other than "
                        "the lines before: give all lines one, or none."
                    )
                if b" 0:" in content:
                    raise DataError(f"{name}: line {number} has a feature 0: number the features from 1.")
                # SVMlight's features ascend within a line: the last one is the highest.
                last = _LAST_FEATURE.search(content)
                highest = max(highest, int(last[1])) if last else highest
    return highest, bool(with_query)
