"""A path: the fits that it would make one by one, where it begins, what it draws, and what it asks for."""

import subprocess
import sys

import numpy as np
import pytest
from ranking_data import gaussians, stacked
from sklearn.base import clone

from toprank import FenchelRank, FSMRank, GroupL2, InfinitePush, RankSVM, TopPush, path

X, Y = stacked(*gaussians())
QID = np.arange(Y.size) % 3


@pytest.mark.parametrize(
    ("model", "qid"),
    [
        (RankSVM(), QID),
        (RankSVM("mcp"), QID),
        (RankSVM("l2"), None),
        (InfinitePush(), None),
        (InfinitePush(GroupL2([0, 0, 1, 1])), None),
        (InfinitePush(), np.zeros(Y.size)),
        (FSMRank(), QID),
    ],
    ids=repr,
)
def test_a_path_holds_certified_fits(model, qid):
    before = model.get_params()
    found = path(model, X, Y, qid, n_values=4, span=0.01)
    assert model.get_params() == before and not hasattr(model, "coef_")
    assert found.coefs.shape == (4, 4) and found.values.shape == (4,)
    ratios = found.values[1:] / found.values[:-1]
    wanted = 0.01**0.25
    assert ratios == pytest.approx(1 / wanted if found.parameter == "C" else wanted)
    for value, fitted, certificate in zip(found.values, found.models, found.certificates, strict=True):
        alone = clone(model).set_params(**{found.parameter: value}).fit(X, Y, qid)
        assert certificate.status == alone.certificate_.status == "certified"
        assert certificate.objective == pytest.approx(alone.certificate_.objective, rel=1e-5)
        np.testing.assert_array_equal(fitted.decision_function(X), X @ fitted.coef_)
    if found.parameter != "beta":
        assert found.n_selected[0] > 0  # it begins below the first model that has features


def test_given_values():
    for model, values in [(TopPush(), [1.0, 0.1]), (FenchelRank(), [0.5, 1.0])]:
        found = path(model, X, Y, values=values)
        assert found.values.tolist() == values
        assert [getattr(fitted, found.parameter) for fitted in found.models] == values


@pytest.mark.parametrize(
    ("model", "how", "message"),
    [
        (TopPush(), {}, "TopPush has no default path; give the values of alpha"),
        (FenchelRank(), {}, "FenchelRank has no default path; give the values of radius"),
        (InfinitePush(), {"span": 2.0}, "span must be a number between 0 and 1; got 2.0"),
        (RankSVM(), {"X": np.ones((50, 2))}, "w = 0 is optimal at every C on these data; there is no path"),
    ],
)
def test_what_a_path_asks_for(model, how, message):
    with pytest.raises(ValueError, match=message):
        path(model, **{"X": X, "y": Y} | how)


def test_the_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = path(RankSVM(), X, Y, QID, n_values=5)
    axes = found.plot()
    assert axes.get_xscale() == "log" and axes.get_xlabel() == "C" and len(axes.lines) == 4
    for line, weights in zip(axes.lines, found.coefs.T, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), weights)
    _, given = pyplot.subplots()
    assert found.plot(given) is given
    pyplot.close("all")


def test_matplotlib_is_imported_for_a_picture_alone():
    program = """
import sys
from toprank import TopPush, path
found = path(TopPush(), [[1.0], [0.0]], [1, 0], values=[1.0])
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = None
try:
    found.plot()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "a plot needs matplotlib: pip install matplotlib\n"
