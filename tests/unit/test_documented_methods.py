"""What docs/which_method.md says of variables, cost, grids and the protocol, against the snapshot.

The rest of its answer is compared in test_documentation.py.
"""

import json
import tarfile

import documented_across
import documented_answers
import pandas as pd
import pytest
import yaml
from documented_pages import SNAPSHOT, WORDS, read_prose

from reproduction.papers.across import decisions
from toprank import TopPush

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
def fits():
    with tarfile.open(SNAPSHOT / "fits/across.tar.xz") as archive:
        return pd.read_csv(archive.extractfile("across/fits.csv"), low_memory=False)


@pytest.fixture(scope="module")
def settings():
    text = (SNAPSHOT / "config.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["studies"]["across"]


def test_the_size_of_the_study(page, facts, fits):
    assert f"all {round(len(fits), -3):,} fits (in `across`)".replace(",", " ") in page
    assert "Fourteen of the lists are compounds of two families" in page
    assert facts["family"].isin(["muv", "dud"]).sum() == 14


@pytest.mark.parametrize("describe", documented_answers.SENTENCES)
def test_a_sentence_of_the_answer(page, describe):
    assert describe() in page


@pytest.mark.parametrize("situation", documented_answers.STATED_SITUATIONS)
def test_a_recommended_method(page, situation):
    assert documented_answers.describe_situation(situation) in page


@pytest.mark.parametrize("name", ["decisions", "gains", "compounds", "scaffolds"])
def test_a_table_of_the_answer(page, name):
    table = getattr(documented_across, f"format_{name}")()
    assert " ".join(table.split()) in page


def test_what_the_answer_says_in_words(page, facts):
    table = read("decisions").set_index(["situation", "metric"])["recommended"]
    trees = {"random_forest", "boosted_trees", "lambdamart"}
    words = "*Certified TopPush* is the certified optimum of TopPush at depth 1, the papers' model."
    assert words in page and TopPush().depth == 1
    assert "**On other features than fingerprints, use trees.**" in page
    assert set(table["lists of other features than fingerprints"]) <= trees
    assert "**With a hundred positives or more, use trees as well.**" in page
    assert set(table["100 positives or more to learn from"]) <= trees
    assert "**With fewer than 50 positives, use a linear method with a ridge.**" in page
    few_positives = table["fewer than 50 positives to learn from"]
    assert set(few_positives[["rate_at_top", "precision_at_10", "average_precision"]]) == {"l2_ranksvm"}
    compounds = table["compounds (MUV and DUD), by their fingerprints"]
    assert compounds["rate_at_top"] == "toppush_exact"
    tests = documented_across.read("bayes", SNAPSHOT / "across_scaffolds").set_index(["metric", "method"])
    assert tests.loc[("rate_at_top", "toppush_exact"), ["p_better", "p_worse"]].max() < 0.6
    assert "**On compounds, depth 1 pays at the very top only, and not with scaffold splits.**" in page
    words = (
        "**At its default depth of 1, TopPush is no better than logistic regression at the top of a list, "
        "and worse below it.**"
    )
    assert words in page, "as in the README, whose test looks at the tables"
    assert (
        "every method of this table is then worse, and which one is first at the top cannot be told" in page
    )
    columns = ["rate_at_top_mean", "average_precision_mean", "bedroc_mean", "enrichment_at_percent_mean"]
    random_splits, grouped_splits = (
        documented_across.read("results", SNAPSHOT / study).set_index(["dataset", "method"])[columns]
        for study in ("across", "across_scaffolds")
    )
    losses = (random_splits - grouped_splits).groupby("method").mean()
    assert (losses.loc[list(documented_across.COMPOUND_METHODS)] > 0.0).all(axis=None)
    targets = set(grouped_splits.reset_index()["dataset"])
    of_targets = random_splits[random_splits.index.get_level_values("dataset").isin(targets)]
    means = of_targets.groupby("method").mean()
    gains = means.loc["toppush_exact"] - means.loc["logistic_regression"]
    assert gains["rate_at_top_mean"] > decisions.ROPE, "and no clear gain in other metrics"
    assert gains[["average_precision_mean", "bedroc_mean"]].max() < decisions.ROPE
    assert gains["enrichment_at_percent_mean"] < 0.05 * means["enrichment_at_percent_mean"].max()
    bayes = read("bayes").set_index(["metric", "method"]).loc["average_precision", "toppush_depth"]
    assert (
        "**Tune the depth: it makes up for most of what depth 1 loses, but does not beat logistic "
        "regression.**"
    ) in page
    assert (
        "*Noise* is the share of the sampled training rows that lie on the wrong side of the hyperplane"
        in page
    )
    assert bayes["p_better"] < 0.05
    seconds = read("results").pivot(index="dataset", columns="method", values="search_seconds").median()
    assert "**The cheapest method is logistic regression.**" in page
    # the nearest active has nothing to search, and needs fingerprints
    rivals = seconds.drop(["random_scorer", "best_feature", "nearest_active"])
    assert rivals.idxmin() == "logistic_regression"
    gains = set(read("depth_gains")["dataset"])
    assert set(facts.index[facts["queries"] == 0]) - gains == set()
    assert "0 % is one negative. " in page
    assert "tuned among 1 negative, 1, 5, 20 and 50 % of them, minus TopPush at depth 1 and" in page
    assert "in bold where the 95 % interval over the splits excludes 0)" in page
    assert "BEDROC and the enrichment in the first 1 % of the test part" in page
    assert "better with a probability of .95" in page and decisions.CLEAR_PROBABILITY == 0.95


def test_which_fits_have_a_certificate(fits):
    refitted = fits[fits["role"].isin(["chosen", "alternative"]) & fits["method"].isin(CONVEX)]
    assert set(refitted["status"]) == {"certified", "not feasible"}


def test_the_depths_that_are_tuned(page, fits):
    rows = fits[(fits["method"] == "toppush_depth") & (fits["role"] == "search")]
    shares = rows["params"].map(lambda text: json.loads(text)["depth_share"])
    n_depths = shares.groupby([rows["dataset"], rows["split"]]).nunique()
    assert set(n_depths) == {3, 4, 5} and set(shares) == {0.0, 0.01, 0.05, 0.2, 0.5}
    pushes = fits[(fits["method"] == "l2_infinite_push_depth") & (fits["role"] == "search")]
    shares = pushes["params"].map(lambda text: json.loads(text)["depth_share"])
    assert shares.groupby(pushes["dataset"]).nunique().min() == 2
    assert "On large lists TopPush tries three or four of the depths, the infinite push two." in page


def test_the_protocol(page, settings):
    assert f"{WORDS[settings['splits']]} random ones (a third of the rows" in page
    assert settings["test_fraction"] == pytest.approx(1 / 3)
    assert f"at most {WORDS[settings['limits']['candidates']]} points" in page
    assert f"on {WORDS[settings['inner_folds']]} inner folds" in page
    assert f"differences up to {documented_across.decimal(decisions.ROPE)} as equivalent" in page
    assert f"fewer than {WORDS[decisions.MIN_DATASETS]} sets has no test" in page
