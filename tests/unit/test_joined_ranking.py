"""The place of a new method among published ones, on made rows: ranks, intervals, neighbours, refusals."""

import numpy as np
import pandas as pd
import pytest
from ranking_data import raises_one_sentence
from small_project import ROOT

from reproduction.core.errors import DataError
from reproduction.core.seeds import derive_seed
from reproduction.fitting.method import STATUS_NOT_FEASIBLE
from reproduction.fitting.ranking_metrics import METRICS
from reproduction.papers.across.joined_ranking import (
    CLASS_COUNTS,
    check_same_splits,
    describe_ranking,
    explain_missing,
    join_fits,
    rank_own_methods,
    read_metric_fits,
)
from reproduction.papers.across.ranking_figure import draw_ranking
from reproduction.papers.across.results import RESULTS_FORMAT, fill_with_worst, pivot_means
from reproduction.statistics.bootstrap_ranks import count_separate_neighbours, rank_with_intervals

#: single lists of the registry
LISTS = ["sonar-rocks", "wpbc", "diabetes", "spambase", "splice", "australian"]


def make_fits(level_of, datasets=LISTS, splits=2, **columns):
    """Chosen fits of each method: its level, or a level a data set; None: it cannot rank the set."""
    rows = []
    for method, levels in level_of.items():
        for i, dataset in enumerate(datasets):
            level = levels[i] if isinstance(levels, list) else levels
            for split in range(splits):
                row = {"study": "across", "dataset": dataset, "feature_scaling": "standardised"}
                row |= {"method": method, "split": split, "role": "chosen", "chosen_by": " ".join(METRICS)}
                if level is None:
                    rows.append(row | {"status": STATUS_NOT_FEASIBLE})
                    continue
                counts = dict(zip(CLASS_COUNTS, (20 + len(dataset), 40, 10, 20), strict=True))
                rows.append(row | counts | dict.fromkeys(METRICS, level) | {"status": "certified"} | columns)
    return pd.DataFrame(rows)


def rank(published, own, seed=0):
    return rank_own_methods(join_fits(published, own), sorted(set(own["method"])), seed)


def select_rows(table, metric="auc"):
    return table[table["metric"] == metric].set_index("method")


def test_the_mean_ranks_are_averages_with_shared_places_for_ties():
    means = pd.DataFrame({"a": [0.9, 0.9], "b": [0.9, 0.1], "c": [0.1, 0.5]})
    ranks, is_separate = rank_with_intervals(means)
    assert ranks["mean_rank"].to_dict() == {"a": 1.25, "b": 2.25, "c": 2.5}
    assert ranks[["low", "high"]].isna().all(axis=None), "two data sets are too few"
    assert not is_separate.any(axis=None) and count_separate_neighbours(is_separate) == 0


def test_the_intervals_are_those_of_sets_drawn_again():
    random = np.random.default_rng(3)
    means = pd.DataFrame(random.normal([0.0, 0.5, 1.0, 5.0], size=(8, 4)), columns=list("abcd"))
    ranks, is_separate = rank_with_intervals(means, seed=1)
    set_ranks = means.rank(axis=1, ascending=False)[ranks.index].to_numpy()
    draws = np.array([set_ranks[random.integers(0, 8, 8)].mean(axis=0) for _ in range(20_000)])
    for column, level in (("low", 0.025), ("high", 0.975)):
        assert ranks[column].to_numpy() == pytest.approx(np.quantile(draws, level, axis=0), abs=0.13)
    assert ranks.index[0] == "d" and is_separate.loc["d"].tolist() == [False, True, True, True]
    assert (is_separate == is_separate.T).all(axis=None)
    assert (ranks["low"] <= ranks["mean_rank"]).all() and (ranks["mean_rank"] <= ranks["high"]).all()
    shuffled, _ = rank_with_intervals(means, seed=1)
    assert shuffled.equals(ranks), "the seed settles the draws"


def test_equal_methods_are_not_separate():
    means = pd.DataFrame({"a": np.arange(6.0), "b": np.arange(6.0)})
    ranks, is_separate = rank_with_intervals(means)
    assert ranks["mean_rank"].tolist() == ranks["low"].tolist() == ranks["high"].tolist() == [1.5, 1.5]
    assert not is_separate.any(axis=None)
    for empty in (means.iloc[:0], means.assign(a=np.nan)):
        with raises_one_sentence("ranks need a data set"):
            rank_with_intervals(empty)


