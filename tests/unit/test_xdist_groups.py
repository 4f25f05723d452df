"""What `make test` relies on: tests of one xdist group, and of one file, run in one process."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import os
import pytest

{mark}
@pytest.mark.parametrize("number", range(6))
def test_{name}(number):
    print("{name}", os.getpid())
"""


def test_a_group_and_a_file_stay_in_one_process(tmp_path):
    """pytest-xdist tells a group by the name that pytest gives a test; where they disagree nothing fails."""
    shutil.copy(ROOT / "tests/conftest.py", tmp_path)
    mark = "@pytest.mark.xdist_group('one')"
    for name, text in (
        ("first", TESTS.format(mark=mark, name="together")),
        ("second", TESTS.format(mark=mark, name="together")),
        ("third", TESTS.format(mark="", name="alone")),
    ):
        (tmp_path / f"test_{name}.py").write_text(text)
    (options,) = re.findall(r"pytest (.*) \$\(TESTS\)", (ROOT / "Makefile").read_text())
    command = [sys.executable, "-m", "pytest", *shlex.split(options), "-rP", "-p", "no:cacheprovider", "."]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join(str(ROOT / part) for part in ("src", "workflow/lib"))
    process = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout
    for name, max_workers in (("together", 12), ("alone", 6)):
        processes = re.findall(rf"^{name} (\d+)", process.stdout, re.M)
        assert len(processes) == max_workers and len({*processes}) == 1, (
            f"{name} ran in {len({*processes})} processes"
        )
