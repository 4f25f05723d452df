"""The wrong changes that tests/mutants.py makes: each can be made, and its catcher exists."""

import re
from collections import Counter

import mutants
import pytest

MUTANTS = mutants.mutants()
FEWEST = 45


@pytest.mark.parametrize("name", MUTANTS)
def test_the_old_text_stands_once_and_the_test_exists(name):
    mutant = MUTANTS[name]
    assert mutant["old"] != mutant["new"] and mutants.apply_mutant(mutant)
    path, _, test = mutant["test"].partition("::")
    text = (mutants.ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {re.escape(test.partition('[')[0])}\(", text, re.MULTILINE)


def test_there_are_enough_of_them_in_all_rooms():
    assert len(MUTANTS) >= FEWEST
    folders = Counter("/".join(mutant["file"].split("/")[:2]) for mutant in MUTANTS.values())
    assert folders.keys() >= {"src/toprank", "src/reproduction", "workflow/rules", "config.yaml"}


def test_a_sample_is_that_of_the_commit_and_a_name_must_be_known():
    sample = mutants.select_mutants(MUTANTS, [], 10)
    assert len(sample) == 10 and sample.items() <= MUTANTS.items()
    assert mutants.select_mutants(MUTANTS, ["gap-sign"], None).keys() == {"gap-sign"}
    with pytest.raises(SystemExit, match=r"^There is no mutant 'gap'; mutants_of names "):
        mutants.select_mutants(MUTANTS, ["gap"], None)


def test_a_change_is_taken_back_with_its_time_stamp(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("x = 1\n")
    before = file.stat().st_mtime_ns
    with mutants.write_mutant({"file": "a.py", "old": "1", "new": "2"}, tmp_path):
        assert file.read_text() == "x = 2\n"
    assert file.read_text() == "x = 1\n" and file.stat().st_mtime_ns == before
    with pytest.raises(ValueError, match=r"a.py holds '3' 0 times, not once"):
        mutants.apply_mutant({"file": "a.py", "old": "3", "new": "2"}, tmp_path)
