"""The prose of the documentation, with a record of the passages that tests compare with tables and settings.

`read_prose` gives a page whose passages count as compared where a test looks for them with ``in`` or with
`Prose.find_all`. `test_documented_coverage.py` collects the record and lists the numbers outside of it.
"""

import json
import os
import re
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
SNAPSHOT = ROOT / "reports/snapshot"
WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WORDS += ["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"]
"""Numbers as the pages write them in a sentence."""

RECORD_VARIABLE = "TOPRANK_COMPARED_PASSAGES"
"""Environment variable with the file to which the passages are written, a line of JSON each."""

MIN_LENGTH = 9
"""A shorter passage could be that of another number."""


class Prose(str):
    """The text of a page, its white space single blanks."""

    def __contains__(self, words):
        is_there = super().__contains__(words)
        if is_there:
            self._record(words)
        return is_there

    def find_all(self, pattern):
        """The groups of all matches of a pattern, as `re.findall` gives them; what they match is compared."""
        for match in re.finditer(pattern, self):
            self._record(match.group())
        return re.findall(pattern, self)

    def _record(self, words):
        if len(words) >= MIN_LENGTH and (file := os.environ.get(RECORD_VARIABLE)):
            with Path(file).open("a", encoding="utf-8") as record:
                record.write(json.dumps([self.page, words]) + "\n")


def read_prose(page):
    """Read a page by its path in the repository."""
    prose = Prose(" ".join((ROOT / page).read_text(encoding="utf-8").split()))
    prose.page = page
    return prose


def read_text_table(name, *numbers):
    """Rows of a table of the snapshot; these columns as numbers, NaN where a cell has none."""
    table = pd.read_csv(SNAPSHOT / name, keep_default_na=False, dtype=str)
    return table.assign(**{column: pd.to_numeric(table[column], errors="coerce") for column in numbers})


def read_table(name):
    """A table of the snapshot, NaN where a cell has a word in place of a number."""
    return pd.read_csv(SNAPSHOT / name, na_values=["not obtained", "not published", "not defined", "none"])
