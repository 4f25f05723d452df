"""Tables III to VI of L14 and the tests behind them, on rows whose answers are known."""

import numpy as np
import pandas as pd
import pytest
from query_rows import (
    DATASETS,
    EXTRA_METHODS,
    MISSING,
    MISSING_REASON,
    NOTE,
    PAPER,
    PUBLISHED_VALUES,
    RATIO,
    STUDY,
    read_query_fits,
    rows_of,
    tables_of,
    write_results,
)
from scipy import stats
from studies import get_row, study_of

from reproduction.core.results import MEAN_DATASET, STATUS_NOT_OBTAINED, ResultsError, read_queries
from reproduction.papers.laporte2014.inputs import published_tables
from reproduction.papers.laporte2014.significance import TESTS_FORMAT, build_tests_table, select_best_method
from reproduction.papers.laporte2014.table_views import format_relation, published_text
from reproduction.papers.laporte2014.tables import TABLE_FORMATS
from reproduction.specs.published_values import read_published_values


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def tables(results):
    return tables_of(results)


@pytest.fixture
def study(results):
    return study_of(STUDY, (results / STUDY).glob("*.csv"))


def values_of(queries, dataset, method, column="average_precision"):
    rows = queries[(queries["dataset"] == dataset) & (queries["method"] == method)]
    return rows.sort_values(["split", "qid"])[column].to_numpy()


def test_the_published_tables_hold_every_data_set_and_method():
    published = published_tables(read_published_values(PUBLISHED_VALUES))
    assert len(published["table3"]) == 9 and len(published["table4"]) == 60
    assert list(dict.fromkeys(published["table4"]["dataset"]))[-1] == MEAN_DATASET
    for name, worse in (("table5", 8), ("table6", 6)):
        table = published[name]
        assert len(table) == 54 and (table["relation"] == "best").sum() == 9
        assert (table["relation"] == "worse").sum() == worse
        assert table.loc[table["relation"] == "worse", "decrease_percent"].notna().all()
    row = get_row(published["table6"], "hp2004", "log_ranksvm")
    assert (row["relation"], row["decrease_percent"], row["p_value"]) == ("worse", 4, "0.044")
    assert published_tables(read_published_values(None)) == {}


def test_table3_counts_the_files_beside_the_print(tables):
    table = tables["table3"].set_index("dataset")
    assert len(table) == 4 and "hp2004" not in table.index  # which was not asked for
    ohsumed = table.loc["ohsumed"]
    assert ohsumed["relevant_per_query"] == pytest.approx((2585 + 2252) / 106)
    assert ohsumed["documents_per_query"] == pytest.approx(16140 / 106)
    assert (ohsumed["preferences"], ohsumed["published_preferences"]) == (582588, 582588)
    assert table.loc[MISSING, ["data_status", "reason"]].tolist() == [STATUS_NOT_OBTAINED, MISSING_REASON]
    assert np.isnan(table.loc[MISSING, "queries"]) and table.loc[MISSING, "published_queries"] == 50
    assert table.loc["mq2007", "note"] == NOTE


def test_table4_averages_over_the_folds(tables):
    table = tables["table4"]
    for method, ratio in RATIO.items():
        row = get_row(table, "mq2008", method)
        assert row["sparsity_ratio_mean"] == pytest.approx(ratio)
        assert row["sparsity_ratio_std"] == pytest.approx(np.std([-0.02, -0.01, 0, 0.01, 0.02], ddof=1))
        assert row["method_group"] == ("beyond" if method in EXTRA_METHODS else "paper")
    row = get_row(table, "mq2008", "l1_ranksvm")
    assert (row["near_mean"], row["edge_splits"]) == (2, 5)
    assert (row["near_ratio_min"], row["near_ratio_max"]) == pytest.approx((0.4, 0.6))
    assert row["relative_gap_max"] == 1e-9 and row["published_sparsity_ratio"] == 0.39
    assert np.isnan(get_row(table, "mq2008", "mcp_ranksvm")["relative_gap_max"])
    missing = get_row(table, MISSING, "log_ranksvm")
    assert (missing["data_status"], missing["reason"]) == (STATUS_NOT_OBTAINED, MISSING_REASON)
    assert missing["published_sparsity_ratio"] == 0.34


@pytest.mark.parametrize(("deficit", "is_near"), [(0.004, 2), (0.006, 1), (0.04, 1)])
def test_a_candidate_is_near_the_best_up_to_half_a_point_of_map(results, deficit, is_near):
    files = [results / STUDY / f"{name}.csv" for name in ("fits", "queries")]
    study = study_of(STUDY, [*files, *(results / "data").glob("*/manifest.json")], published=True)
    close = study.fits["validation_map"] == 0.498
    assert close.any()
    study.fits.loc[close, "validation_map"] = 0.5 - deficit
    row = get_row(study.table("table4"), "mq2008", "l1_ranksvm")
    assert row["near_mean"] == is_near and row["near_ratio_max"] == pytest.approx(
        0.6 if is_near == 2 else 0.4
    )


