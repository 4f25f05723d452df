"""The examples of docs/add_a_method.md: each is fitted as a run does it, on a list and on queries."""

import json
import textwrap
from types import SimpleNamespace

import config_consistency
import numpy as np
import optional_dependencies
import pytest
import scipy.sparse as sp
from config_consistency import list_methods
from config_selection import add_extra_methods, drop_unavailable_methods
from config_validation import ConfigError
from doc_code_blocks import read_code_blocks, write_files
from method_rules import Methods, hash_files
from paths import Paths
from ranking_data import gaussians, stack_classes
from scipy.sparse import csr_array
from small_project import ROOT
from test_config_selection import FULL_CONFIG, TOP

from reproduction.fitting import cross_validation as search
from reproduction.fitting import validation_fold as query_search
from reproduction.fitting.fit_rows import fit_once, predict_scores
from reproduction.fitting.method import Method
from reproduction.fitting.sklearn_adapter import EstimatorAdapter
from reproduction.splits.letor_folds import rotate_letor_folds
from reproduction.splits.splits import draw_random_splits

EXAMPLES = read_code_blocks(ROOT / "docs/add_a_method.md")
RULES = {path.split("/")[-1][:-4]: rule for path, rule in EXAMPLES.items() if path.endswith(".smk")}
LINEAR = {"centroid"}


def write_rule(name, rule, config=None):
    """The method of a rule as a run reads it, and the parameters of the rule."""
    paths = Paths(FULL_CONFIG)
    paths.studies.settings[TOP] = paths.studies.settings[TOP] | (config or {})
    methods, job = Methods(paths, "logs", "benchmarks"), SimpleNamespace(study=TOP)
    methods.current_method = name
    body = rule.partition("\n    params:\n")[2]
    params = eval(
        f"dict({textwrap.dedent(body)})", {"methods": methods, "paths": paths, "studies": paths.studies}
    )
    grid = params["grid"](job) if "grid" in params else {}
    return Method(params["estimator"], params["fixed"](job), grid), params


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The method that a rule of the page describes, in a folder with the page's programs."""
    write_files(EXAMPLES, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(optional_dependencies, "METHODS", tmp_path / "workflow/rules/methods")
    optional_dependencies.list_dependencies.cache_clear()

    def example(name, **config):
        if lacking := optional_dependencies.find_missing(name):
            pytest.skip(f"{lacking[0]}, which this example of the page needs, is not installed")
        method, params = write_rule(name, RULES[name], config)
        return method, params, SimpleNamespace(study=TOP)

    yield example
    optional_dependencies.list_dependencies.cache_clear()


def test_the_page_has_an_example_of_each_kind():
    assert {*RULES} == {"ridge", "lightgbm_ranker", "forest", "centroid", "perceptron", "r_logistic"}
    for name, rule in RULES.items():
        assert len(rule.splitlines()) <= 25, name
    assert len([path for path in EXAMPLES if "/programs/" in path]) == 3


def unwatched(model, row):
    """Measure nothing after the fit."""


def wide_indexed(X):
    """Sparse rows as those of a9a, whose indices have 64 bits."""
    rows = sp.csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in RULES for kind in (np.asarray, wide_indexed)],
)
def test_on_a_list(name, kind, example):
    method, *_ = example(name)
    X, y = stack_classes(*gaussians(m=40, n=60))
    splits = draw_random_splits(y.size, range(1), 1 / 3, 3, 7)
    rows = search.CrossValidation(method, kind(X), y, splits).run_split(0)
    (values,) = method.grid.values()
    assert [row["role"] for row in rows] == ["search"] * 3 * len(values) + ["chosen"]
    assert {row["status"] for row in rows} == {"fitted"}, rows[0]["message"]
    assert rows[-1]["positives_at_top"] > 0 and all(row["seconds"] > 0 for row in rows)
    if name in LINEAR:
        assert 0 < rows[-1]["n_variables"] <= X.shape[1]


