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

from toprank.problems.pairwise_segment import _repair

SOURCE = Path(__file__).resolve().parents[2] / "src"

#: A kernel in an environment where numba finds no folder for its cache: with one locator that knows no file.
NOWHERE = """
import numba.core.caching as caching
caching.Nowhere = type("Nowhere", (), {"from_function": classmethod(lambda *given: None)})
import numpy as np
from toprank.projections import balance
print(balance(np.array([3.0, 1.0]), np.array([0.0, 0.5]), 1.0), balance.stats.cache_path)
"""


def test_without_a_folder_for_the_cache_each_process_compiles():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "NUMBA_CACHE_LOCATOR_CLASSES": "Nowhere"}
    command = [sys.executable, "-W", "error", "-c", NOWHERE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    root, folder = done.stdout.split()
    # 3 − g = g − 0 + g − 0.5, as g is above 1
    assert float(root) == 3.5 / 3 and folder == "None"


def test_every_kernel_is_compiled_in_one_way():
    """A kernel compiled in another way could not be imported where no cache can be written."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    assert [name for name, text in texts.items() if re.search(r"\bn?jit\b", text)] == ["compiled.py"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=4), st.integers(0, 2**32 - 1), st.booleans())
def test_an_order_is_put_right_however_wrong_it_is(sizes, seed, has_ties):
    rng = np.random.default_rng(seed)
    starts = np.append(0, np.cumsum(sizes))
    scores = rng.integers(0, 5, starts[-1]).astype(float) if has_ties else rng.normal(size=starts[-1])
    order = np.concatenate([first + rng.permutation(n) for first, n in zip(starts, sizes, strict=False)])
    _repair(order, scores, starts)
    for first, last in itertools.pairwise(starts):
        assert sorted(order[first:last]) == list(range(first, last))
        assert (np.diff(scores[order[first:last]]) >= 0).all()


#: What scikit-learn imports for functions that a fit never calls is imported when one is called.
POSTPONED = """
import sys
import toprank.estimators.ranksvm
from reproduction.features import standardise
assert not {"scipy.stats", "pandas"} & set(sys.modules)
import numpy as np
rows = np.array([[1.0], [2.0], [4.0]])
standardise(rows)
assert not {"scipy.stats", "pandas"} & set(sys.modules)
from sklearn.preprocessing import PowerTransformer
PowerTransformer("box-cox").fit(rows)
import scipy.stats
assert scipy.stats is sys.modules["scipy.stats"] and "_stats_py" in dir(scipy.stats)
import toprank.postponed
with toprank.postponed.postponed("scipy.stats", "colorsys"):
    import colorsys
    assert sys.modules["scipy.stats"] is scipy.stats
assert "colorsys" not in sys.modules
assert colorsys.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
assert sys.modules["colorsys"].rgb_to_hsv is colorsys.rgb_to_hsv
"""


def test_modules_are_imported_at_their_first_use():
    done = subprocess.run([sys.executable, "-c", POSTPONED], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