def test_the_place_of_a_new_method_is_counted():
    published = make_fits({"best": 0.9, "middle": [0.5, 0.5, 0.5, 0.8, 0.5, 0.5], "worst": 0.1})
    table = select_rows(rank(published, make_fits({"mine": [0.6, 0.6, 0.5, 0.6, 0.6, 0.6]})))
    assert table["place"].to_dict() == {"best": 1, "mine": 2, "middle": 3, "worst": 4}
    assert table["mean_rank"].round(4).to_dict() == {
        "best": 1.0,
        "mine": round((4 * 2 + 2.5 + 3) / 6, 4),
        "middle": round((4 * 3 + 2.5 + 2) / 6, 4),
        "worst": 4.0,
    }
    assert table.loc["middle", ["wins", "ties", "losses"]].tolist() == [4, 1, 1]
    assert table.loc["best", ["wins", "ties", "losses"]].tolist() == [0, 0, 6]
    assert table["apart"].dropna().to_dict() == {"best": 1, "middle": 0, "worst": 1}
    assert set(table["n_sets"]) == {6} and set(table["n_neighbours"]) == {3}
    assert set(table["separate_neighbours"]) == {2}, "of middle and mine one wins on a set"


def test_a_method_that_cannot_rank_a_set_ties_with_the_worst_there():
    published = make_fits({"best": 0.9, "gap": [0.95, None, 0.95, 0.95, 0.95, 0.95], "worst": 0.1})
    table = select_rows(rank(published, make_fits({"mine": 0.5})))
    assert table.loc["gap", "mean_rank"] == pytest.approx((5 * 1 + 3.5) / 6)
    # the own method alike
    published = make_fits({"best": 0.9, "worst": 0.1})
    table = select_rows(rank(published, make_fits({"mine": [None, 0.5, 0.5, 0.5, 0.5, 0.5]})))
    assert table.loc["mine", "mean_rank"] == pytest.approx((5 * 2 + 2.5) / 6)


def test_only_lists_and_splits_that_both_have_count():
    published = make_fits({"first": 0.9, "second": 0.1}, splits=3)
    own = make_fits({"mine": 0.5}, datasets=["wpbc", "mq2008"], splits=2)
    fits = join_fits(published, own)
    assert set(fits["dataset"]) == {"wpbc"} and set(fits["split"]) == {0, 1}


def test_below_five_sets_there_is_no_interval():
    table = rank(make_fits({"first": 0.9, "second": 0.1}), make_fits({"mine": 0.5}, datasets=["sonar-rocks"]))
    assert table[["low", "high", "apart"]].isna().all(axis=None)
    lines = list(describe_ranking(table))
    assert "ranked 2 of 3, mean rank 2.00." in lines[0] and "1 data set:" in lines[0]
    assert "Not enough data: intervals need 5 data sets." in lines[1]


def test_the_published_rows_of_the_own_method_are_left_out():
    published = make_fits({"mine": 0.9, "second": 0.1})
    table = select_rows(rank(published, make_fits({"mine": 0.05})))
    assert table["place"].to_dict() == {"second": 1, "mine": 2}


def test_a_ranking_of_one_method_says_so():
    own = make_fits({"mine": 0.9})
    table = rank(make_fits({"mine": 0.1}), own)
    lines = list(describe_ranking(table))
    assert "ranked 1 of 1" in lines[0] and "no other method" in lines[1]
    draw_ranking(table)


def test_the_words_name_what_is_better_worse_and_not_told_apart():
    published = make_fits({"best": 0.9, "middle": [0.5, 0.5, 0.5, 0.8, 0.5, 0.5], "worst": 0.1})
    table = rank(published, make_fits({"mine": [0.6, 0.6, 0.5, 0.6, 0.6, 0.6]}))
    text = "\n".join(describe_ranking(table[table["metric"] == "auc"]))
    assert "Better than: worst." in text and "Worse than: best." in text
    assert "Not significantly different from: middle." in text
    assert "Of 3 pairs of neighbouring places 2 differ significantly." in text
    assert "Against best, the place above: wins 0, ties 0, losses 6." in text
    assert "Against middle, the place below: wins 4, ties 1, losses 1." in text
    axes = draw_ranking(table).axes
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["best", "mine", "middle", "worst"]
    assert [label.get_weight() for label in axes[0].get_yticklabels()].count("bold") == 1


