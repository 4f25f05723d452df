"""Methods of the joint study: the depth in a grid, the nearest active, XGBoost's places at the top."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from ranking_data import raises_one_sentence
from sklearn.datasets import make_classification
from sklearn.preprocessing import scale

from reproduction.fitting.fit_rows import fit_grid
from reproduction.fitting.method import Method
from reproduction.fitting.nearest_active import NearestActive
from toprank import InfinitePush, TopPush

BITS = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 1]])
LABELS = np.array([1, -1, -1, -1, 1])


@pytest.fixture
def data():
    X, y = make_classification(200, 5, weights=[0.8], class_sep=0.6, random_state=1)
    return scale(X), y


def fit_depths(name, fixed, data, shares=(0.01, 0.1)):
    grid = {"depth_share": [0.0, 0.001, 0.05, 0.5], "share": list(shares)}
    method = Method(f"toprank.{name}", {"solver": "exact", "warm_start": True} | fixed, grid)
    return fit_grid(method, grid, *data, lambda *_: None)


@pytest.mark.filterwarnings("ignore:w = 0 is optimal")
@pytest.mark.parametrize(
    ("model", "fixed"),
    [(TopPush, {}), (InfinitePush, {"penalty": "l1"}), (InfinitePush, {"penalty": "l2"})],
)
def test_each_depth_has_its_own_strongest_regularisation(data, model, fixed):
    rows = fit_depths(model.__name__, fixed, data)
    assert [row["status"] for row in rows] == ["certified"] * 8
    negatives = np.count_nonzero(data[1] == 0)
    for row in rows:
        params = json.loads(row["params"])
        # a share of less than one negative is the highest one alone
        depth = max(1.0, params["depth_share"] * negatives)
        assert params["depth"] == pytest.approx(depth)
        direct = model(depth=depth, **fixed)
        assert params["alpha"] == pytest.approx(params["share"] * (direct.alpha_max(*data) or 1.0), rel=1e-6)
        direct.set_params(alpha=params["alpha"]).fit(*data)
        assert row["objective"] == pytest.approx(direct.certificate_.objective, rel=1e-6)


def test_a_depth_without_shares_of_the_regularisation_is_resolved_alone(data):
    points = [{"depth_share": 0.5, "alpha": 0.1}, {"alpha": 0.2}]
    resolved = Method("toprank.TopPush").resolve(points, *data)
    depth = 0.5 * np.count_nonzero(data[1] == 0)
    assert resolved == [points[0] | {"depth": depth}, points[1]]


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_the_nearest_active_is_the_largest_tanimoto_similarity(convert):
    scores = NearestActive().fit(convert(BITS), LABELS).decision_function(convert(BITS))
    expected = []
    for row in BITS:
        actives = BITS[LABELS > 0]
        expected.append(max(np.sum(row & active) / max(np.sum(row | active), 1) for active in actives))
    assert scores == pytest.approx(expected)
    assert scores[3] == 0.0, "a fingerprint of zeros is like none"
    assert scores[[0, 4]].tolist() == [1.0, 1.0]


def test_the_nearest_active_has_the_same_scores_in_parts(monkeypatch):
    rows = np.random.default_rng(0).integers(0, 2, (50, 20))
    model = NearestActive().fit(rows, np.arange(50) % 5 == 0)
    scores = model.decision_function(rows)
    monkeypatch.setattr("reproduction.fitting.nearest_active.ROWS_AT_ONCE", 7)
    assert np.array_equal(model.decision_function(rows), scores)
    assert NearestActive().fit(rows, np.zeros(50)).decision_function(rows).tolist() == [0.0] * 50


def test_the_nearest_active_says_in_a_sentence_what_it_needs():
    method = Method("reproduction.fitting.nearest_active.NearestActive")
    assert method.find_obstacle(BITS, "raw") == method.find_obstacle(sp.csr_array(BITS), "raw") == ""
    assert "features of 0 and 1" in method.find_obstacle(BITS * 0.5, "raw")
    assert "raw" in method.find_obstacle(BITS, "standardised")
    with raises_one_sentence("features of 0 and 1"):
        NearestActive().fit(BITS + 1, LABELS)
    assert Method("toprank.TopPush").find_obstacle(BITS * 0.5, "standardised") == ""


def test_the_forest_ranks_relevant_rows_before_all_others(data):
    grades = np.where(data[1] > 0, 2, 0)
    method = Method("reproduction.fitting.baselines.random_forest", {"n_estimators": 20, "random_state": 0})
    model = method.build().fit(data[0], grades)
    scores = model.decision_function(data[0])
    assert scores[grades > 0].mean() > 0.7 > 0.3 > scores[grades == 0].mean()


def test_the_places_of_xgboosts_ranker_are_bounded_by_the_pairs(data):
    pytest.importorskip("xgboost")
    from reproduction.fitting.baselines import xgboost_ranker

    level = "lambdarank_num_pair_per_sample"
    for places, pairs, expected in ((100, 10**6, 100), (100, 200 * 50, 50), (100, 10, 32), (None, 10, None)):
        model = xgboost_ranker(pairs=pairs, n_estimators=1, **({level: places} if places else {}))
        assert model.fit(*data, group=np.array([200])).get_params().get(level) == expected
