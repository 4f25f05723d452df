"""Kernels, compiled in one way and kept where there is a place; imports that wait for their first use."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from toprank.problems.pairwise_segment import _repair_order

SOURCE = Path(__file__).resolve().parents[2] / "src"

#: A kernel in an environment where numba finds no folder for its cache: with one locator that knows no file.
NOWHERE = """
import numba.core.caching as caching
caching.Nowhere = type("Nowhere", (), {"from_function": classmethod(lambda *given: None)})
import numpy as np
from toprank.projections import solve_balance_equation as balance
print(balance(np.array([3.0, 1.0]), np.array([0.0, 0.5]), 1.0), balance.stats.cache_path)
"""


def test_without_a_folder_for_the_cache_each_process_compiles():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "NUMBA_CACHE_LOCATOR_CLASSES": "Nowhere"}
    command = [sys.executable, "-W", "error", "-c", NOWHERE]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert process.stderr == ""
    root, folder = process.stdout.split()
    # 3 − g = g − 0 + g − 0.5, as g is above 1
    assert float(root) == 3.5 / 3 and folder == "None"


def test_every_kernel_is_compiled_in_one_way():
    """A kernel compiled in another way could not be imported where no cache can be written."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    uses_numba = r"\bnumba\.(n?jit|vectorize|guvectorize)\b|\bfrom numba\b"
    assert [name for name, text in texts.items() if re.search(uses_numba, text)] == ["jit.py"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=4), st.integers(0, 2**32 - 1), st.booleans())
def test_an_order_is_put_right_however_wrong_it_is(sizes, seed, has_ties):
    rng = np.random.default_rng(seed)
    starts = np.append(0, np.cumsum(sizes))
    scores = rng.integers(0, 5, starts[-1]).astype(float) if has_ties else rng.normal(size=starts[-1])
    order = np.concatenate([first + rng.permutation(n) for first, n in zip(starts, sizes, strict=False)])
    _repair_order(order, scores, starts)
    for first, last in itertools.pairwise(starts):
        assert sorted(order[first:last]) == list(range(first, last))
        assert (np.diff(scores[order[first:last]]) >= 0).all()


#: Imports every exported name, then fits. Nothing of ours may stand in for a module of others.
FIRST_FIT_CODE = """
import sys
import toprank
for name in toprank.__all__:
    if name not in ("TwoBlock", "solve_two_block"):
        getattr(toprank, name)
assert "numba" not in sys.modules and "highspy" not in sys.modules and "clarabel" not in sys.modules
from sklearn.utils import fixes
strange = [name for name, module in vars(fixes).items() if type(module).__module__.startswith("toprank")]
assert not strange, strange
toprank.RankSVM().fit([[1.0], [2.0], [3.0]], [0, 1, 1])
assert "numba" in sys.modules
"""


def test_an_import_of_an_estimator_loads_what_a_fit_needs_only_at_the_first_fit():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", FIRST_FIT_CODE]
    process = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert process.returncode == 0, process.stderr
