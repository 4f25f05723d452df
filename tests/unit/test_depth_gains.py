"""What a searched depth adds to each list: made fits, each number counted by hand."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

from reproduction.fitting.feature_scaling import standardise
from reproduction.fitting.ranking_metrics import METRICS
from reproduction.papers.across.depth import experiment, table_views
from reproduction.papers.across.results import select_reported_fits
from reproduction.statistics.paired_tests import corrected_t
from toprank import TopPush

LISTS = [f"set-{i}" for i in range(12)]
LEVELS = {"toppush_depth": 0.7, "toppush_exact": 0.4, "logistic_regression": 0.65}


def make_fits(methods=LEVELS):
    random, rows = np.random.default_rng(0), []
    for i, dataset in enumerate(LISTS):
        for method in methods:
            for split in range(3):
                row = {
                    "dataset": dataset,
                    "feature_scaling": "standardised",
                    "method": method,
                    "split": split,
                }
                row |= {"role": "chosen", "chosen_by": " ".join(METRICS), "status": "certified"}
                row |= {"params": json.dumps({"depth_share": [0.05, 0.2, 0.5][split]})}
                row |= dict.fromkeys(("n_train_positives", "n_train_negatives"), 40)
                row |= dict.fromkeys(("n_test_positives", "n_test_negatives"), 20)
                gain = 0.02 * i if method == "toppush_depth" else 0.0
                row |= {name: LEVELS[method] + gain + 0.001 * random.random() for name in METRICS}
                rows.append(row)
    return pd.DataFrame(rows)


def make_study(fits):
    facts = pd.DataFrame({"dataset": LISTS, "positives_share": 0.5, "train_positives": 40.0})
    facts = facts.assign(features_per_row=np.arange(12.0)[::-1], noise=np.random.default_rng(1).random(12))
    smallest = [{"dataset": name, "smallest_depth_share": i / 20} for i, name in enumerate(LISTS)]
    tables = {"facts": facts}
    study = SimpleNamespace(fits=fits, settings={"datasets": {name: ["standardised"] for name in LISTS}})
    study.read_experiment = lambda *_: [row | {"train_negatives": 40} for row in smallest]
    study.table = tables.__getitem__
    tables["depth_gains"] = experiment.build_gains(study)
    return study


def test_the_gains_are_those_of_paired_splits():
    fits = make_fits()
    study = make_study(fits)
    table = study.table("depth_gains").set_index("dataset")
    assert list(table.index) == LISTS and set(table["depth_share"]) == {0.2}
    reported = select_reported_fits(fits)
    wide = reported[reported["dataset"] == "set-3"].pivot(
        index="split", columns="method", values="average_precision"
    )
    interval = corrected_t(wide["toppush_depth"], wide["toppush_exact"], 0.5)
    row = table.loc["set-3"]
    assert row["depth_1_average_precision"] == pytest.approx(interval.mean)
    assert row["depth_1_average_precision_low"] == pytest.approx(interval.low)
    assert row["logistic_rate_at_top"] == pytest.approx(0.11, abs=0.01)
    assert row["smallest_depth_share"] == 0.15


def test_the_explanation_names_the_smallest_depth():
    table = experiment.build_explanations(make_study(make_fits())).set_index(["rival", "metric", "fact"])
    for rival in experiment.RIVALS:
        row = table.loc[(rival, "average_precision", "smallest_depth_share")]
        assert row["n_sets"] == 12 and row["held_out"] > 0.9 and row["p_value"] < 0.01
        assert table.loc[(rival, "average_precision", "features_per_row"), "spearman"] < -0.9
        # a constant fact explains nothing
        assert table.loc[(rival, "average_precision", "positives_share"), "held_out"] == 0.0
    assert "smallest depth" in table_views.EXPLAINS.columns[0].cell({"fact": "smallest_depth_share"})


def test_without_a_rival_there_is_no_gain_and_without_the_method_no_row():
    study = make_study(make_fits(("toppush_depth", "logistic_regression")))
    assert study.table("depth_gains")["depth_1_average_precision"].isna().all()
    assert study.table("depth_gains")["logistic_average_precision"].notna().all()
    assert make_study(make_fits(("toppush_exact",))).table("depth_gains").empty


def test_the_smallest_depth_is_that_of_the_library():
    X, y = make_classification(300, 4, weights=[0.7], class_sep=0.3, random_state=0)
    y = 2 * y - 1
    split = SimpleNamespace(missing_data=False, data=SimpleNamespace(qid=None), train=lambda: (X, y))
    settings = {"seconds": 60}
    ((name, row),) = experiment.run_experiment(settings, splits=[split], part="made")
    negatives = np.count_nonzero(y < 0)
    expected = TopPush().smallest_depth(standardise(X)[0], y) / negatives
    assert name == "smallest_depth" and row["train_negatives"] == negatives
    assert row["smallest_depth_share"] == pytest.approx(expected) and 0 < expected < 1
    for absent in (
        SimpleNamespace(missing_data=True),
        SimpleNamespace(missing_data=False, data=SimpleNamespace(qid=np.zeros(300))),
    ):
        assert not list(experiment.run_experiment(settings, splits=[absent], part="made"))
