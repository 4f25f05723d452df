"""The study of no paper: its tables, claims and figures on made rows, each number counted by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from figure_overlaps import find_overlaps
from scipy.stats import binom
from studies import study_of

from reproduction.core.result_columns import MULTI_METRIC_FIT_COLUMNS
from reproduction.fitting.method import STATUS_NOT_FEASIBLE
from reproduction.fitting.ranking_metrics import METRICS
from reproduction.papers.across import decisions, figures
from reproduction.papers.across.facts import experiment as facts
from reproduction.papers.across.learning_curves import experiment as learning
from reproduction.papers.across.learning_curves import figure
from reproduction.papers.across.results import build_rank_tables, fill_with_worst, select_reported_fits
from reproduction.specs.paper import import_object
from reproduction.statistics.bootstrap_ranks import measure_best_share
from reproduction.statistics.chance_of_better import compute_count_level
from reproduction.statistics.rank_tests import bayesian_signed_rank

LISTS = [f"set-{i}" for i in range(6)]
SETS = {name: ["standardised"] for name in [*LISTS, "asked", "set-0-other"]}
#: by how much a method is better than the first; trees have no weights
LEAD = {"l1_infinite_push": 0.0, "l2_infinite_push": 0.0, "toppush_exact": 0.06}
LEAD |= {"l2_ranksvm": 0.02, "logistic_regression": 0.01, "lambdamart": 0.03}
METHODS = tuple(LEAD)


def make_fit_row(dataset, method, split):
    """A search row, and two final ones: the second was chosen by the AUC alone, and has more of it."""
    random = np.random.default_rng([len(dataset), ord(dataset[-1]), METHODS.index(method), split])
    row = {"study": "across", "feature_scaling": "standardised"}
    row |= {"dataset": dataset, "method": method, "split": split}
    row |= {"n_train_positives": 20, "n_train_negatives": 40, "n_test_positives": 10, "n_test_negatives": 20}
    row |= {"seconds": 0.1 * (1 + METHODS.index(method) / 2), "status": "certified", "relative_gap": 1e-9}
    if dataset == "asked" and "push" in method:
        refused = {"status": STATUS_NOT_FEASIBLE, "message": "ranks a single list", "seconds": ""}
        return [row | refused | {"role": "chosen", "params": "{}"}]
    row |= {name: 0.5 + LEAD[method] + 0.01 * random.random() for name in METRICS}
    row |= {"weight_norm": 1.0, "n_variables": 5 if method == "l1_infinite_push" else 20}
    if method == "lambdamart":
        row |= {"status": "fitted", "relative_gap": "", "weight_norm": "", "n_variables": ""}
    final = {"role": "chosen", "params": '{"a": 1}', "chosen_by": " ".join(METRICS[:-1])}
    other = {"role": "alternative", "params": '{"a": 2}', "chosen_by": "auc"}
    other |= {name: row[name] - 0.1 for name in METRICS} | {"auc": row["auc"] + 0.1}
    return [row | {"role": "search", "fold": 0, "params": '{"a": 1}'}, row | final, row | other]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("across")
    rows = [
        row for name in SETS for m in METHODS for split in range(3) for row in make_fit_row(name, m, split)
    ]
    pd.DataFrame(rows, columns=list(MULTI_METRIC_FIT_COLUMNS)).to_csv(folder / "fits.csv", index=False)
    data_rows = [
        {"dataset": name, "status": "obtained", "reason": "", "verdict": "", "rows": 90, "features": 20}
        for name in SETS
    ]
    pd.DataFrame(data_rows).to_csv(folder / "data.csv", index=False)
    lists = [name for name in SETS if name != "asked"]
    diagnosis = [(name, "standardised", split, 0.5, name == "set-1") for name in lists for split in range(3)]
    columns = ["dataset", "feature_scaling", "split", "lambda_max", "zero_is_optimal"]
    pd.DataFrame(diagnosis, columns=columns).to_csv(folder / "diagnosis.csv", index=False)
    settings = {"datasets": SETS, "other_class": {"set-0-other": "set-0"}, "splits": 3}
    axes = {"selection_metric": ["reported", "rate_at_top", "auc"], "positive": ["smaller", "other"]}
    settings["multiverse"] = {"choices": axes}
    files = [folder / name for name in ("fits.csv", "data.csv", "diagnosis.csv")]
    study_results = study_of("across", files, published=True, **settings)
    study_results.manifests = {name: {"rows": 90, "features": 20, "task": "binary"} for name in SETS}
    study_results.manifests["asked"] |= {"task": "graded", "queries": 9}
    return study_results


def value(dataset, method, metric, by=None):
    """The mean over the splits, from the rows as they were made."""
    final = [
        row for split in range(3) for row in make_fit_row(dataset, method, split) if row["role"] != "search"
    ]
    return np.mean([row[metric] for row in final if (by or metric) in row["chosen_by"].split()])


def test_each_metric_is_of_its_own_choice_or_all_are_of_one(study):
    own, by_auc = select_reported_fits(study.fits), select_reported_fits(study.fits, "auc")
    assert len(own) == len(by_auc) == len(SETS) * len(METHODS) * 3
    for rows, by in ((own, None), (by_auc, "auc")):
        of_set = rows[(rows["dataset"] == "set-2") & (rows["method"] == "l2_ranksvm")]
        for metric in METRICS:
            assert of_set[metric].mean() == pytest.approx(value("set-2", "l2_ranksvm", metric, by))
    refused = own[own["status"] == STATUS_NOT_FEASIBLE]
    assert set(refused["dataset"]) == {"asked"}
    assert refused[list(METRICS)].isna().all(axis=None)


def test_results_have_intervals_costs_and_reasons(study):
    table = study.table("results").set_index(["dataset", "method"])
    assert "set-0-other" not in table.index.levels[0]
    row = table.loc[("set-3", "toppush_exact")]
    assert row["auc_mean"] == pytest.approx(value("set-3", "toppush_exact", "auc"))
    assert row["auc_low"] < row["auc_mean"] < row["auc_high"]
    assert row["certified_share"] == 1.0
    assert row["search_seconds"] == pytest.approx(3 * 0.2)
    assert np.isnan(table.loc[("set-3", "lambdamart"), "certified_share"])
    refused = table.loc[("asked", "toppush_exact")]
    assert (refused["statuses"], refused["reason"]) == (f"{STATUS_NOT_FEASIBLE}: 3", "ranks a single list")


def test_a_method_that_cannot_rank_a_set_ties_with_the_worst_there(study):
    wide = pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, 3.0]})
    assert fill_with_worst(wide)["b"].tolist() == [1.0, 3.0]
    blocks = {block.metric.name: block for block in build_rank_tables(study)}
    assert set(blocks["auc"].means.index) == {*LISTS}
    assert set(blocks["auc"].means.columns) == set(METHODS)
    assert set(blocks["n_variables"].without_rank) == {"lambdamart"}


def test_decisions_take_the_best_rank_and_say_where_it_comes_from(study):
    table = study.table("decisions").set_index(["situation", "metric"])
    row = table.loc[("any list", "rate_at_top")]
    assert (row["method"], row["n_sets"], row["rival"]) == ("toppush_exact", 6, "logistic_regression")
    assert (row["wins"], row["losses"], row["mean_rank"]) == (6, 0, 1.0)
    means = [value(name, "toppush_exact", "rate_at_top") for name in LISTS]
    assert row["mean"] == pytest.approx(np.mean(means))
    assert row["p_better"] > 0.95
    assert row["p_better"] + row["p_same"] + row["p_worse"] == pytest.approx(1.0)
    sparse = table.loc[("must be sparse: at most half of the variables", "auc")]
    assert sparse["method"] == "l1_infinite_push"
    fast = table.loc[("must be fast: a search within ten times logistic regression's", "auc"), "method"]
    assert fast == "toppush_exact"
    queries = table.loc[("queries", "rate_at_top")]
    assert (queries["method"], queries["datasets"]) == ("lambdamart", "asked")
    assert np.isnan(queries["p_better"])
    # one set: a best method, but none to recommend
    assert queries["recommended"] == decisions.NO_RECOMMENDATION and row["recommended"] == "toppush_exact"
    assert np.isnan(queries[["best_share", "p_better_runner_up"]].astype(float)).all()
    # the further metrics were not measured
    assert set(table.index.get_level_values("metric")) == {*decisions.DECISION_METRICS} - {"bedroc"}
    assert ("5000 rows or more", "auc") not in table.index
    assert row["condition"] == "queries == 0"
    assert sparse["condition"] == "queries == 0 and n_variables_mean <= data_features / 2"


def test_the_runner_up_is_the_second_best_and_the_choice_has_a_share_of_the_draws(study):
    table = study.table("decisions").set_index(["situation", "metric"])
    row = table.loc[("any list", "rate_at_top")]
    assert row["runner_up"] == "lambdamart" and row["best_share"] == 1.0
    means = [value(name, "lambdamart", "rate_at_top") for name in LISTS]
    assert row["runner_up_mean"] == pytest.approx(np.mean(means))
    best_means = [value(name, "toppush_exact", "rate_at_top") for name in LISTS]
    _, p_same, p_better = bayesian_signed_rank(np.subtract(best_means, means), decisions.ROPE)
    assert (row["p_better_runner_up"], row["p_same_runner_up"]) == (p_better, p_same) and p_better > 0.9
    alone = table.loc[("must be sparse: at most half of the variables", "auc")]
    assert alone["runner_up"] == "none" and np.isnan(alone["runner_up_mean"])


def test_a_runner_up_within_the_region_of_equivalence_is_as_good():
    wide = pd.DataFrame({"first": np.full(6, 0.5), "second": np.full(6, 0.495), "third": np.full(6, 0.1)})
    row = decisions._compare_best_method(wide, list(wide.columns))
    assert (row["recommended"], row["runner_up"]) == ("first", "second")
    assert row["p_better_runner_up"] < 0.05 and row["p_same_runner_up"] > 0.95


def test_a_clearly_better_runner_up_is_recommended_whatever_the_mean_ranks():
    # three methods that are alike lie between the two on one list alone: they decide the mean ranks
    first, second = np.full(8, 0.5), np.full(8, 0.6)
    second[0] = 0.45
    alike = {f"alike_{i}": np.append(0.49, np.full(7, 0.4)) for i in range(8)}
    wide = pd.DataFrame({"first": first, "second": second, **alike})
    ranks = wide.rank(axis=1, ascending=False).mean()
    assert ranks["first"] < ranks["second"]
    row = decisions._compare_best_method(wide, list(wide.columns))
    assert (row["recommended"], row["method"], row["runner_up"]) == ("second", "second", "first")
    assert row["mean_rank"] == ranks["second"] and row["p_better_runner_up"] >= 0.95


def test_a_choice_that_hangs_on_single_sets_is_seldom_the_best_again():
    means = pd.DataFrame({"a": [1.0, 1.0, 1.0, 0.0, 0.0], "b": [0.0, 0.0, 0.0, 1.0, 1.0]})
    # three of five sets, of which a majority is drawn again with this probability
    assert measure_best_share(means, "a") == pytest.approx(binom.sf(2, 5, 0.6), abs=0.02)
    tied = pd.DataFrame({"a": [1.0] * 6, "b": [1.0] * 6})
    assert measure_best_share(tied, "a") == measure_best_share(tied, "b") == 0.5


def test_choosing_by_another_metric_costs_what_was_taken_away(study):
    table = study.table("agreement").set_index(["chosen_by", "reported"])
    assert table.loc[("auc", "rate_at_top"), "mean_loss"] == pytest.approx(0.1)
    assert table.loc[("rate_at_top", "auc"), "mean_loss"] == pytest.approx(0.1)
    assert table.loc[("auc", "auc"), "mean_loss"] == 0.0
    assert (table["same_best_share"] > 0.5).all()


def test_facts_gains_and_what_goes_with_them(study):
    table = study.table("facts").set_index("dataset")
    row = table.loc["set-4"]
    gain = value("set-4", "toppush_exact", "auc") - value("set-4", "logistic_regression", "auc")
    assert row["gain_auc"] == pytest.approx(gain)
    assert row["gain_auc_low"] < gain < row["gain_auc_high"]
    assert row["positives_share"] == pytest.approx(1 / 3)
    assert table["zero_optimal_share"].dropna().to_dict() == {name: float(name == "set-1") for name in LISTS}
    assert np.isnan(table.loc["asked", "gain_auc"])
    gains = pd.DataFrame({f"gain_{name}": [0.1, 0.2, 0.3, 0.5, 0.4] for name in facts.GAIN_METRICS})
    gains = gains.assign(**dict.fromkeys(facts.FACT_LABELS, 1.0) | {"rows": [1.0, 2, 3, 4, 5]})
    correlations = facts.correlate_facts(gains).set_index(["fact", "gain"])
    assert correlations.loc[("rows", "auc"), "spearman"] == pytest.approx(0.9)
    assert np.isnan(correlations.loc[("features", "auc"), "spearman"])
    assert facts.correlate_facts(gains[:4])["spearman"].isna().all()


def test_the_hinge_tells_separable_rows_from_noise():
    X = np.arange(10.0)[:, None]
    losses = facts.minimise_hinge_loss(X, np.repeat([0, 1], 5))
    assert (losses["separable"], losses["noise"]) == (1.0, 0.0)
    mixed = facts.minimise_hinge_loss(X, np.array([0, 0, 0, 0, 1, 0, 1, 1, 1, 1]))
    assert mixed["separable"] == 0.0
    assert mixed["noise"] == pytest.approx(0.2)
    assert max(losses["hinge_gap"], mixed["hinge_gap"]) < 1e-9


@pytest.mark.parametrize(
    ("factor", "rope", "expected"),
    # of baycomp 1.0.3, 50 000 draws
    [
        (1.0, 0.01, (0.020, 0.060, 0.921)),
        (1.0, 0.03, (0.0, 0.850, 0.150)),
        (0.97, 0.01, (0.016, 0.134, 0.850)),
    ],
)
def test_the_bayesian_signed_rank_test_agrees_with_its_authors_program(factor, rope, expected):
    differences = factor * np.array([0.03, 0.05, -0.01, 0.02, 0.0, 0.04, -0.03, 0.06])
    assert bayesian_signed_rank(differences, rope) == pytest.approx(expected, abs=0.01)
    mirrored = bayesian_signed_rank(-differences, rope)
    assert mirrored[::-1] == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("differences", "rope"), [([], 0.1), ([np.nan], 0.1), ([1.0], -1.0), ([1.0], np.nan)]
)
def test_a_test_over_no_data_sets_is_refused(differences, rope):
    with pytest.raises(ValueError, match="needs finite differences"):
        bayesian_signed_rank(differences, rope)


def test_readings_have_a_specification_for_each_level_and_claims_are_judged_in_all(study):
    rows = study.table("outcomes")
    assert set(rows["specification"]) == {
        *("default", "selection_metric=rate_at_top", "selection_metric=auc", "positive=other"),
        *("selection_metric=rate_at_top; positive=other", "selection_metric=auc; positive=other"),
    }
    assert set(rows.loc[rows["specification"] == "positive=other", "dataset"]) == {"set-0"}
    judged = {claim.name: claim.evaluate(study) for claim in import_object(study.paper.claims)}
    assert judged["top-pays"].verdict == "holds"
    assert "Not measured: asked" in judged["top-pays"].evidence
    assert judged["sparse-is-free"].verdict == "holds"
    assert judged["trees-win"].verdict == "does not hold"
    assert judged["one-is-not-enough"].verdict == judged["tuned-depth-pays"].verdict == "cannot tell"
    # TopPush has the best of six numbers on each list: by chance it is above another one on half of them,
    # where they differ by more than .01
    pairs = [
        (values[:, None] > values[None, :] + decisions.ROPE).sum() / 30
        for values in np.array([[value(name, m, "rate_at_top") for m in METHODS] for name in LISTS])
    ]
    level = f"{sum(pairs):.1f} data sets, 95 % point {compute_count_level(pairs)[1]})"
    assert "permuted among its methods: " + level in judged["top-pays"].evidence


def test_a_method_is_fast_beside_logistic_regression_on_most_lists():
    seconds = {"logistic_regression": [1.0, 0.2, 3.0], "l1_ranksvm": [10.0, 2.0, 99.0]}
    seconds |= {"boosted_trees": [10.1, 2.1, 0.001], "nearest_active": [0.001, np.nan, np.nan]}
    lists = pd.Series(["a", "b", "c"])
    rows = pd.DataFrame(seconds, index=lists).rename_axis("dataset").reset_index()
    rows = rows.melt("dataset", var_name="method", value_name="search_seconds")
    (condition,) = (text for text in decisions.METHOD_CONDITIONS.values() if "logistic" in text)
    methods = [*seconds]
    assert decisions._list_candidates(rows, methods, lists, condition) == methods[1::-1]
    assert decisions._list_candidates(rows, methods[1:], lists, condition) == []


def test_figures_are_drawn_and_described(study):
    table = study.table("results")
    heat_map = figures.draw_heat_map(table)
    assert len(heat_map.axes) == 2 * 2 and find_overlaps(heat_map) == []  # each with its colour bar
    assert "set-1: TopPush, certified" in figures.describe_heat_map(table)
    colours = figures.scale_means(table, "auc").loc[LISTS]
    assert colours.min(axis=1).tolist() == [0.0] * 6
    assert colours["toppush_exact"].tolist() == [1.0] * 6
    for cost, cheapest in (("variables", "l1_infinite_push"), ("seconds", "l1_infinite_push")):
        costs = figures.compute_quality_and_cost(table, cost)
        for row in costs.itertuples():  # by brute force: nobody is cheaper or as cheap, and as good
            other_rows = costs[costs["method"] != row.method]
            beaten = ((other_rows["cost"] <= row.cost) & (other_rows["quality"] >= row.quality)).any()
            assert row.front == (not beaten)
        assert costs.loc[costs["cost"].idxmin(), "method"] == cheapest
        assert "TopPush, certified" in figures.describe_quality_and_cost(table, cost)
        assert find_overlaps(figures.draw_quality_and_cost(table, cost)) == []
    units = [figures.select_time_reference(table[table["method"] != name]) for name in ("", facts.LOGISTIC)]
    assert [*costs.query("cost == 1")["method"], *units] == [facts.LOGISTIC] * 2 + ["l1_infinite_push"]
    empty_table = table[:0]
    assert figures.describe_heat_map(empty_table) == figures.NO_DATA_TEXT
    assert not figures.draw_heat_map(empty_table).axes


def test_learning_curves_learn_from_samples_in_proportion(monkeypatch, tmp_path):
    X, y = rows_and_labels()
    fold = SimpleNamespace(
        missing_data={}, split=0, train=lambda: (X[:60], y[:60]), test=lambda: (X[60:], y[60:])
    )
    methods = {name: learning.METHODS[name] for name in ("toppush_exact", "logistic_regression")}
    monkeypatch.setattr(learning, "METHODS", methods)
    curve_settings = {"positives": [5, 10, 500]}
    rows = [row for _, row in learning.run_experiment(curve_settings, splits=[fold], part="made", seed=1)]
    assert [(row["method"], row["positives"], row["negatives"]) for row in rows] == [
        (name, positives, 2 * positives) for positives in (5, 10) for name in methods
    ]
    assert {row["status"] for row in rows if row["method"] == "toppush_exact"} == {"certified"}
    curves = learning.build_curves(SimpleNamespace(read_experiment=lambda *_: rows))
    assert curves["splits_used"].tolist() == [1] * 4
    assert curves["rate_at_top_mean"].tolist() == [row["rate_at_top"] for row in rows]
    # another split has another share of positives
    repeat_rows = [row | {"split": 1, "negatives": row["negatives"] + 1} for row in rows]
    both_curves = learning.build_curves(SimpleNamespace(read_experiment=lambda *_: rows + repeat_rows))
    assert (
        both_curves["splits_used"].tolist() == [2] * 4
        and both_curves["negatives"].tolist() == [10.5] * 2 + [20.5] * 2
    )
    learning.CURVES_FORMAT.write(curves, tmp_path / "curves.csv")
    assert "one split" in (tmp_path / "curves.csv").read_text(encoding="utf-8")
    assert figure.draw_curves(curves).axes
    assert "made, 10, TopPush, certified" in figure.describe_curves(curves)
    gone = SimpleNamespace(missing_data={"status": "not obtained"})
    assert not [*learning.run_experiment({"positives": [5]}, splits=[gone], part="made", seed=1)]
    assert not figure.draw_curves(learning.build_curves(SimpleNamespace(read_experiment=lambda *_: []))).axes


def rows_and_labels():
    random = np.random.default_rng(0)
    y = (np.arange(90) % 3 == 0).astype(int)
    return random.normal(size=(90, 3)) + y[:, None], y


def test_a_situation_is_about_lists_unless_it_says_queries():
    facts_of_list = {"train_positives": 10.0, "positives_share": 0.1, "rows": 9000.0}
    table = pd.DataFrame({"queries": [0.0, 9.0]}).assign(**facts_of_list, features_per_row=0.5, separable=1.0)
    table = table.assign(sparse=1.0, family="muv")
    for words, situation in decisions.SITUATIONS.items():
        if not words.startswith(("50 to", "100", "one positive", "few variables", "no hyper", "lists of")):
            assert table.eval(situation).tolist() == [words != "queries", words == "queries"], words
