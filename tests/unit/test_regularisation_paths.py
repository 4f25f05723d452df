"""A path: the fits that it would make one by one, where it begins, what it draws, and what it asks for."""

import subprocess
import sys

import numpy as np
import pytest
from ranking_data import gaussians, stack_classes
from sklearn.base import clone

from toprank import FenchelRank, FSMRank, GroupL2, InfinitePush, RankSVM, RFEInfinitePush, TopPush, path

X, Y = stack_classes(*gaussians())
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
    path_result = path(model, X, Y, qid, values=4, span=0.01)
    assert model.get_params() == before and not hasattr(model, "coef_")
    assert path_result.coefs.shape == (4, 4) and path_result.values.shape == (4,)
    ratios = path_result.values[1:] / path_result.values[:-1]
    ratio = 0.01**0.25
    assert ratios == pytest.approx(1 / ratio if path_result.parameter == "C" else ratio)
    for value, fitted, certificate in zip(
        path_result.values, path_result.models, path_result.certificates, strict=True
    ):
        alone = clone(model).set_params(**{path_result.parameter: value}).fit(X, Y, qid)
        assert certificate.status == alone.certificate_.status == "certified"
        assert certificate.objective == pytest.approx(alone.certificate_.objective, rel=1e-5)
        np.testing.assert_array_equal(fitted.decision_function(X), X @ fitted.coef_)
    if path_result.parameter != "beta":
        assert path_result.n_selected[0] > 0  # it begins below the first model that has features


MODELS_OF_UNITS = [
    InfinitePush(),
    InfinitePush("l2"),
    InfinitePush("l2", depth=3),
    RFEInfinitePush(3, depth=3),
]
MODELS_OF_UNITS += [TopPush(), RankSVM(), RankSVM("l2")]


@pytest.mark.parametrize("model", MODELS_OF_UNITS, ids=repr)
def test_units_do_not_change_the_scores_along_a_path(model):
    """Under a ridge too, whose regularisation has the unit of the features squared."""
    scores, other_scores = (
        path(model, factor * X, Y, values=3).coefs @ (factor * X).T for factor in (1.0, 1000.0)
    )
    np.testing.assert_allclose(other_scores, scores, atol=1e-5 * np.abs(scores).max())


@pytest.mark.parametrize("model", [TopPush(0.1), InfinitePush(alpha=0.05), InfinitePush("l2", 0.1)], ids=repr)
def test_a_path_of_depths(model):
    """The mean of the K highest falls with K, and so does the objective, at each K that of a single fit."""
    path_result = path(model, X, Y, param="depth", values=6)
    n_negatives = np.count_nonzero(Y == 0)
    assert path_result.parameter == "depth" and path_result.values == pytest.approx(
        np.geomspace(1.0, n_negatives, 6)
    )
    objectives = np.array([certificate.objective for certificate in path_result.certificates])
    assert (np.diff(objectives) <= 1e-8).all() and objectives[-1] < objectives[0] - 0.01
    for value, fitted in zip(path_result.values, path_result.models, strict=True):
        alone = clone(model).set_params(depth=value).fit(X, Y)
        assert fitted.depth_ == alone.depth_ and fitted.certificate_.status == "certified"
        assert fitted.certificate_.objective == pytest.approx(alone.certificate_.objective, rel=1e-6)
    share_path = path(model, X, Y, param="depth", values=[0.1, 0.5])
    shares = share_path.models
    positions = share_path.plot().lines[0].get_xdata()
    assert positions == pytest.approx([fitted.depth_ for fitted in shares])
    assert [fitted.depth_ for fitted in shares] == pytest.approx([0.1 * n_negatives, 0.5 * n_negatives])


def test_the_parameter_may_be_named():
    assert path(FSMRank(), X, Y, QID, param="alpha", values=[0.1]).models[0].alpha == 0.1
    assert path(InfinitePush(depth=3), X, Y, param="alpha", values=2).models[1].depth == 3


def test_given_values():
    for model, values in [(TopPush(), [1.0, 0.1]), (FenchelRank(), [0.5, 1.0])]:
        path_result = path(model, X, Y, values=values)
        assert path_result.values.tolist() == values
        assert [getattr(fitted, path_result.parameter) for fitted in path_result.models] == values


@pytest.mark.parametrize(
    ("model", "how", "message"),
    [
        (FenchelRank(), {}, "FenchelRank has no default path; give the values of radius"),
        (RankSVM(), {"param": "depth"}, "no path of RankSVM follows 'depth'; take param='C'"),
        (TopPush(), {"param": "tol"}, "no path of TopPush follows 'tol'; take param='alpha' or 'depth'"),
        (TopPush(), {"param": "depth", "values": [0.5, 99]}, "depth=99 exceeds the number of negatives"),
        (InfinitePush(), {"span": 2.0}, "span must be a number between 0 and 1; got 2.0"),
        (RankSVM(), {"X": np.ones((50, 2))}, "w = 0 is optimal at every C on these data; there is no path"),
    ],
)
def test_what_a_path_asks_for(model, how, message):
    with pytest.raises(ValueError, match=message):
        path(model, **{"X": X, "y": Y} | how)


def test_the_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    path_result = path(RankSVM(), X, Y, QID, values=5)
    axes = path_result.plot()
    assert axes.get_xscale() == "log" and axes.get_xlabel() == "C" and len(axes.lines) == 4
    for line, weights in zip(axes.lines, path_result.coefs.T, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), weights)
    of_depths = path(TopPush(), X, Y, param="depth", values=3).plot()
    assert of_depths.get_xscale() == "log"
    assert of_depths.get_xlabel() == "depth (highest negatives in the loss)"
    _, ax = pyplot.subplots()
    assert path_result.plot(ax) is ax
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
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout == "a plot needs matplotlib: pip install matplotlib\n"
