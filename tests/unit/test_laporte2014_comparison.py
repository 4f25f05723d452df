"""Every published number of L14 has a verdict and a reason that follows from the rows."""

import numpy as np
import pandas as pd
import pytest
from default_specification import default_specification_rows
from query_rows import (
    COUNT_COLUMNS,
    MISSING,
    MISSING_REASON,
    NOTE,
    STUDY,
    tables_of,
    write_results,
)
from studies import compare_study, get_row, study_of

from reproduction.comparison.table import COMPARISON_COLUMNS, read_comparison, write_comparison
from reproduction.comparison.verdicts import (
    AGREES,
    DIFFERS,
    DIFFERS_FROM_PUBLISHED,
    EXPLAINED_VALUE,
    MATCHES,
    VALUE_BELOW_MARGIN,
)
from reproduction.core.results import MEAN_DATASET, STATUS_NOT_OBTAINED
from reproduction.papers.laporte2014.comparison import add_dataset_means
from reproduction.specs.published_values import NUMBER_KEY


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = write_results(tmp_path_factory.mktemp("results"))
    tables_of(folder)
    rows = [(name, "obtained", "", str(counts["features"])) for name, counts in COUNT_COLUMNS.items()]
    rows.append((MISSING, "not obtained", MISSING_REASON, ""))
    data = pd.DataFrame(rows, columns=["dataset", "status", "reason", "features"])
    data.assign(verdict="as expected").to_csv(folder / "data.csv", index=False)
    return folder


def read(results):
    return study_of(STUDY, [results / "data.csv", *(results / STUDY).glob("*.csv")], True)


@pytest.fixture
def study(results):
    return read(results)


@pytest.fixture(scope="module")
def rows(results):
    return compare_study(read(results)).rows