def test_the_mean_row_is_over_the_same_data_sets_as_the_published_mean_beside_it(tables):
    row = get_row(tables["table4"], MEAN_DATASET, "log_ranksvm")
    assert row["sparsity_ratio_mean"] == pytest.approx(0.1)
    assert row["published_sparsity_ratio"] == pytest.approx((0.12 + 0.09 + 0.29) / 3)
    assert row["published_mean_row"] == 0.21 and row["note"] == "over ohsumed, mq2008, mq2007"
    assert np.isnan(get_row(tables["table4"], MEAN_DATASET, "mcp_ranksvm_tuned")["published_sparsity_ratio"])


@pytest.fixture
def few_results(tmp_path):
    """The rows of one data set, to change: the folder and the fits."""
    folder = write_results(tmp_path, datasets=("ohsumed",))
    return folder, read_query_fits(folder / STUDY / "fits.csv")


def test_a_method_that_failed_everywhere_has_a_mean_row_without_a_mean(few_results):
    folder, fits = few_results
    failed = (fits["method"] == "log_ranksvm") & (fits["role"] == "chosen") & (fits["status"] == "certified")
    fits.loc[failed, ["map", "sparsity_ratio", "n_variables"]] = np.nan
    tables = tables_of(folder, published=False, fits=fits)
    row = get_row(tables["table4"], MEAN_DATASET, "log_ranksvm")
    assert row["data_status"] == "obtained" and np.isnan(row["sparsity_ratio_mean"])
    assert get_row(tables["table5"], "ohsumed", "log_ranksvm")["relation"] == "none"


def test_rows_stand_in_the_order_of_the_paper(tables):
    datasets = list(dict.fromkeys(tables["table4"]["dataset"]))
    assert datasets[:4] == ["ohsumed", "mq2008", "mq2007", MISSING] and datasets[-1] == MEAN_DATASET
    of_set = tables["table5"][tables["table5"]["dataset"] == "ohsumed"]
    assert tuple(of_set["method"]) == PAPER + EXTRA_METHODS


def test_the_papers_test_is_students_on_the_queries(tables, study):
    table, queries = tables["table5"], study.queries
    for dataset in DATASETS:
        best = get_row(table, dataset, "fenchelrank")
        assert best["relation"] == "best" and best["best"] == "fenchelrank"
        theirs = values_of(queries, dataset, "fenchelrank")
        for method in ("l1_ranksvm", "log_ranksvm", "mcp_ranksvm_tuned"):
            ours = values_of(queries, dataset, method)
            row = get_row(table, dataset, method)
            assert row["t_p"] == pytest.approx(stats.ttest_rel(ours, theirs, alternative="less").pvalue)
            assert row["wilcoxon_p"] == pytest.approx(stats.wilcoxon(ours - theirs).pvalue)
            assert row["decrease_percent"] == pytest.approx(100 * (1 - ours.mean() / theirs.mean()))
            assert row["n_queries"] == 120


def test_the_variant_on_the_folds(tables, study):
    fits = study.fits
    chosen = fits[(fits["role"] == "chosen") & (fits["dataset"] == "mq2008")]
    means = chosen.pivot(index="split", columns="method", values="map")
    row = get_row(tables["table5"], "mq2008", "log_ranksvm")
    p_value = stats.ttest_rel(means["log_ranksvm"], means["fenchelrank"], alternative="less").pvalue
    assert row["t_p_by_folds"] == pytest.approx(p_value) and row["relation_by_folds"] == "worse"


def test_holm_corrects_within_a_block(tables):
    tested = tables["tests"]
    holm_family = tested[(tested["dataset"] == "ohsumed") & (tested["metric"] == "map")]
    for block, n in (("paper", 5), ("beyond", 2)):
        family = holm_family[holm_family["method_group"] == block].sort_values("wilcoxon_p")
        raw = family["wilcoxon_p"].to_numpy() * np.arange(n, 0, -1)
        assert family["wilcoxon_holm"].to_numpy() == pytest.approx(np.minimum(1, np.maximum.accumulate(raw)))


def test_relations_read_as_the_paper_writes_them(tables):
    rows = {method: get_row(tables["table5"], "mq2008", method) for method in PAPER}
    assert format_relation(rows["fenchelrank"]) == ""
    assert format_relation(rows["lp_ranksvm"]) == "~"  # as good on every query
    assert format_relation(rows["log_ranksvm"]) == "−22 % (p < 0.001)"
    published = {m: get_row(tables["table5"], "mq2007", m) for m in PAPER}
    assert published_text(published["fsmrank"]) == "0.4672" and published_text(published["l1_ranksvm"]) == "~"
    assert published_text(published["log_ranksvm"]) == "−0.7 % (p < 0.001)"
    assert published_text(published["lp_ranksvm"]) == "−3 % (p = 0.02)"