@pytest.mark.parametrize("name", [name for name in RULES if name != "forest"])
def test_on_queries_that_do_not_lie_together(name, example):
    method, *_ = example(name)
    rng = np.random.default_rng(3)
    X, qid = rng.normal(size=(150, 4)), rng.integers(0, 15, 150)
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=150), [0.0, 1.0])
    rows = query_search.ValidationFold(method, X, y, qid, rotate_letor_folds(1 + qid % 5)).run_split(0)
    chosen = next(row for row in rows if row["role"] == "chosen")
    assert chosen["status"] == "fitted", chosen["message"]
    assert chosen["map"] > 0.6 and len([row for row in rows if row["role"] == "query"]) == 3


def test_the_awk_program_has_the_weights_of_the_two_means(example):
    method, *_ = example("centroid")
    X, y = stack_classes(*gaussians(m=10, n=20))
    row, model = fit_once(method.with_score_rows(X), {"shrink": 3}, X, y, unwatched)
    w = X[y > 0].sum(axis=0) / 13 - X[y <= 0].sum(axis=0) / 23
    assert row["status"] == "fitted" and np.allclose(model.coef_, w)
    assert np.allclose(predict_scores(model, X), X @ w)


def test_an_edit_or_another_version_reruns_a_program(example, tmp_path, monkeypatch):
    _, params, job = example("centroid")
    before = params["code"](job), params["versions"]
    assert before[0] == example("centroid")[1]["code"](job)
    (tmp_path / "workflow/programs/perceptron.c").write_text("int main() {}")
    assert example("centroid")[1]["code"](job) == before[0]
    path = tmp_path / "workflow/programs/centroid.awk"
    path.write_text(path.read_text() + "# an edit\n")
    assert example("centroid")[1]["code"](job) != before[0]
    monkeypatch.setattr(optional_dependencies, "get_version", lambda name: "another")
    assert example("centroid")[1]["versions"] == {"awk": "another"} != before[1]


def test_a_grid_of_the_configuration_wins(example):
    assert example("centroid")[0].grid == {"shrink": [1, 10, 100]}
    assert example("centroid", grids={"centroid": {"shrink": [5]}})[0].grid == {"shrink": [5]}


@pytest.mark.parametrize(
    ("shell", "message"),
    [
        ("exit 3", "the program ends with status 3: no output"),
        ("echo oh no >&2; exit 1", "the program ends with status 1: oh no"),
        ("true", "the program wrote no scores: it must write the file {scores}"),
        ("echo 1 > {scores}", "the program wrote 1 scores instead of 9"),
        ("echo one > {scores}", "the scores of the program are not all numbers"),
        ("seq 9 | sed s,.*,nan, > {scores}", "number 0 of the scores of the program is NaN or infinite"),
        ("cat {trian}", "the command names {trian}, which is none of train, test"),
        (
            "awk '{print 1}' {test} > {scores}",
            "a brace of the program itself must be written twice: {{ and }}",
        ),
        ("seq 9 > {scores}; echo 1 > {weights}", "the program wrote 1 weights instead of 2"),
    ],
)
def test_a_program_that_does_not_keep_its_contract_is_a_row_that_says_so(shell, message):
    X, y = np.arange(18.0).reshape(9, 2), np.arange(9) % 2
    method = Method(
        "reproduction.fitting.external_program.ExternalProgram", {"shell": shell}
    ).with_score_rows(X)
    row, _ = fit_once(method, {}, X, y, unwatched)
    assert row["status"] == "failed" and message in row["message"]