def test_one_row_a_published_number_and_nothing_is_blank(rows, study, tmp_path):
    keys = set(map(tuple, study.published_values[NUMBER_KEY].to_numpy()))
    assert len(rows) == len(keys) and set(map(tuple, rows[NUMBER_KEY].to_numpy())) == keys
    assert (rows["reason"].str.len() > 10).all()
    write_comparison(rows, tmp_path / "c.csv")
    text = (tmp_path / "c.csv").read_text(encoding="utf-8")
    assert ",," not in text and text.splitlines()[0] == ",".join(COMPARISON_COLUMNS)
    assert ",map_p_value,p_value,<0.001,not published," in text
    assert ",map_best_method,relation,fsmrank,not published,fenchelrank,none," in text
    reread = read_comparison(tmp_path / "c.csv")
    write_comparison(reread, tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()


def test_what_was_not_obtained_gives_the_reason_of_the_data(rows):
    quantities = {"sparsity_ratio": "log_ranksvm", "map": "mcp_ranksvm", "map_best_method": "mcp_ranksvm"}
    for quantity, method in (quantities | {"queries_count": "data"}).items():
        row = get_row(rows, MISSING, method, quantity)
        assert (row["verdict"], row["reason"]) == (STATUS_NOT_OBTAINED, MISSING_REASON)
    assert "configuration" in get_row(rows, "hp2004", "log_ranksvm", "map_relation")["reason"]


def test_counts_agree_exactly_and_averages_up_to_their_last_digit(rows):
    assert get_row(rows, "ohsumed", "data", "preferences_count")["verdict"] == MATCHES
    cut_off = get_row(rows, "ohsumed", "data", "documents_per_query_count")  # 152.264, published 152.2
    assert cut_off["verdict"] == MATCHES and "cut off" in cut_off["reason"]
    lost = get_row(rows, "mq2007", "data", "preferences_count")
    assert (
        lost["verdict"] == DIFFERS_FROM_PUBLISHED
        and "404460" in lost["reason"]
        and NOTE.rstrip(".") in lost["reason"]
    )


def test_the_margin_alone_decides_on_fixed_folds(study):
    ratios = study.table("table4")
    is_cell = (ratios["dataset"] == "ohsumed") & (ratios["method"] == "l1_ranksvm")  # .28 is published
    for ours, verdict in ((0.33, AGREES), (0.2299, DIFFERS), (0.3301, DIFFERS)):
        ratios.loc[is_cell, ["sparsity_ratio_mean", "sparsity_ratio_std"]] = [ours, 0.5]
        study.tables.pop("multiverse", None)
        row = get_row(compare_study(study).rows, "ohsumed", "l1_ranksvm", "sparsity_ratio")
        assert row["verdict"] == verdict and np.isnan(row["low"]), "whatever the spread over the folds"


def test_other_counts_are_said_and_explain_nothing_untried(rows):
    lost = get_row(rows, "mq2007", "fenchelrank", "sparsity_ratio")  # .3 against .58
    assert lost["verdict"] == DIFFERS
    assert "other data than published: preferences 404460 (404467)" in lost["reason"]
    assert "other data" not in get_row(rows, "ohsumed", "log_ranksvm", "ndcg10")["reason"]


def test_the_published_mean_needs_every_data_set(rows, study):
    row = get_row(rows, MEAN_DATASET, "log_ranksvm", "sparsity_ratio")
    assert row["verdict"] == STATUS_NOT_OBTAINED and row["published"] == 0.21 and np.isnan(row["ours_mean"])
    assert row["reason"].startswith("the published mean needs ") and "hp2004" in row["reason"]
    names = {"number": "published", "deviation": "published_std"}
    published_ratios = study.published_values[study.published_values["quantity"] == "sparsity_ratio"].rename(
        columns=names
    )
    published_ratios = published_ratios.assign(specification="default", changes=0, ours_mean=0.25)
    published_ratios = published_ratios.assign(default_mean=0.25, splits=5, zero_models=1)
    published_ratios["ours_mean"] = published_ratios["ours_mean"].where(
        published_ratios["dataset"] != MEAN_DATASET
    )  # as the outcomes leave it
    less = published_ratios[~published_ratios["dataset"].isin([MEAN_DATASET, "hp2004"])].assign(
        specification="ties=strongest", changes=1, ours_mean=0.1
    )
    completed_means, lacking = add_dataset_means(
        pd.concat([published_ratios, less], ignore_index=True), study.published_values
    )
    means = completed_means[completed_means["dataset"] == MEAN_DATASET]
    assert lacking == [] and set(means["specification"]) == {"default"}, (
        "a level must be there on all of them"
    )
    assert len(means) == 6 and means["ours_mean"].to_numpy() == pytest.approx(0.25)
    # an explanation states on how many splits it rests
    n_datasets = published_ratios["dataset"].nunique() - 1
    assert (means["splits"] == 5).all() and (means["zero_models"] == n_datasets).all()


def test_a_level_is_looked_for_among_the_specifications(study):
    table = default_specification_rows(study)
    is_cell = (table["dataset"] == "ohsumed") & (table["quantity"] == "sparsity_ratio")
    level = table[is_cell].assign(specification="grid=0.06", changes=1, ours_mean=table["published"][is_cell])
    level["default_mean"] = table["ours_mean"][is_cell]
    study.tables["multiverse"] = pd.concat([table, level], ignore_index=True)
    comparison = compare_study(study)
    row = get_row(comparison.rows, "ohsumed", "l1_ranksvm", "sparsity_ratio")
    assert row["verdict"] == EXPLAINED_VALUE and row["specification"] == "grid=0.06"
    assert comparison.option_effects["choice"].tolist() == ["grid"] and comparison.option_effects[
        "lost"
    ].tolist() == [0]


def test_decreases_are_judged_by_the_margin_of_their_metric(study, rows):
    small = get_row(rows, "mq2007", "mcp_ranksvm", "map_decrease")  # .5 % of .4672 are .0023
    assert small["verdict"] == VALUE_BELOW_MARGIN and small["margin"] == pytest.approx(0.25 / 0.4672)
    table = study.table("table5")
    is_cell = (table["dataset"] == "mq2007") & (table["method"] == "mcp_ranksvm")
    published = study.published_values
    is_asked = (published["quantity"] == "map_decrease") & (published["dataset"] == "mq2007")
    study.published_values = published.assign(number=published["number"].mask(is_asked, 4.0))
    for ours, verdict in ((4.5, AGREES), (4.6, DIFFERS)):
        table.loc[is_cell, "decrease_percent"] = ours
        study.tables.pop("multiverse", None)
        assert (
            get_row(compare_study(study).rows, "mq2007", "mcp_ranksvm", "map_decrease")["verdict"] == verdict
        )


@pytest.mark.parametrize(
    ("relation", "p_value", "verdict"),
    [("worse", 0.03, MATCHES), ("~", 0.06, DIFFERS_FROM_PUBLISHED), ("best", np.nan, DIFFERS_FROM_PUBLISHED)],
)
def test_relations_and_p_values_follow_the_test_on_the_folds(study, relation, p_value, verdict):
    table = study.table("table5")
    is_cell = (table["dataset"] == "mq2007") & (table["method"] == "log_ranksvm")  # < .001 is published
    table.loc[is_cell, ["relation_by_folds", "t_p_by_folds"]] = [relation, p_value]
    rows = compare_study(study).rows
    related, tested = (
        get_row(rows, "mq2007", "log_ranksvm", f"map_{end}") for end in ("relation", "p_value")
    )
    assert related["verdict"] == tested["verdict"] == verdict and tested["published"] == -0.001
    if relation == "best":
        assert "it is the best here" in related["reason"] and tested["ours_mean"] == 1
    else:
        assert f"p = {p_value:.4f} on the folds" in related["reason"]


def test_the_best_method_is_compared_as_a_word(rows, study):
    row = get_row(rows, "mq2008", "fenchelrank", "map_best_method")
    assert row["verdict"] == MATCHES and row["published"] == row["ours_mean"]
    other = get_row(rows, "mq2007", "fsmrank", "map_best_method")
    table = study.table("table5").set_index(["dataset", "method"])["map_mean"]
    ours, theirs = table["mq2007", "fenchelrank"], table["mq2007", "fsmrank"]
    assert other["verdict"] == DIFFERS_FROM_PUBLISHED
    assert f"FenchelRank: {ours:.3f} against {theirs:.3f} of FSMRank (recon" in other["reason"]


def test_no_published_table_no_comparison(tmp_path):
    assert compare_study(study_of(STUDY, [])).rows.empty