def test_a_method_beyond_the_paper_is_never_the_best_but_may_be_better(study):
    queries, fits = study.queries, study.fits
    tuned = queries["method"] == "mcp_ranksvm_tuned"
    queries.loc[tuned, "average_precision"] += 0.1
    fits.loc[(fits["method"] == "mcp_ranksvm_tuned") & (fits["role"] == "chosen"), "map"] += 0.1
    tests = build_tests_table(fits, queries)
    row = tests[(tests["method"] == "mcp_ranksvm_tuned") & (tests["metric"] == "map")].iloc[0]
    assert (row["best"], row["relation"]) == ("fenchelrank", "better") and row["decrease_percent"] < 0


def test_both_conventions_of_ndcg(tables):
    row = get_row(tables["table6"], "mq2008", "fenchelrank")
    assert row["ndcg10_standard_mean"] == pytest.approx(2 * row["ndcg10_mean"])
    assert set(tables["tests"]["metric"]) == {"map", "ndcg10", "ndcg10_standard"}


def test_the_tests_need_nothing_but_their_file(tables, tmp_path):
    n = len(DATASETS) * 3 * (len(PAPER + EXTRA_METHODS) - 1)
    assert len(tables["tests"]) == n
    TESTS_FORMAT.write(tables["tests"], tmp_path / "tests.csv")
    assert ",," not in (tmp_path / "tests.csv").read_text()
    reread = TESTS_FORMAT.read(tmp_path / "tests.csv")
    assert reread["t_p"].to_numpy() == pytest.approx(tables["tests"]["t_p"].to_numpy(), rel=1e-9)


def test_a_failed_fit_is_left_out_and_its_method_cannot_be_the_best(few_results):
    folder, fits = few_results
    chosen = fits[(fits["method"] == "fenchelrank") & (fits["role"] == "chosen") & fits["map"].notna()]
    worst = chosen.loc[chosen["map"].idxmin(), "split"]  # without it its mean is the best
    failed = (fits["method"] == "fenchelrank") & (fits["split"] == worst) & (fits["dataset"] == "ohsumed")
    measured = ["map", "ndcg10", "map_standard", "ndcg10_standard", "sparsity_ratio", "n_variables"]
    fits.loc[failed & (fits["role"] == "chosen"), measured] = np.nan
    fits.loc[failed & (fits["role"] == "chosen"), "status"] = "failed"
    tables = tables_of(folder, fits=fits)
    row = get_row(tables["table4"], "ohsumed", "fenchelrank")
    assert (row["splits"], row["splits_used"], row["statuses"]) == (5, 4, "certified: 4, failed: 1")
    row = get_row(tables["table5"], "ohsumed", "fenchelrank")
    assert row["best"] == "lp_ranksvm" and row["relation"] == "~" and row["map_mean"] > 0


def test_the_best_of_equals_is_the_first_of_the_paper(study):
    fits = study.fits
    chosen = fits[(fits["role"] == "chosen") & (fits["dataset"] == "ohsumed")].assign(map=0.5)
    assert select_best_method(chosen, "map") == "fenchelrank"
    assert select_best_method(chosen.assign(map=np.nan), "map") is None


def test_a_single_fold(tmp_path):
    tables = tables_of(write_results(tmp_path, datasets=("mq2008",), folds=1))
    text = (tmp_path / STUDY / "table5.csv").read_text()
    assert "one split" in text
    row = get_row(tables["table5"], "mq2008", "log_ranksvm")
    assert row["relation"] == "worse" and row["relation_by_folds"] == "none"


def test_a_study_without_published_numbers(tmp_path):
    tables = tables_of(write_results(tmp_path, datasets=("ohsumed",)), published=False)
    assert tables["table4"]["published_sparsity_ratio"].isna().all()
    assert set(tables["table5"]["published_relation"]) == {"none"}
    assert get_row(tables["table4"], MEAN_DATASET, "l1_ranksvm")["note"] == "over ohsumed"
    assert "not published" in (tmp_path / STUDY / "table3.csv").read_text()


def test_the_order_of_the_rows_leaves_no_trace(results, tmp_path):
    write_results(tmp_path)
    for name, rows in zip(("fits", "queries"), rows_of(), strict=True):
        rows.sample(frac=1, random_state=3).to_csv(tmp_path / STUDY / f"{name}.csv", index=False)
    tables_of(tmp_path)
    for name in TABLE_FORMATS:
        new_file, old_file = (folder / STUDY / f"{name}.csv" for folder in (tmp_path, results))
        assert new_file.read_bytes() == old_file.read_bytes()


def test_a_query_that_stands_twice_is_named(tmp_path):
    rows = rows_of(datasets=("ohsumed",), folds=1)[1]
    pd.concat([rows, rows.iloc[:1]]).to_csv(tmp_path / "queries.csv", index=False)
    with pytest.raises(ResultsError, match="query 000 of ohsumed occurs twice for fenchelrank"):
        read_queries(tmp_path / "queries.csv")
