"""What `make test` relies on: tests of one xdist group run in one process, one after the other."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import os
import pytest

@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(6))
def test_together(number):
    print("together", os.getpid())

@pytest.mark.parametrize("number", range(6))
def test_anywhere(number):
    print("anywhere", os.getpid())
"""


def test_a_group_stays_in_one_process(tmp_path):
    """pytest-xdist tells a group by the name that pytest gives a test; where they disagree nothing fails."""
    (tmp_path / "test_some.py").write_text(TESTS)
    (options,) = re.findall(r"pytest (.*) \$\(TESTS\)", (ROOT / "Makefile").read_text())
    command = [sys.executable, "-m", "pytest", *shlex.split(options), "-rP", "-p", "no:cacheprovider", "."]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    processes = {
        word: set(re.findall(rf"^{word} (\d+)", done.stdout, re.M)) for word in ("together", "anywhere")
    }
    assert len(processes["together"]) == 1, f"a group ran in {len(processes['together'])} processes"
    assert processes["anywhere"], done.stdout
