"""Exported models: an independent reading of each format has the scores of the model."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from toprank import (
    MCP,
    FenchelRank,
    FSMRank,
    GroupL2,
    InfinitePush,
    RankSVM,
    RFEInfinitePush,
    TopPush,
    TopPushCV,
    make_ranking_scorer,
)
from toprank.export import from_json, to_elasticsearch, to_json, to_solr
from toprank.linear_model import fold_scaling

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(80, 6)) * [1.0, 1e3, 1e-3, 5.0, 1.0, 1.0] + [0.0, 5e3, 1.0, -7.0, 0.0, 3.0]
X[:, 5] = 3.0  # a constant feature, whose scale is 1
Y = ((X[:, 0] + X[:, 1] / 1e3 + RANDOM.normal(size=80)) > 5.0).astype(int)
NAMES = ["bm25", "clicks", "ctr", "age", "häufig", "constant"]
RANKERS = [
    TopPush(alpha=0.01),
    InfinitePush("l1", alpha=0.05),
    RFEInfinitePush(5, alpha=1e-4),
    RankSVM(MCP(gamma=3.0), C=0.01),
    RankSVM(GroupL2([0, 0, 1, 1, 2, 2]), C=0.01),
    FenchelRank(radius=2.0),
    FSMRank(alpha=0.01, beta=0.01),
]
SCALERS = [
    None,
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    StandardScaler(with_mean=False, with_std=False),
]


def fit(ranker, scaler=None, rows=X):
    model = ranker if scaler is None else make_pipeline(scaler, ranker)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # published rules that end without a certificate
        return model.fit(rows, Y)


def score_json(text, rows):
    """Scores by the words of the documentation of the format."""
    document = json.loads(text)
    scores = np.full(len(rows), document["intercept"])
    for feature in document["features"]:
        scores += (
            feature["weight"] * (rows[:, feature["index"]] - feature.get("mean", 0)) / feature.get("scale", 1)
        )
    return scores


def score_solr(text, rows):
    document = json.loads(text)
    assert document["class"] == "org.apache.solr.ltr.model.LinearModel"
    weights, scores = document["params"]["weights"], np.zeros(len(rows))
    assert weights.keys() == {feature["name"] for feature in document["features"]}
    for feature in document["features"]:
        values = rows[:, NAMES.index(feature["name"])]
        if "norm" in feature:
            assert feature["norm"]["class"] == "org.apache.solr.ltr.norm.StandardNormalizer"
            params = feature["norm"]["params"]
            assert {type(value) for value in params.values()} == {str} and float(params["std"]) > 0
            values = (values - float(params["avg"])) / float(params["std"])
        assert isinstance(
            weights[feature["name"]], float
        )  # Solr casts to Double, which a whole number is not
        scores += weights[feature["name"]] * values
    return scores


def score_elasticsearch(text, rows):
    model = json.loads(text)["model"]["model"]
    assert model["type"] == "model/linear" and isinstance(model["definition"], str)
    scores, normalizers = np.zeros(len(rows)), model.get("feature_normalizers", {})
    for name, weight in json.loads(model["definition"]).items():
        values = rows[:, NAMES.index(name)]
        if name in normalizers:
            standard = normalizers[name]["standard"]
            values = (values - standard["mean"]) / standard["standard_deviation"]
        scores += weight * values
    return scores


READERS = {
    "json": (to_json, score_json),
    "solr": (to_solr, score_solr),
    "elasticsearch": (to_elasticsearch, score_elasticsearch),
}


def assert_equal(scores, expected_scores):
    """Equal to 1e-12 of the largest score, or of the largest part of one."""
    np.testing.assert_allclose(scores, expected_scores, rtol=0, atol=1e-12 * np.abs(expected_scores).max())


@pytest.mark.parametrize("nonzero_only", [True, False])
@pytest.mark.parametrize("scaler", SCALERS, ids=repr)
@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
@pytest.mark.parametrize("name", READERS)
def test_the_scores_are_those_of_the_model(name, ranker, scaler, nonzero_only):
    write, score = READERS[name]
    model = fit(ranker, scaler)
    expected_scores = model.decision_function(X)
    assert_equal(score(write(model, NAMES, nonzero_only=nonzero_only), X), expected_scores)


@pytest.mark.parametrize("scaler", SCALERS[1:], ids=repr)
@pytest.mark.parametrize("name", READERS)
def test_folded_scores_differ_by_one_number(name, scaler):
    write, score = READERS[name]
    model = fit(TopPush(alpha=0.01), scaler)
    scores, expected_scores = score(write(model, NAMES, fold=True), X), model.decision_function(X)
    shift = np.mean(scores - expected_scores)
    np.testing.assert_allclose(scores - shift, expected_scores, rtol=0, atol=1e-11 * np.abs(scores).max())
    assert name != "json" or abs(shift) <= 1e-11 * np.abs(scores).max()
    assert "norm" not in json.loads(to_solr(model, NAMES, fold=True))["features"][0]


@pytest.mark.parametrize("scaler", SCALERS, ids=repr)
@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_a_model_that_is_read_again_is_the_same(ranker, scaler):
    model = fit(ranker, scaler)
    last_step = model if scaler is None else model[-1]
    restored = from_json(to_json(model, NAMES))
    np.testing.assert_array_equal(restored.coef_, last_step.coef_)
    assert restored.certificate_ == last_step.certificate_
    assert restored.estimator == type(ranker).__name__
    assert_equal(restored.decision_function(X), model.decision_function(X))
    assert from_json(json.loads(to_json(restored))).certificate_ == restored.certificate_
    assert to_json(restored) == to_json(model, NAMES) and to_solr(restored) == to_solr(model, NAMES)


def test_a_scaler_of_its_own_is_that_of_a_pipeline():
    pipeline = fit(TopPush(alpha=0.01), StandardScaler())
    for write, _ in READERS.values():
        assert write(pipeline[-1], NAMES, scaler=pipeline[0]) == write(pipeline, NAMES)
    columns = ColumnTransformer(
        [("qid", "passthrough", ["qid"])], remainder=StandardScaler(), verbose_feature_names_out=False
    )
    frame = pd.DataFrame(X, columns=NAMES).assign(qid=0)
    model = make_pipeline(columns.set_output(transform="pandas"), RankSVM("l2", C=0.01)).fit(frame, Y)
    restored = from_json(to_json(model[-1], scaler=model[0].named_transformers_["remainder"]))
    assert_equal(restored.decision_function(frame), model.decision_function(frame))
    unscaled = make_pipeline("passthrough", TopPush(alpha=0.01)).fit(X, Y)
    assert to_json(unscaled) == to_json(unscaled[-1])


def test_the_names_are_those_of_the_data_frame():
    frame = pd.DataFrame(X, columns=NAMES)
    pipeline = fit(RankSVM(C=0.01), StandardScaler(), frame)
    assert to_solr(pipeline) == to_solr(pipeline, NAMES)
    ranker = RankSVM(C=0.01).fit(frame.assign(qid=0), Y)
    assert to_solr(ranker) == to_solr(ranker, NAMES)  # the column of the queries is no feature
    restored = from_json(to_json(pipeline))
    used = [name for name, weight in zip(NAMES, pipeline[-1].coef_, strict=True) if weight]
    assert 0 < len(used) < len(NAMES)
    assert_equal(restored.decision_function(frame[used[::-1]]), pipeline.decision_function(frame))
    with pytest.raises(ValueError, match=f"X has no column '{used[0]}', which is a feature"):
        restored.decision_function(frame.drop(columns=used[0]))


def test_sparse_rows_stay_sparse():
    rows = sp.csr_array(np.where(RANDOM.random(X.shape) < 0.5, X, 0.0))
    model = fit(RankSVM("l2", C=0.01), StandardScaler(with_mean=False), rows)
    restored = from_json(to_json(model))
    np.testing.assert_allclose(restored.decision_function(rows), model.decision_function(rows), rtol=1e-12)
    centred = from_json(to_json(fit(TopPush(alpha=0.01), StandardScaler())))
    dense_scores = centred.decision_function(rows.toarray())
    np.testing.assert_allclose(centred.decision_function(rows), dense_scores, atol=1e-11)
    assert fold_scaling(fold_scaling(centred)).mean_ is None


def test_what_the_document_says_beside_the_weights():
    model = fit(RankSVM(GroupL2([0, 0, 1, 1, 2, 2]), C=0.01))
    document = json.loads(to_json(model))
    assert document["schema_version"] == 1 and not document["is_scaled"]
    assert "name" not in document["features"][0]
    certificate = model.certificate_
    expected = {key: getattr(certificate, key) for key in ("objective", "lower_bound", "status", "kkt")}
    assert document["certificate"] == expected | {"relative_gap": certificate.relative_gap}
    penalty = document["parameters"]["penalty"]
    assert (penalty["class"], penalty["parameters"]["groups"]) == ("GroupL2", [0, 0, 1, 1, 2, 2])
    assert document["parameters"]["C"] == 0.01
    assert not {"verbose", "callback"} & document["parameters"].keys()
    assert document["versions"].keys() >= {"toprank", "numpy", "scipy", "scikit-learn", "python"}
    solr = json.loads(to_solr(model, NAMES, name="shop", store="of the shop"))
    assert (solr["name"], solr["store"]) == ("shop", "of the shop")
    assert json.loads(to_elasticsearch(model, NAMES, name="shop"))["model"]["name"] == "shop"


def test_a_model_without_weights():
    with pytest.warns(UserWarning, match="w = 0"):
        model = RankSVM(C=1e-12).fit(X, Y)
    restored = from_json(to_json(model, NAMES))
    assert not restored.decision_function(X).any()
    assert from_json(to_json(model, NAMES, nonzero_only=False)).feature_names == tuple(NAMES)
    with pytest.raises(ValueError, match="all weights of the model are 0"):
        to_solr(model, NAMES)


TOP_MODEL = fit(TopPush(alpha=0.01))
BAD_EXPORTS = [
    ((to_json, TOP_MODEL, NAMES[:5]), {}, "feature_names has 5 names, but the model has 6 features"),
    ((to_json, TOP_MODEL, [*NAMES[:5], "age"]), {}, "two features have the name 'age'"),
    ((to_json, TOP_MODEL, [*NAMES[:5], ""]), {}, "must be a text that is not empty; got ''"),
    ((to_json, TOP_MODEL, range(6)), {}, "must be a text that is not empty; got 0"),
    ((to_solr, TOP_MODEL), {}, "feature 0 has no name"),
    ((to_elasticsearch, TOP_MODEL), {}, "feature 0 has no name"),
    (
        (to_json, make_pipeline(MinMaxScaler(), TopPush()).fit(X, Y)),
        {},
        "the step 'minmaxscaler' is not the only",
    ),
    ((to_json, fit(TopPush(), StandardScaler())), {"scaler": StandardScaler().fit(X)}, "is not the only"),
    ((to_json, TOP_MODEL), {"scaler": StandardScaler().fit(X[:, :3])}, "the scaler has 3 features"),
    (
        (to_json, from_json(to_json(TOP_MODEL))),
        {"scaler": StandardScaler().fit(X)},
        "already contains its scaling",
    ),
]


@pytest.mark.parametrize(("arguments", "options", "match"), BAD_EXPORTS, ids=range(len(BAD_EXPORTS)))
def test_bad_input_has_one_sentence(arguments, options, match):
    write, *arguments = arguments
    with pytest.raises(ValueError, match=match):
        write(*arguments, **options)


def test_numbers_beyond_single_precision_are_refused():
    restored = from_json(to_json(TOP_MODEL, NAMES))
    restored.coef_[0] = 1e-50
    with pytest.raises(
        ValueError, match="the weight 1e-50 of 'bm25' is out of the range of single precision"
    ):
        to_solr(restored)


def test_single_precision_rounds_by_the_size_of_a_feature_beside_its_spread():
    model = fit(TopPush(alpha=0.01), StandardScaler())
    document, scores = json.loads(to_solr(model, NAMES)), np.zeros(len(X), np.float32)
    for feature in document["features"]:
        params = {name: np.float32(value) for name, value in feature["norm"]["params"].items()}
        values = (np.float32(X[:, NAMES.index(feature["name"])]) - params["avg"]) / params["std"]
        scores += np.float32(document["params"]["weights"][feature["name"]]) * values
    relative_sizes = (np.abs(X) + np.abs(model[0].mean_)) / model[0].scale_
    bound = 3 * np.finfo(np.float32).eps * relative_sizes @ np.abs(model[-1].coef_)
    assert np.all(np.abs(scores - model.decision_function(X)) <= bound)


class Table:
    """A table as of pyarrow: `columns` are the data, and `column_names` the names."""

    def __init__(self, frame):
        self._frame, self.column_names = frame, list(frame.columns)
        self.columns = [frame[name].to_numpy() for name in frame]

    def __array__(self, dtype=None, copy=None):
        return self._frame.to_numpy(dtype)

    def select(self, names):
        return Table(self._frame[names])


def test_a_table_whose_columns_are_data_is_read_by_names():
    restored, frame = from_json(to_json(TOP_MODEL, NAMES)), pd.DataFrame(X, columns=NAMES)
    expected = TOP_MODEL.decision_function(X)
    np.testing.assert_allclose(restored.decision_function(Table(frame[NAMES[::-1]])), expected, rtol=1e-12)
    np.testing.assert_allclose(restored.decision_function(frame), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="X has no column 'bm25', which is a feature of the model"):
        restored.decision_function(Table(frame.drop(columns="bm25")))


def test_the_numbers_that_a_fit_chose_are_exported():
    model = TopPush(depth=0.3).fit(X, Y)
    document = json.loads(to_json(model))
    assert document["parameters"]["alpha"] == "auto" and document["parameters"]["depth"] == 0.3
    chosen = {"alpha_": model.alpha_, "depth_": model.depth_}
    assert document["fitted_parameters"] == chosen == from_json(document).fitted_parameters
    older = {key: value for key, value in document.items() if key != "fitted_parameters"}
    assert from_json(older).fitted_parameters == {}


def test_what_is_no_model():
    with pytest.raises(NotFittedError):
        to_json(TopPush())
    with pytest.raises(NotFittedError):
        to_json(TOP_MODEL, scaler=StandardScaler())
    for model in (LogisticRegression(max_iter=10_000).fit(X, Y), GridSearchCV(TopPush(), {}).fit(X, Y)):
        with pytest.raises(TypeError, match="only a fitted ranker of toprank"):
            to_json(model)
    with pytest.raises(TypeError, match="scaler must be a fitted StandardScaler, not MinMaxScaler"):
        to_json(TOP_MODEL, scaler=MinMaxScaler().fit(X))
    with pytest.raises(ValueError, match="X has 5 features, but the model has 6"):
        from_json(to_json(TOP_MODEL)).decision_function(X[:, :5])
    for text in ("{}", "[1]"):
        with pytest.raises(ValueError, match="not a model written by toprank"):
            from_json(text)
    document = json.loads(to_json(TOP_MODEL)) | {"schema_version": 2}
    with pytest.raises(
        ValueError, match="the model has schema version 2, but this version of toprank reads 1"
    ):
        from_json(document)


def test_parameters_that_are_no_plain_values():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.repeat([1, 0], 20)
    model = TopPush(alpha=0.1, penalty_weights=pd.Series([1.0, 2.0, 0.5])).fit(X, y)
    assert json.loads(to_json(model))["parameters"]["penalty_weights"] == [1.0, 2.0, 0.5]
    search = TopPushCV(alphas=2, cv=2, scoring=make_ranking_scorer("precision", k=0.1)).fit(X, y)
    parameters = json.loads(to_json(search))["parameters"]
    assert parameters["scoring"] == "make_ranking_scorer('precision', k=0.1)"
