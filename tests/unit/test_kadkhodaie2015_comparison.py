"""The published numbers of a study of K15 beside ours: every one has a row, a verdict and a reason."""

import pandas as pd
import pytest
from default_specification import default_specification_rows
from report_rows import MISSING_REASON, PUBLISHED_VALUES, STUDY, results_of, table1_of, write_results
from studies import compare_study, get_row, study_of

from reproduction.comparison import verdicts
from reproduction.comparison.table import (
    COMPARISON_COLUMNS,
    COUNT,
    MARK,
    P_VALUE,
    RELATION,
    RESULT,
    SECONDS,
    quantity_kind,
    read_comparison,
    write_comparison,
)
from reproduction.comparison.tolerances import MARGINS
from reproduction.comparison.verdicts import (
    DIFFERS,
    DIFFERS_FROM_PUBLISHED,
    EXPLAINED_VALUE,
    MATCHES,
    UNMARKED,
)
from reproduction.core.formatting import format_percent
from reproduction.core.results import ResultsError
from reproduction.papers.kadkhodaie2015.comparison import compare_marks, select_default_scaling
from reproduction.papers.kadkhodaie2015.table1 import TABLE1, build_table1, compare_scalings
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.published_values import NUMBER_KEY, QUANTITIES, read_published_values

PRINTS = read_published_values(PUBLISHED_VALUES)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = write_results(tmp_path_factory.mktemp("results"))
    TABLE1.write(table1_of(folder), folder / STUDY / "table1.csv")
    return folder


@pytest.fixture
def read(results):
    return results_of(results)


@pytest.fixture
def table(results):
    return table1_of(results)


def list_files(results):
    files = [results / STUDY / name for name in ("fits.csv", "diagnosis.csv", "table1.csv")]
    return study_of(STUDY, [*files, results / "data.csv"], True)


@pytest.fixture
def study(results):
    return list_files(results)


@pytest.fixture(scope="module")
def rows(results):
    return compare_study(list_files(results)).rows


def test_one_row_a_published_number_and_no_other(rows):
    marks = int((PRINTS["mark"] != "").sum())
    assert len(rows) == len(PRINTS) + marks and not rows.duplicated(NUMBER_KEY).any()
    assert "covtype-sample" not in set(rows["dataset"]), "a substitute has no published number"
    assert list(rows.columns) == list(COMPARISON_COLUMNS) and rows["reason"].str.len().gt(10).all()
    results, other_rows = rows[rows["kind"] == RESULT], rows[rows["kind"] != RESULT]
    assert set(results["quantity"]) == {"pos_at_top"} and results["verdict"].isin(verdicts.VERDICTS).all()
    assert other_rows["verdict"].isin((*verdicts.NON_RESULT_VERDICTS, STATUS_NOT_OBTAINED)).all()
    assert (rows["kind"] != "claim").all()


def test_a_file_of_them_has_no_blank_cell_and_reads_back(rows, tmp_path):
    write_comparison(rows, tmp_path / "c.csv")
    text = (tmp_path / "c.csv").read_text(encoding="utf-8")
    assert ",," not in text and text.splitlines()[0] == ",".join(COMPARISON_COLUMNS)
    pd.testing.assert_frame_equal(read_comparison(tmp_path / "c.csv"), rows, check_dtype=False)


def test_kinds_of_quantities():
    kinds = {"pos_at_top": RESULT, "map_decrease": RESULT, "features_count": COUNT, "fast_mark": MARK}
    kinds |= {"best_pos_at_top_mark": MARK, "map_relation": RELATION, "ndcg10_best_method": RELATION}
    kinds |= {"map_p_value": P_VALUE, "seconds": SECONDS}
    assert {quantity: quantity_kind(quantity) for quantity in kinds} == kinds


def test_every_result_that_may_be_published_has_a_margin():
    assert {name for name in QUANTITIES if quantity_kind(name) == RESULT} == set(MARGINS)


def test_not_obtained_gives_the_reason_of_the_data(rows):
    row = get_row(rows, "epsilon", "toppush", "pos_at_top")
    assert row["verdict"] == STATUS_NOT_OBTAINED and row["reason"] == MISSING_REASON
    row = get_row(rows, "w8a", "toppush", "pos_at_top")
    assert row["verdict"] == STATUS_NOT_OBTAINED and "configuration" in row["reason"]


def test_other_data_are_named_and_explain_nothing_that_was_not_tried(rows):
    row = get_row(rows, "diabetes", "admm", "pos_at_top")
    assert "other data than published: features 8 (34)" in row["reason"]
    part = get_row(rows, "cod-rna", "a2dm2", "pos_at_top")
    assert part["verdict"] == DIFFERS and "negatives 220768 (325710)" in part["reason"]


