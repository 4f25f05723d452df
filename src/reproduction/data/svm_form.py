"""Detect SVMlight text and its number of features, for a file that has no entry yet."""

import itertools
import re

from reproduction.data.errors import DataError

_LINE = re.compile(rb"\s*[-+]?[\d.][\d.eE+-]*(\s+qid:\S+)?(\s+\d+:\S+)*\s*(#.*)?\s*")
_LAST = re.compile(rb"(\d+):\S+\s*$")
LOOKED_AT = 50


def is_svmlight(path):
    """Whether the first lines are a label and pairs of a feature and a value."""
    with open(path, "rb") as stream:
        lines = [line for line in itertools.islice(stream, LOOKED_AT) if line.split(b"#")[0].strip()]
    return any(b":" in line for line in lines) and all(map(_LINE.fullmatch, lines))


def shape_of(local):
    """Return the highest feature of some files, and whether each line has the id of a query.

    Raises `DataError`: some lines have one and some have none, or a feature is numbered 0.
    """
    highest, with_query, without = 0, 0, 0
    for name, path in local.items():
        with open(path, "rb") as stream:
            for number, line in enumerate(stream, start=1):
                content = line.split(b"#", 1)[0]
                if not content.strip():
                    continue
                with_query, without = with_query + (b"qid:" in content), without + (b"qid:" not in content)
                if with_query and without:
                    raise DataError(
                        f"{name}: line {number} {'has' if b'qid:' in content else 'lacks'} a qid, other than "
                        "the lines before: give all lines one, or none."
                    )
                if b" 0:" in content:
                    raise DataError(f"{name}: line {number} has a feature 0: number the features from 1.")
                last = _LAST.search(content)
                highest = max(highest, int(last[1])) if last else highest
    return highest, bool(with_query)
