"""The metrics that a study measures beside the usual ones, and files that lack them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from untied_metrics import enrichment, recall_at_fpr

from reproduction.core.result_columns import MULTI_METRIC_FIT_COLUMNS
from reproduction.core.results import read_fits
from reproduction.fitting.method import Method
from reproduction.fitting.multi_metric import MultiMetricSearch
from reproduction.fitting.ranking_metrics import METRICS, ranking_metrics
from reproduction.snapshot.extension import _merge_rows
from reproduction.specs.csv_tables import TypedCsv
from reproduction.specs.metrics import FURTHER_LIST_METRICS, FURTHER_QUERY_METRICS
from reproduction.specs.study_results import FURTHER_METRICS
from reproduction.splits.splits import draw_random_splits
from toprank.metrics import bedroc, mean_average_precision, ndcg

RIDGE = Method("sklearn.linear_model.Ridge", {}, {"alpha": [0.01, 100.0, 1e4]})


def test_the_metrics_of_a_list_are_those_of_the_library():
    random = np.random.default_rng(0)
    y = (np.arange(420) % 7 == 0).astype(int)
    scores = random.permutation(420) + 200.0 * y + 0.5 * random.random(420)
    labels = y[np.argsort(-scores)].tolist()
    values = ranking_metrics(y, scores, None, (*FURTHER_LIST_METRICS, *FURTHER_QUERY_METRICS))
    assert values["recall_at_fpr"] == pytest.approx(recall_at_fpr(labels, 0.01))
    assert values["enrichment_at_percent"] == pytest.approx(enrichment(labels, 5))
    assert values["bedroc"] == pytest.approx(bedroc(y, scores, 20.0))
    assert np.isnan([values[name] for name in FURTHER_QUERY_METRICS]).all()


def test_a_constant_score_is_worth_chance():
    y = np.repeat([1, 0], [30, 270])
    values = ranking_metrics(y, np.zeros(300), None, FURTHER_LIST_METRICS)
    assert values["enrichment_at_percent"] == pytest.approx(1.0)
    assert values["recall_at_fpr"] == pytest.approx(3 / 271) and values["bedroc"] < 0.2


def test_the_metrics_of_queries_are_those_of_letor():
    """Of every query, also one of a single class, and equal scores in the order of the file."""
    random = np.random.default_rng(1)
    qid = np.repeat([3, 5, 8, 9], [12, 9, 15, 6])
    y, scores = random.integers(0, 3, qid.size), random.integers(0, 4, qid.size).astype(float)
    y[qid == 9] = 0
    values = ranking_metrics(y, scores, qid, FURTHER_QUERY_METRICS)
    assert values["letor_map"] == mean_average_precision(y, scores, qid, convention="letor")
    assert values["letor_ndcg10"] == ndcg(y, scores, qid, k=10, convention="letor")
    usual = ranking_metrics(y, scores, qid)
    assert values["letor_map"] != pytest.approx(usual["average_precision"])


def test_a_search_with_further_metrics_lets_each_choose():
    random = np.random.default_rng(2)
    X = random.normal(size=(120, 4))
    y = (X[:, 0] + random.normal(size=120) > 0.7).astype(int)
    splits = draw_random_splits(120, 1, 1 / 3, 3, 0, "x")
    rows = MultiMetricSearch(RIDGE, X, y, None, splits, further_metrics=("bedroc",)).run_split(0)
    final = {name: row for row in rows if "chosen_by" in row for name in row["chosen_by"].split()}
    assert set(final) == {*METRICS, "bedroc"} and final["rate_at_top"]["role"] == "chosen"
    assert all("bedroc" in row and "recall_at_fpr" not in row for row in rows)
    usual_rows = MultiMetricSearch(RIDGE, X, y, None, splits).run_split(0)
    assert all("bedroc" not in row for row in usual_rows)


def test_which_further_metrics_a_data_set_has(studies_of):
    limits = {"candidates": 3, "seconds": 10}
    settings = {"limits": limits, "further_metrics": ["letor_map", "bedroc"]}
    studies = studies_of(settings)
    for dataset, names in (("sonar", ["bedroc"]), ("mq2008", ["letor_map"])):
        wildcards = SimpleNamespace(study="x", dataset=dataset, method="exact")
        assert studies.get_search_limits(wildcards) == limits | {"further_metrics": names}
    del settings["further_metrics"]
    assert studies.get_search_limits(SimpleNamespace(study="x", dataset="sonar", method="exact")) == limits


@pytest.fixture
def studies_of():
    from study_settings import Studies

    def make(settings):
        studies = object.__new__(Studies)
        studies.settings = {"x": settings}
        return studies

    return make


def make_fits(columns):
    row = dict.fromkeys(columns, "")
    names = {"study": "across", "dataset": "sonar", "feature_scaling": "raw", "method": "admm"}
    return row | names | {"split": "0", "role": "chosen", "params": "{}", "status": "fitted", "auc": "0.5"}


def test_fits_of_an_older_run_have_no_further_metrics(tmp_path):
    columns = [name for name in MULTI_METRIC_FIT_COLUMNS if name not in FURTHER_METRICS]
    pd.DataFrame([make_fits(columns)]).to_csv(tmp_path / "fits.csv", index=False)
    fits = read_fits(tmp_path / "fits.csv", ["auc"], FURTHER_METRICS)
    assert fits["auc"].tolist() == [0.5] and fits[list(FURTHER_METRICS)].isna().all(axis=None)


def test_an_optional_column_is_written_where_a_row_has_a_number(tmp_path):
    form = TypedCsv.parse("dataset* data_status* x+ more?")
    rows = [
        {"dataset": "a", "data_status": "obtained", "x": 1.0},
        {"dataset": "b", "data_status": "obtained"},
    ]
    form.write(form.to_frame(rows), tmp_path / "without.csv")
    assert (tmp_path / "without.csv").read_text().startswith("dataset,data_status,x\n")
    assert form.read(tmp_path / "without.csv")["more"].isna().all()
    rows[1]["more"] = 2.0
    form.write(form.to_frame(rows), tmp_path / "with.csv")
    assert form.read(tmp_path / "with.csv")["more"].tolist() == pytest.approx([np.nan, 2.0], nan_ok=True)


@pytest.mark.parametrize("bedroc_of_new", ["", "0.25"])
def test_a_snapshot_without_the_columns_takes_new_fits(tmp_path, bedroc_of_new):
    columns = [name for name in MULTI_METRIC_FIT_COLUMNS if name not in FURTHER_METRICS]
    old = pd.DataFrame([make_fits(columns)]).to_csv(index=False, lineterminator="\n").encode()
    new = make_fits(MULTI_METRIC_FIT_COLUMNS) | {"dataset": "dud-ace", "bedroc": bedroc_of_new}
    pd.DataFrame([new]).to_csv(tmp_path / "fits.csv", index=False)
    (tmp_path / "merged.csv").write_bytes(_merge_rows(old, tmp_path / "fits.csv", ["dud-ace"]))
    rows = pd.read_csv(tmp_path / "merged.csv", dtype=str, keep_default_na=False)
    assert rows["dataset"].tolist() == ["dud-ace", "sonar"]
    assert set(rows.columns) == {*columns, *(["bedroc"] if bedroc_of_new else [])}
    assert not bedroc_of_new or rows["bedroc"].tolist() == ["0.25", ""]
