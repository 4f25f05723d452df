"""What scikit-learn imports for functions that a fit never calls is imported when one is called."""

import subprocess
import sys

PROGRAM = """
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
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
