"""What docs/which_method.md says of variables, cost, grids and the protocol, against the snapshot.

The rest of its answer is compared in test_documentation.py.
"""

import json
import tarfile
from pathlib import Path

import pandas as pd
import pytest
import yaml
from documented_pages import read_prose

from reproduction.papers.across import decisions

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = ROOT / "reports/snapshot"
ADDED_LATER = ("australian", "w8a")
WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WORDS += ["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"]
CONVEX = ("l1_infinite_push", "l2_infinite_push", "toppush_exact", "l1_ranksvm", "l2_ranksvm", "fsmrank")


@pytest.fixture(scope="module")
def page():
    return read_prose("docs/which_method.md")


def read(name):
    return pd.read_csv(SNAPSHOT / f"across/{name}.csv", na_values=["not defined", "none"])


@pytest.fixture(scope="module")
def facts():
    return read("facts").set_index("dataset")


@pytest.fixture(scope="module")
def results(facts):
    return read("results").query("feature_scaling == 'standardised' and dataset in @facts.index")


@pytest.fixture(scope="module")
def early_lists(facts, results):
    """The rows of the 15 lists that the paragraphs on variables and cost are about."""
    names = facts.index[facts["queries"] == 0].difference(ADDED_LATER)
    return results[results["dataset"].isin(names)]


@pytest.fixture(scope="module")
def fits():
    with tarfile.open(SNAPSHOT / "fits/across.tar.xz") as archive:
        return pd.read_csv(archive.extractfile("across/fits.csv"), low_memory=False)