def test_files_are_as_the_contract_says(tmp_path):
    X, y, qid = np.array([[0.0, 2.0], [1.0, 0.0], [3.0, 0.5]]), np.array([1, 0, 2]), np.array([7, 5, 7])
    T, labels = sp.csr_array([[4.0, 0.0], [0.0, 5.0]]), np.array([9, 8])
    keep = f"cp {{train}} {{test}} {{train_npz}} {{test_npz}} {tmp_path}; printf '1\\n2\\n' > {{scores}}"
    method = Method("reproduction.fitting.external_program.ExternalProgram", {"shell": keep}).with_score_rows(
        T, qid=(labels,)
    )
    row, model = fit_once(method, {}, X, y, unwatched, qid)
    assert row["status"] == "fitted" and predict_scores(model, T).tolist() == [2.0, 1.0]  # in our order again
    assert (tmp_path / "train.svm").read_text() == "0 qid:1 1:1\n1 qid:2 2:2\n2 qid:2 1:3 2:0.5\n"
    assert (tmp_path / "test.svm").read_text() == "0 qid:1 2:5\n0 qid:2 1:4\n"
    train, test = np.load(tmp_path / "train.npz"), np.load(tmp_path / "test.npz")
    assert train["X"].tolist() == X[[1, 0, 2]].tolist() and train["qid"].tolist() == [1, 2, 2]
    rows = sp.csr_array((test["X_data"], test["X_indices"], test["X_indptr"]), shape=tuple(test["X_shape"]))
    assert rows.toarray().tolist() == [[0, 5], [4, 0]] and test["y"].tolist() == [0, 0]


class Recorder:
    """A ranker that keeps what it is given."""

    def fit(self, X, y, group=None):
        self.fit_arguments = X.tolist(), y.tolist(), list(group)

    def predict(self, X):
        return X[:, 0]


class OfQueries(Recorder):
    def fit(self, X, y, qid):
        self.fit_arguments = X.tolist(), y.tolist(), qid.tolist()


def test_queries_are_handed_over_as_a_ranker_takes_them():
    X, y, qid = np.arange(4.0)[:, None], np.array([0, 1, 2, 3]), np.array([2, 1, 2, 1])
    assert EstimatorAdapter(Recorder()).fit(X, y, qid).fit_arguments == (
        [[1], [3], [0], [2]],
        [1, 3, 0, 2],
        [2, 2],
    )
    assert EstimatorAdapter(Recorder()).fit(X, y).fit_arguments[2] == [4]
    assert EstimatorAdapter(OfQueries()).fit(X, y, qid).fit_arguments == (
        [[1], [3], [0], [2]],
        [1, 3, 0, 2],
        [1, 1, 2, 2],
    )


@pytest.mark.parametrize("predicted", [np.ones((4, 3)), np.ones(3)])
def test_what_is_no_score_a_row_is_refused(predicted):
    model = Recorder()
    model.predict = lambda X: predicted
    with pytest.raises(ValueError, match="Recorder gives"):
        EstimatorAdapter(model).decision_function(np.ones((4, 1)))