def test_a_level_of_the_table_of_specifications_explains(study):
    table = default_specification_rows(study)
    is_cell = (table["dataset"] == "splice") & (table["quantity"] == "pos_at_top")
    table.loc[is_cell, ["ours_mean", "ours_std"]] = [900.0, 10.0]
    table.loc[is_cell, ["default_mean", "default_std"]] = [900.0, 10.0]
    scaled = table[is_cell].assign(
        specification="features=scaled", changes=1, ours_mean=table["published"][is_cell]
    )
    study.tables["multiverse"] = pd.concat([table, scaled], ignore_index=True)
    comparison = compare_study(study)
    row = get_row(comparison.rows, "splice", "admm", "pos_at_top")
    assert row["verdict"] == EXPLAINED_VALUE and row["specification"] == "features=scaled"
    assert comparison.option_effects[["recovered", "explains"]].to_numpy().tolist() == [[4, 1]]
    study.tables["multiverse"] = table
    assert get_row(compare_study(study).rows, "splice", "admm", "pos_at_top")["verdict"] == DIFFERS


def test_seconds_have_no_verdict_but_factors_between_the_methods(study, results):
    comparison = compare_study(study)
    row = get_row(comparison.rows, "splice", "a2dm2_restart", "seconds")
    assert row["verdict"] == verdicts.NO_VERDICT and row["published"] == 14.3
    table = table1_of(results)
    of_splice = table[(table["dataset"] == "splice") & (table["feature_scaling"] == "raw")].set_index(
        "method"
    )
    ours = of_splice["seconds_mean"]["a2dm2"] / of_splice["seconds_mean"]["a2dm2_restart"]
    factors = comparison.factors[comparison.factors["dataset"] == "splice"].set_index(["method", "other"])
    factor = factors.loc[("a2dm2", "a2dm2_restart")]
    assert factor["published"] == pytest.approx(3.18 / 14.3) and factor["ours"] == pytest.approx(ours)
    assert factor["verdict"] == (MATCHES if ours < 1 else DIFFERS_FROM_PUBLISHED) and len(factors) == 6
    assert (
        f"{1 / ours:.2f}"[:3] in row["reason"] and "times the seconds of A2DM2 as published" in row["reason"]
    )
    assert not (comparison.factors["dataset"] == "epsilon").any()
    assert get_row(comparison.rows, "epsilon", "toppush", "seconds")["reason"] == MISSING_REASON


def test_a_mark_agrees_only_where_it_is_published_and_ours(study, results):
    table = table1_of(results)
    is_cell = (table["dataset"] == "splice") & (table["feature_scaling"] == "raw")
    for ours, published, verdict in (
        ("1", "marked", MATCHES),
        ("0", "marked", DIFFERS_FROM_PUBLISHED),
        ("1", "not marked", DIFFERS_FROM_PUBLISHED),
        ("0", "not marked", UNMARKED),
    ):
        table.loc[is_cell, "mark_best"] = ours
        raw, prints = select_default_scaling(table), study.published_values
        marked = (prints["dataset"] == "splice") & (prints["quantity"] == "pos_at_top")
        study.published_values = prints.assign(mark=prints["mark"].mask(marked, published))
        study.published_values["marked"] = prints["marked"].mask(marked, float(published == "marked"))
        row = get_row(compare_marks(study, raw), "splice", "admm", "best_pos_at_top_mark")
        assert row["verdict"] == verdict and "the mark follows the decimal exponents" in row["reason"]


def test_no_published_table_no_comparison(results):
    study = study_of(STUDY, [results / STUDY / "fits.csv", results / "data.csv"], False)
    comparison = compare_study(study)
    assert comparison.rows.empty and comparison.option_effects.empty and comparison.factors.empty


def test_a_table_of_specifications_without_a_column_fails_the_run_with_one_sentence(study):
    study.tables["multiverse"] = default_specification_rows(study).drop(columns="splits")
    with pytest.raises(ResultsError, match=r"^kadkhodaie2015/multiverse\.csv lacks the column 'splits'"):
        compare_study(study)


# What else is told of Table 1.


def test_which_features_come_nearer(table):
    nearest = compare_scalings(table).set_index("dataset")
    assert list(nearest.index) == ["breast-cancer", "diabetes", "splice", "all"]
    rows = table.query(
        "dataset == 'splice' and feature_scaling == 'raw' and published_pos_at_top_std.notna()"
    )
    distance = (rows["pos_at_top_mean"] - rows["published_pos_at_top_mean"]).abs()
    distance /= rows["published_pos_at_top_std"]
    assert nearest.loc["splice", "distance_raw"] == pytest.approx(distance.mean())
    assert set(nearest["nearer"]) == {"raw"}
    swapped = table.assign(
        feature_scaling=table["feature_scaling"].map({"raw": "standardised", "standardised": "raw"})
    )
    assert set(compare_scalings(swapped)["nearer"]) == {"standardised"}


def test_no_published_table_no_nearer_features(read):
    table = build_table1(**(read | {"published": None}))
    assert compare_scalings(table).empty


def test_per_cent():
    texts = {0.038: "3.8 %", 0.997: "100 %", 1.213: "121 %", 0.0996: "10 %", 0: "0 %"}
    assert {share: format_percent(share) for share in texts} == texts