@pytest.fixture(scope="module")
def settings():
    text = (SNAPSHOT / "config.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["studies"]["across"]


def decimal(number, digits=2):
    return f"{number:.{digits}f}".removeprefix("0")


def format_seconds(seconds):
    """Two digits below a tenth, one below ten, then none: .03, 1.4, 22."""
    return decimal(seconds, 2 if seconds < 0.1 else 1 if seconds < 10 else 0)


def pivot_methods(rows, column):
    return rows.pivot(index="dataset", columns="method", values=column)


def test_the_size_of_the_study(page, facts, results, fits):
    lists = (facts["queries"] == 0).sum()
    words = (
        f"{WORDS[results['method'].nunique()].capitalize()} methods on {len(facts)} data sets: "
        f"{lists} lists and {WORDS[len(facts) - lists]} sets of queries"
    )
    assert words in page
    assert f"all {round(len(fits), -3):,} fits".replace(",", " ") in page


def test_where_the_optimum_is_0_and_where_it_ranks_at_random(page, facts, results):
    zero = sorted(facts.index[facts["zero_optimal_share"] == 1])
    named = f"On {', '.join(f'`{name}`' for name in zero[:-1])} and `{zero[-1]}` its optimum is w = 0"
    assert named in page and f"Without these {WORDS[len(zero)]} the median" in page
    auc = pivot_methods(results, "auc_mean").loc["covtype-sample", "toppush_exact"]
    assert f"ranks nearly at random there too (AUC {decimal(auc)})" in page
    losses = facts["gain_rate_at_top"].loc[zero]
    assert (losses < 0).all()
    bayes = read("bayes").query("metric == 'rate_at_top'").set_index("method")
    pushes = bayes.loc[["l1_infinite_push", "l2_infinite_push"]]
    assert (pushes["p_better"] < pushes["p_worse"]).all() and "The infinite push does no better" in page


def test_the_methods_of_each_situation(page):
    table = read("decisions").set_index(["situation", "metric"])
    decision = table.loc[("fewer than 50 positives to learn from", "rate_at_top")]
    words = (
        f"ℓ₂ RankSVM has {decimal(decision['mean'])} at the top on {WORDS[decision['n_sets']]} lists with "
        f"few positives, logistic regression {decimal(decision['rival_mean'])}"
    )
    assert decision["method"] == "l2_ranksvm" and decision["rival"] == "logistic_regression" and words in page
    wide = table.loc["many variables: one for ten rows, or more"]["method"]
    assert (wide["rate_at_top"], wide["average_precision"]) == ("logistic_l1", "l2_ranksvm")
    assert "ℓ₁ logistic regression is first at the top, ℓ₂ RankSVM in average precision" in page
    best = table.loc["any list"]["method"]
    assert best["rate_at_top"] == best["average_precision"] == "boosted_trees"


def test_what_fewer_variables_cost(page, early_lists):
    n_lists = early_lists["dataset"].nunique()
    assert f"are of the {n_lists} lists without `{'` and `'.join(ADDED_LATER)}`" in page
    sizes = early_lists.groupby("dataset")["data_features"].first()
    shares = pivot_methods(early_lists, "n_variables_mean").div(sizes, axis=0).mean()
    precision = pivot_methods(early_lists, "average_precision_mean").mean()
    losses = precision["logistic_regression"] - precision
    assert abs(shares["l1_ranksvm"] - 0.5) < 0.025, "half of them"
    loss = decimal(losses["l1_ranksvm"], 3)
    assert f"uses half of them and loses {loss} in average precision against logistic regression" in page
    words = (
        f"use {decimal(shares['log_ranksvm'])} (log) to {decimal(shares['mcp_ranksvm'])} (MCP) of them and "
        f"lose {decimal(losses['log_ranksvm'], 3)} and {decimal(losses['mcp_ranksvm'], 3)}"
    )
    assert words in page


def test_what_a_search_costs(page, early_lists):
    seconds = pivot_methods(early_lists, "search_seconds")
    logistic, toppush, trees = (
        seconds[name] for name in ("logistic_regression", "toppush_exact", "boosted_trees")
    )
    words = (
        f"A search takes {format_seconds(logistic.min())} s (`{logistic.idxmin()}`) to "
        f"{format_seconds(logistic.max())} s (`{logistic.idxmax()}`) with logistic regression, "
        f"{format_seconds(toppush.min())} to {format_seconds(toppush.max())} s with exact TopPush, and "
        f"{format_seconds(trees.min())} to {format_seconds(trees.max())} s with boosted trees"
    )
    assert words in page


def test_what_another_metric_costs(page):
    largest = read("agreement")["mean_loss"].max()
    assert f"by another metric costs at most {decimal(largest, 3)}, on average over the data sets" in page


def test_what_lambdamart_gains_from_a_deeper_truncation(page, fits, results):
    levels = fits["params"].str.extract(r'"lambdarank_truncation_level": (\d+)')[0]
    rows = fits.assign(level=levels)[fits["method"] == "lambdamart"]
    split = ["dataset", "feature_scaling", "split"]
    search = rows[rows["role"] == "search"]
    shallow, deep = sorted(set(map(int, levels.dropna())))
    assert f"by default optimise only the top {shallow} or so positions" in page
    assert f"has a `lambdarank_truncation_level` of {deep}, which the rate at the top" in page
    assert f"(large sets try only {deep}). Of its candidates with {deep}, the best has" in page
    n_levels = search.groupby(split)["level"].nunique().rename("n_levels")
    chosen = rows[rows["chosen_by"].fillna("").str.split().map(lambda names: "rate_at_top" in names)]
    tried = chosen.merge(n_levels[n_levels == 2].reset_index(), on=split)
    assert f"chosen in {(tried['level'] == '1000').sum()} of the {len(tried)} splits that try both" in page
    candidates = search[search["feature_scaling"] == "standardised"]
    candidates = candidates.groupby(["dataset", "split", "level", "params"])["rate_at_top"].mean()
    best = candidates.groupby(["dataset", "split", "level"]).max().groupby(["level", "dataset"]).mean()
    (rocks_30, bad_30), (rocks, bad) = (
        (decimal(best[level, "sonar-rocks"]), decimal(best[level, "ionosphere-bad"]))
        for level in ("30", "1000")
    )
    words = f"has {rocks} on `sonar-rocks` and {bad} on `ionosphere-bad`, with 30 {rocks_30} and {bad_30}"
    assert words in page
    means = pivot_methods(results, "rate_at_top_mean")["lambdamart"]
    on_test = (
        f"On the test rows it has {decimal(means['sonar-rocks'])} and {decimal(means['ionosphere-bad'])}"
    )
    ranks = read("ranks").query("metric == 'rate_at_top'").set_index("method")
    lambdamart, xgboost = (ranks.loc[name, "mean_rank"] for name in ("lambdamart", "xgboost_ranker"))
    words = f"{on_test}, and its mean rank at the top is {lambdamart:.1f} of {len(ranks)}"
    assert words in page and f"XGBoost's ranker has its default, and the mean rank {xgboost:.1f}" in page


def test_which_fits_have_a_certificate(page, fits, results, settings):
    fenchelrank = fits[(fits["method"] == "fenchelrank") & (fits["status"] != "not feasible")]
    assert round(4 * (fenchelrank["status"] != "certified").mean()) == 3
    assert "leaves three of four of its fits without a certificate" in page
    refitted = fits[fits["role"].isin(["chosen", "alternative"]) & fits["method"].isin(CONVEX)]
    assert set(refitted["status"]) == {"certified", "not feasible"}
    not_ended = results.query("dataset == 'w8a'")["statuses"].str.contains("not feasible").sum()
    seconds = settings["limits"]["seconds"]
    assert f"on `w8a` {WORDS[not_ended]} methods did not end within {seconds} s a fit" in page
    candidates = {
        json.loads(params)["alpha"]
        for params in fits.query("method == 'toppush_exact' and role == 'search'")["params"].unique()
    }
    assert len(candidates) == len(settings["alphas"])
    assert f"TopPush has only {WORDS[len(candidates)]} values of λ" in page


def test_the_protocol(page, settings):
    assert f"{WORDS[settings['splits']]} random ones (a third of the rows" in page
    assert settings["test_fraction"] == pytest.approx(1 / 3)
    assert f"at most {WORDS[settings['limits']['candidates']]} points" in page
    assert f"on {WORDS[settings['inner_folds']]} inner folds" in page
    assert f"differences up to {decimal(decisions.ROPE)} as equivalent" in page
    assert f"fewer than {WORDS[decisions.MIN_DATASETS]} sets has no test" in page
