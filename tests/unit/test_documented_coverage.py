"""Every number of the pages with results stands in a passage that a test compares, or in a short list here.

The tests of the pages are run once more, in a process that records what they look for in each page
(`documented_pages`). A number outside of all these passages fails: compare it in a test, or take it out.
"""

import json
import os
import re
import subprocess
import sys

import pytest
from documented_pages import RECORD_VARIABLE, ROOT, read_prose

PAGES = (
    "README.md",
    *(f"docs/{name}.md" for name in ("results", "multiverse", "which_method", "data", "tutorial")),
)
TESTS = ["chance", "data", "depth", "methods", "multiverse", "numbers", "results", "settings", "trends"]

SIZES = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
NUMBER = re.compile(
    r"(?<![\w^@/])[-−]?\.?\d+(?:[.,]\d+)*(?:e-?\d+)?(?!\w*[A-Za-z_])"  # not in a name such as w8a
    rf"|\b(?:{'|'.join(SIZES.split())}|seventeen|eighteen|nineteen|twenty|twice|hundred)\b",
    re.IGNORECASE,
)
EXEMPT_PATTERNS = {
    "code, which other tests run": r"```.*?```",
    "a year of a paper": r"(?:Rakotomamonjy|Landrum|et al\.|ICML|TNNLS|KDD) 20\d\d",
    "the address of a link": r"\]\(https?://[^)]*\)",
    "a place in a paper": r"(?:Algorithm|Figures?|Table|Theorem) \d+(?: and \d\b)?",
    "an equation of a paper": r"(?:eq\.|objective|optimum of) \(\d+\)",
    "the optimum without a feature": r"w = 0",
    "an interval of no decision": r"holds 0\b",
    "an interval of scaled features": r"\[−?[01], 1\]",
    "a level of an interval": r"\b95 %",
    "a numbered item": r"(?<=[.;] )\d\. |(?<=[.:] )1\. ",
    "a version, a name, an option": r"AVX-512|`muv-\d+`|python3\.\d+|SHA-256|--cores 2|bandwidth=1",
    "a rate of convergence": r"1/k\b|1/√ε",
    "a figure of speech": r"in a second or two",
}
"""Why a number needs no test -> what it looks like."""


def find_numbers_not_compared(prose, passages):
    """Yield each number of a page outside of all passages, with the words around it."""
    is_compared = bytearray(len(prose))
    for passage in passages:
        for match in re.finditer(re.escape(passage), prose):
            is_compared[match.start() : match.end()] = bytes([1]) * len(passage)
    for pattern in EXEMPT_PATTERNS.values():
        for match in re.finditer(pattern, prose):
            is_compared[match.start() : match.end()] = bytes([1]) * (match.end() - match.start())
    for match in NUMBER.finditer(prose):
        if not all(is_compared[match.start() : match.end()]):
            yield prose[max(0, match.start() - 40) : match.end() + 30]


@pytest.fixture(scope="module")
def passages(tmp_path_factory):
    """Page -> the passages that the tests of the pages look for."""
    record = tmp_path_factory.mktemp("passages") / "record.jsonl"
    files = [f"tests/unit/test_documented_{name}.py" for name in TESTS] + ["tests/unit/test_documentation.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files]
    command += ["-k", "not blocks and not example"]
    environment = os.environ | {RECORD_VARIABLE: str(record)}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:]
    words_of = {page: set() for page in PAGES}
    for line in record.read_text(encoding="utf-8").splitlines():
        page, words = json.loads(line)
        words_of.setdefault(page, set()).add(words)
    return words_of


@pytest.mark.parametrize("page", PAGES)
def test_every_number_is_compared(page, passages):
    assert not list(find_numbers_not_compared(str(read_prose(page)), passages[page]))


def test_a_number_outside_of_all_passages_is_named():
    prose = "Of 18 rates 2 agree, as in Table 1 (.05; w8a; 1e-6), on seven sets (Laporte et al. 2014)."
    uncovered = list(find_numbers_not_compared(prose, {"Of 18 rates 2 agree"}))
    assert [re.findall(r"\(\.05|1e-6|seven", words)[0] for words in uncovered] == ["(.05", "(.05", "(.05"]
    assert len(uncovered) == 3, ".05, 1e-6 and seven; not the name, the table and the year"
    assert not list(find_numbers_not_compared(prose, {prose}))