def test_a_classifier_ranks_by_the_probability_of_the_second_class():
    X, y = stack_classes(*gaussians(m=40, n=60))
    method = Method("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 20, "random_state": 0})
    row, model = fit_once(method, {}, X, (y > 0).astype(int), unwatched)
    assert row["status"] == "fitted" and np.array_equal(
        predict_scores(model, X), model.model.predict_proba(X)[:, 1]
    )
    graded = fit_once(method, {}, X, np.arange(y.size) % 3, unwatched)[1]
    with pytest.raises(ValueError, match="says lists_only=True"):
        predict_scores(graded, X)


def test_a_method_for_lists_is_left_out_of_studies_of_queries(example, tmp_path, monkeypatch):
    assert example("forest")[1]["lists_only"] and not example("ridge")[1]["lists_only"]
    monkeypatch.setattr(config_consistency, "METHODS", tmp_path / "workflow/rules/methods")
    config_consistency.is_for_lists.cache_clear()
    monkeypatch.setattr(optional_dependencies, "find_missing", lambda name: ())
    config = json.loads(json.dumps(FULL_CONFIG)) | {"extra_methods": ["forest", "ridge"]}
    add_extra_methods(config)
    notes = drop_unavailable_methods(config)
    assert notes == ["'forest' is left out of laporte2014: it ranks single lists, and no queries."]
    has = {name for name in config["run"] if "forest" in list_methods(config["studies"][name])}
    assert has == set(config["run"]) - {"laporte2014"}
    assert all("ridge" in list_methods(config["studies"][name]) for name in config["run"])
    config_consistency.is_for_lists.cache_clear()


def test_a_method_that_cannot_run_is_left_out_with_a_sentence(monkeypatch):
    config = json.loads(json.dumps(FULL_CONFIG)) | {"extra_methods": ["lambdamart", "logistic_regression"]}
    monkeypatch.setattr(
        optional_dependencies, "get_version", lambda name: None if name == "lightgbm" else "1"
    )
    add_extra_methods(config)
    # what is published needs no package
    assert drop_unavailable_methods(config | {"published_fits": "reports/snapshot"}) == []
    assert drop_unavailable_methods(config) == [
        "'lambdamart' is left out: it needs lightgbm, which is not installed (pip install -e \".[peers]\")."
    ]
    for study in config["studies"].values():
        assert "logistic_regression" in list_methods(study) and "lambdamart" not in list_methods(study)


PEERS = {"logistic_regression": {"C": 1.0}, "boosted_trees": {"max_iter": 5}}
PEERS |= {"lambdamart": {"n_estimators": 5}, "xgboost_ranker": {"n_estimators": 5}}


@pytest.mark.parametrize("name", PEERS)
def test_peers_rank_lists_and_queries(name):
    if lacking := optional_dependencies.find_missing(name):
        pytest.skip(f"{lacking[0]} is not installed: pip install -e '.[peers]'")
    method, _ = write_rule(name, (ROOT / f"workflow/rules/methods/{name}.smk").read_text())
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 3))
    y = np.digitize(X[:, 0], [0.0, 1.0])
    for labels, qid in ((y > 0).astype(int), None), (y, rng.integers(0, 10, 200)):
        row, model = fit_once(method, PEERS[name], X, labels, unwatched, qid)
        assert row["status"] == "fitted" and np.corrcoef(predict_scores(model, X), y)[0, 1] > 0.5


def test_boosted_trees_take_sparse_rows():
    X = np.random.default_rng(2).normal(size=(120, 3)).round()
    y, method = (
        (X[:, 0] > 0).astype(int),
        Method("reproduction.fitting.baselines.boosted_trees", {"max_iter": 5}),
    )
    scores = [predict_scores(fit_once(method, {}, rows, y, unwatched)[1], rows) for rows in (X, csr_array(X))]
    assert np.array_equal(*scores)


def test_compiled_estimators_take_sparse_rows_with_wide_indices():
    X = np.random.default_rng(2).normal(size=(120, 3)).round()
    y, fixed = (X[:, 0] > 0).astype(int), {"solver": "liblinear", "random_state": 0}
    method = Method("sklearn.linear_model.LogisticRegression", fixed)
    row, _ = fit_once(method, {}, wide_indexed(X), y, unwatched)
    assert row["status"] == "fitted", row["message"]


def test_a_list_too_long_for_lightgbm_is_cut():
    pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    X = np.random.default_rng(1).normal(size=(90, 2))
    method = Method(
        "reproduction.fitting.baselines.lambdamart", {"longest": 40, "random_state": 0, "verbosity": -1}
    )
    row, model = fit_once(method, {"n_estimators": 20}, X, (X[:, 0] > 1).astype(int), unwatched)
    assert row["status"] == "fitted" and np.corrcoef(predict_scores(model, X), X[:, 0])[0, 1] > 0.4


def test_content_is_what_is_digested(tmp_path):
    file = tmp_path / "a"
    file.write_text("x")
    before = hash_files([file])
    file.touch()
    assert hash_files([file]) == before


def test_a_missing_list_of_packages_is_named():
    methods = Methods(Paths(FULL_CONFIG), "logs", "benchmarks")
    methods.current_method = "own"
    with pytest.raises(ConfigError, match=r"Method own: nowhere\.txt, .* does not exist: write it"):
        methods.environment("nowhere.txt")
