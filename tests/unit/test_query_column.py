"""The column ``qid`` of a table names the queries: of every library, and behind the steps of a pipeline."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from ranking_data import SINGLE_LINE, raises_one_sentence
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from toprank import FenchelRank, FSMRank, RankSVM, make_ranking_scorer
from toprank.labels import split_queries

RANKERS = [RankSVM(), FenchelRank(), FSMRank()]
NAMES = list("abcdef")


@pytest.fixture(scope="module")
def frame():
    """Twelve queries of ten rows with six features; returns the frame with its grades in y."""
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 6))
    y = np.digitize(X[:, 0] + random.normal(size=120), [0.0, 1.5])
    return pd.DataFrame(X, columns=NAMES).assign(qid=np.repeat(np.arange(12), 10)), y


class Table:
    """A table as of pyarrow: `columns` are the data, and `column_names` the names."""

    def __init__(self, frame):
        self.frame, self.column_names = frame, list(frame.columns)
        self.columns, self.shape = [frame[name].to_numpy() for name in frame], frame.shape

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, name):
        return self.frame[name].to_numpy()

    def __array__(self, dtype=None, copy=None):
        return self.frame.to_numpy(dtype)

    def select(self, positions):
        return Table(self.frame.iloc[:, positions])


def to_pyarrow(frame):
    return pytest.importorskip("pyarrow", reason="no pyarrow: pip install pyarrow").Table.from_pandas(frame)


def to_batch(frame):
    return pytest.importorskip("pyarrow", reason="no pyarrow: pip install pyarrow").RecordBatch.from_pandas(
        frame
    )


def to_polars(frame):
    return pytest.importorskip("polars", reason="no polars: pip install polars").from_pandas(frame)


@pytest.mark.parametrize("kind", [pd.DataFrame, Table, to_pyarrow, to_batch, to_polars])
@pytest.mark.parametrize(
    "names", [lambda qid: qid, lambda qid: qid.map("q{:02d}".format)], ids=["numbers", "words"]
)
def test_the_column_of_every_table_names_the_queries(frame, kind, names):
    (data, y), score = frame, make_ranking_scorer("map")
    table = kind(data.assign(qid=names(data["qid"])))
    model, expected = RankSVM().fit(table, y), RankSVM().fit(data[NAMES], y, data["qid"])
    assert model.n_queries_ == 12 and model.n_features_in_ == 6
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.score(table, y) == expected.score(data[NAMES], y, data["qid"])
    assert score(model, table, y) == score(expected, data[NAMES], y, data["qid"])
    with raises_one_sentence("X has a column 'qid', and the queries are given as well"):
        model.fit(table, y, data["qid"])


def test_features_of_one_name_are_as_many_as_there_are(frame):
    """Newer versions of scikit-learn refuse such a frame, older ones fit it."""
    data, _ = frame
    X, queries = split_queries(data.set_axis([*"aabcde", "qid"], axis=1))
    assert list(X.columns) == list("aabcde") and queries.name == "qid"
    with raises_one_sentence("X has 2 columns 'qid', and a row is of one query; keep one of them"):
        split_queries(data.set_axis([*"abcde", "qid", "qid"], axis=1))


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()], ids=repr)
@pytest.mark.parametrize("model", RANKERS, ids=repr)
def test_a_scaler_that_makes_a_feature_of_it_is_warned_of(frame, model, scaler):
    data, y = frame
    with pytest.warns(UserWarning, match="column 6 of X has each of its 12 values in one block") as caught:
        pipeline = make_pipeline(scaler, model).fit(data, y)
    assert len(caught) == 1 and re.match(SINGLE_LINE, str(caught[0].message))
    assert "ranksvm__qid" in str(caught[0].message) and "'passthrough'" in str(caught[0].message)
    with raises_one_sentence("have passed the column 'qid' of X on as a feature or not at all"):
        make_ranking_scorer()(pipeline, data, y)
    sparse = sp.csr_array(pipeline[0].transform(data))
    with pytest.warns(UserWarning, match="column 6 of X has each of its 12 values"):
        model.fit(sparse, y)


def test_a_scaled_column_is_refused(frame):
    pipeline = make_pipeline(StandardScaler(), RankSVM()).set_output(transform="pandas")
    with raises_one_sentence(
        "the column 'qid' of X holds -1.5.*, which names no query: a step before the ranker has changed"
    ):
        pipeline.fit(*frame)


def test_what_the_messages_advise_works_and_is_silent(frame):
    (data, y), scorer = frame, make_ranking_scorer()
    scaled = make_column_transformer(
        ("passthrough", ["qid"]), remainder=StandardScaler(), verbose_feature_names_out=False
    )
    X, qid = split_queries(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        passed = make_pipeline(scaled.set_output(transform="pandas"), RankSVM()).fit(data, y)
        named = make_pipeline(StandardScaler(), RankSVM()).fit(X, y, ranksvm__qid=qid)
        one_list = make_pipeline(StandardScaler(), RankSVM()).fit(data, y, ranksvm__qid=np.zeros(120))
    np.testing.assert_allclose(passed[-1].coef_, named[-1].coef_)
    assert scorer(passed, data, y) == pytest.approx(scorer(named, X, y, qid))
    assert one_list[-1].n_queries_ == 1 and one_list[-1].n_features_in_ == 7


def other_tables():
    """Tables without queries, some of them sorted."""
    random = np.random.default_rng(0)
    for data in (load_iris(), load_breast_cancer()):
        order = np.argsort(data.target, kind="stable")
        yield data.data[order], data.target[order]
    counts = random.integers(0, 3, (200, 30)).astype(float)
    yield counts, random.integers(0, 2, 200)
    yield np.array([[0.0], [0], [1], [1], [2], [2]]), np.array([0, 1, 0, 1, 0, 1])  # too few to tell
    classes = np.repeat(np.arange(4), 25)
    yield np.column_stack([random.normal(size=100), classes]), classes  # nothing to learn within a block
    yield np.column_stack([random.normal(size=100), classes % 2]), random.integers(0, 2, 100)
    yield np.arange(100.0)[:, None], random.integers(0, 2, 100)  # the number of a row


@pytest.mark.parametrize("table", list(other_tables()), ids=lambda table: str(table[0].shape))
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_no_other_column_raises_an_alarm(table, kind):
    X, y = table
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="no queries are named")
        warnings.filterwarnings("ignore", message="w = 0 is")
        RankSVM("l2", C=1e-3).fit(kind(X), y)


@pytest.mark.filterwarnings("ignore:w = 0 is")
@pytest.mark.parametrize("scoring", [None, make_ranking_scorer(), make_ranking_scorer("map")], ids=repr)
def test_a_search_chooses_no_zeros_where_the_rows_are_sorted_by_relevance(frame, scoring):
    """Ties in the order of the rows gave w = 0 a perfect score there."""
    data, y = frame
    order = np.lexsort((-y, data["qid"]))
    search = GridSearchCV(RankSVM(), {"C": [1e-6, 1e-2, 1e-1]}, scoring=scoring, cv=GroupKFold(3))
    search.fit(data.iloc[order], y[order], groups=data["qid"].iloc[order])
    zeros, *models = search.cv_results_["mean_test_score"]
    assert search.best_estimator_.coef_.any() and zeros < min(models) - 0.1
    shuffled = GridSearchCV(RankSVM(), {"C": [1e-6]}, scoring=scoring, cv=GroupKFold(3))
    assert shuffled.fit(data, y, groups=data["qid"]).best_score_ == pytest.approx(zeros)


def test_a_map_that_tells_no_models_apart_is_refused(frame):
    data, y = frame
    model = RankSVM().fit(data, y + 1)
    with raises_one_sentence(
        "all rows of y are relevant .*, so every model has a MAP of 1; mark the rows that are not"
    ):
        make_ranking_scorer("map")(model, data, y + 1)
    assert make_ranking_scorer("ndcg")(model, data, y + 1) < 1.0