def test_a_run_without_data_says_why_there_is_no_ranking():
    own = make_fits({"mine": 0.5}).assign(status="not obtained", message="needs rdkit")
    assert explain_missing(own) == "No ranking: none of the data sets was obtained (needs rdkit)."
    own.loc[own["dataset"] == "splice", "status"] = "fitted"
    assert explain_missing(own) == ""


def test_other_rows_of_a_split_are_refused():
    published, own = make_fits({"first": 0.9}), make_fits({"mine": 0.5})
    own.loc[own["dataset"] == "splice", "n_train_positives"] += 1
    with raises_one_sentence("of splice has other rows", DataError):
        join_fits(published, own)
    with raises_one_sentence("no list and split in common", DataError):
        join_fits(published, make_fits({"mine": 0.5}, datasets=["ijcnn1"]))


@pytest.mark.parametrize("key", ["seed", "test_fraction", "inner_folds"])
def test_splits_of_other_settings_are_refused(key):
    settings = {"seed": 1, "test_fraction": 0.3, "inner_folds": 3}
    check_same_splits(settings, dict(settings))
    with raises_one_sentence(f"have {key}", DataError):
        check_same_splits(settings, settings | {key: 2})


def test_older_rows_lack_a_metric_which_then_is_not_ranked(tmp_path):
    published = make_fits({"first": 0.9, "second": 0.1}).drop(columns="ndcg10")
    table = rank(published, make_fits({"mine": 0.5}))
    assert set(table["metric"]) == set(METRICS) - {"ndcg10"}
    rows = published.assign(fold="", params="{}", message="", weights="")
    rows.to_csv(tmp_path / "fits.csv", index=False)
    read = read_metric_fits(tmp_path / "fits.csv", ["auc", "ndcg10", "split", *CLASS_COUNTS])
    assert "ndcg10" not in read and read["auc"].dtype == float


def test_the_documented_neighbours_are_those_of_the_snapshot():
    """docs/add_a_method.md says how many neighbouring places of the published methods can be told apart."""
    folder = ROOT / "reports/snapshot/across"
    results = RESULTS_FORMAT.read(folder / "results.csv")
    facts = pd.read_csv(folder / "facts.csv")
    results = results[results["dataset"].isin(facts.loc[facts["queries"] == 0, "dataset"])]
    neighbours, pairs, further_pairs = {}, {}, []
    for metric in METRICS:
        means = fill_with_worst(pivot_means(results, metric)).round(12)
        assert means.shape == (37, 23)
        _, is_separate = rank_with_intervals(means, derive_seed(20150810, "rank", metric))
        neighbours[metric] = count_separate_neighbours(is_separate)
        pairs[metric] = int(is_separate.to_numpy().sum()) // 2
        places = np.flatnonzero(np.diagonal(is_separate.to_numpy(), offset=1))
        aside = {"best_feature", "nearest_active"}
        separate = [tuple(is_separate.index[[place, place + 1]]) for place in places]
        further_pairs += [(metric, *pair) for pair in separate if not aside & {*pair}]
    assert set(neighbours.values()) == {1, 2, 3}
    assert further_pairs == [("precision_at_percent", "mcp_ranksvm", "log_ranksvm")]
    text = " ".join((ROOT / "docs/add_a_method.md").read_text(encoding="utf-8").split())
    words = "of the 22 pairs of neighbouring places of the 23 published methods, on all 37 lists, only one to"
    assert words in text and 23 * 22 // 2 == 253
    assert (pairs["rate_at_top"], pairs["average_precision"]) == (min(pairs.values()), max(pairs.values()))
    counts = pairs["rate_at_top"], pairs["average_precision"]
    words = f"253 pairs {counts[0]} (rate at the top) to {counts[1]} (average precision)"
    assert words in text
    n_small = (facts[facts["queries"] == 0]["rows"] <= 5000).sum()
    assert f"`max_rows: 5000` selects the {n_small} small lists" in text
