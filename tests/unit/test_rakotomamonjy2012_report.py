"""The report of a study of the infinite push: table, ties, underlines, figures, sentences."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from default_specification import default_specification_rows
from studies import compare_study, get_row, read_study, study_of, texts

from reproduction.comparison.table import RESULT, Comparison
from reproduction.comparison.verdicts import AGREES, DIFFERS, EXPLAINED_VALUE
from reproduction.core.result_columns import LIST_FIT_COLUMNS
from reproduction.papers.rakotomamonjy2012 import table1 as infinite_push
from reproduction.papers.rakotomamonjy2012.paper import PAPER
from reproduction.papers.rakotomamonjy2012.paths import figure as path_figure
from reproduction.papers.rakotomamonjy2012.table1 import TABLE1_FORMAT, compare_with_best
from reproduction.papers.rakotomamonjy2012.times import figure as times_figure
from reproduction.papers.rakotomamonjy2012.toy import figures as push_figures
from reproduction.papers.rakotomamonjy2012.toy.tables import REFERENCE_METHOD
from reproduction.plotting.style import save_figure
from reproduction.reporting.figures.table1_plot import draw_table1
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.published_values import read_published_values

STUDY = "rakotomamonjy2012"
PUBLISHED_VALUES = read_published_values(PAPER.published_values)
METHODS = ("l1_infinite_push", "l2_infinite_push", "l1_ranksvm")
RATE = {"l1_infinite_push": 0.45, "l2_infinite_push": 0.2, "l1_ranksvm": 0.44}
VARIABLES = {"l1_infinite_push": 24, "l2_infinite_push": 60, "l1_ranksvm": 40}
SHARES = (0.01, 0.1, 1.0)


def fit(dataset, method, split, role, **fields):
    row = {"study": STUDY, "dataset": dataset, "features": "standardised", "method": method, "split": split}
    row |= {"role": role, "params": "{}", "status": "certified", "n_iter": 3, "seconds": 0.01}
    row |= {"objective": 0.5, "lower_bound": 0.5, "gap": 0.0, "relative_gap": 1e-12, "weight_norm": 1.0}
    return row | {"positives_at_top": 4, "rate_at_top": 0.4, "n_test_positives": 10} | fields


def rows_of(dataset, splits=10):
    """Ten splits with small differences; on each the last two of three candidates tie."""
    rows = []
    for method in METHODS:
        for split in range(splits):
            for share, top, used in zip(SHARES, (3, 5, 5), (50, 30, 10), strict=True):
                fields = {
                    "params": json.dumps({"share": share}),
                    "positives_at_top": top,
                    "n_variables": used,
                }
                rows.append(fit(dataset, method, split, "search", fold=0, **fields))
            for share, used in ((1e-3, 55), (1e-4, 58)):
                looked_at = {"params": json.dumps({"share": share}), "n_variables": used}
                rows.append(fit(dataset, method, split, "path", **looked_at))
            rate = RATE[method] + 0.01 * (split % 3)
            fields = {"rate_at_top": rate, "n_variables": VARIABLES[method] + split % 2}
            rows.append(fit(dataset, method, split, "chosen", **fields))
    return rows


TOY = {"l1_infinite_push": (0.9, 10, 8), "l1_ranksvm": (0.5, 4, 4), "rfe_infinite_push": (0.9, 0, 0)}
"""Method -> its rate, and how many variables it uses, and of these how many are relevant."""


def toy_rows(trials=6):
    rows = []
    for size in ("toy-n50-noise20", "toy-n100-noise20", "toy-n50-noise5"):
        for method, (rate, used, retrieved) in TOY.items():
            for trial in range(trials):
                fields = {"n_variables": used, "n_relevant_variables": retrieved}
                fields["rate_at_top"] = rate + 0.01 * trial if method == "l1_ranksvm" else rate
                rows.append(fit(size, method, trial, "chosen", **fields))
    return rows


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    missing = fit("p300", "l1_infinite_push", "", "chosen", status="not obtained", message="no file")
    for name in ("positives_at_top", "rate_at_top"):
        missing[name] = ""
    sonar = rows_of("sonar")
    rocks = [row | {"dataset": "sonar-rocks", "rate_at_top": 0.1} for row in sonar]
    rows = pd.DataFrame([*sonar, *rocks, *toy_rows(), missing], columns=list(LIST_FIT_COLUMNS), dtype=object)
    rows.fillna("").astype(str).to_csv(folder / "fits.csv", index=False)
    return folder


DATA = pd.DataFrame(
    [
        ("sonar", "obtained", "", "208", "60", "", ""),
        ("sonar-rocks", "obtained", "", "208", "60", "", "sonar"),
        ("p300", "not obtained", "no file", "", "", "bci", ""),
    ],
    columns=["dataset", "status", "reason", "rows", "features", "substitute_for", "variant_of"],
)


TOY_SETTINGS = {"rows": [50, 100], "noise": [20], "relevant": 10}
TOY_SETTINGS |= {"retrieval_rows": 50, "retrieval_noise": [5, 20]}


def read(results):
    study_results = study_of(STUDY, [results / "fits.csv"], True, toy=TOY_SETTINGS)
    study_results.data, study_results.diagnosis = DATA, None
    return study_results


@pytest.fixture
def study(results):
    return read(results)


@pytest.fixture(scope="module")
def table(results):
    return read(results).table("table1")


def test_the_published_table_is_read_with_its_counts():
    table = infinite_push.published_table1(PUBLISHED_VALUES)
    assert len(table) == 21 and set(table["method"]) == set(METHODS)
    rows = table.drop_duplicates("dataset").set_index("dataset")["rows"]
    assert rows.to_dict() == {
        **{"colon": 62, "yeast": 208, "sonar": 208, "wpbc": 194},
        **{"ionosphere": 351, "spectf": 269, "bci": 2880},
    }
    assert infinite_push.published_table1(None) is None


def test_means_of_the_chosen_fits_and_the_published_ones_beside_them(table):
    row = get_row(table, "sonar", "l1_infinite_push")
    assert row["rate_at_top_mean"] == pytest.approx(0.459) and row["variables_mean"] == 24.5
    assert (row["splits"], row["splits_used"]) == (10, 10)
    assert (row["published_rate_at_top_mean"], row["published_variables_std"]) == (0.44, 6.5)
    assert row["published_rows"] == row["data_rows"] == 208
    other = get_row(table, "sonar-rocks", "l1_ranksvm")
    assert (other["published_dataset"], other["variant_of"]) == ("sonar", "sonar")
    assert other["published_variables_mean"] == 59.8
    missing = get_row(table, "p300", "l1_infinite_push")
    assert (missing["data_status"], missing["reason"]) == ("not obtained", "no file")
    assert missing["published_dataset"] == "bci"
    assert "colon" not in set(table["dataset"]), "it was not asked for"
    assert get_row(table, "bci", "l1_ranksvm")["reason"] == "not public; its declared substitute is p300"


def test_ties_are_counted_with_their_variables(table):
    row = get_row(table, "sonar", "l1_ranksvm")
    assert (row["tied_mean"], row["tied_variables_min"], row["tied_variables_max"]) == (2, 10, 30)
    assert (row["grid_variables_max"], row["limit_variables"]) == (50, 58)


def test_underlined_is_what_wilcoxon_finds_worse(table):
    worse = {method: get_row(table, "sonar", method)["worse"] for method in METHODS}
    assert worse == {"l1_infinite_push": "0", "l2_infinite_push": "1", "l1_ranksvm": "1"}
    assert get_row(table, "sonar", "l1_infinite_push")["p_value"] == 1.0
    assert {get_row(table, "sonar-rocks", method)["worse"] for method in METHODS} == {"0"}  # all rates equal


def test_one_method_alone_is_not_compared():
    chosen = pd.DataFrame([fit("sonar", "l1_ranksvm", split, "chosen") for split in range(3)])
    assert compare_with_best(chosen) == {}


def test_every_published_number_has_a_verdict_and_a_reason(study):
    rows = compare_study(study).rows
    assert len(rows) == len(PUBLISHED_VALUES) and rows["reason"].str.len().gt(0).all()
    assert (rows["kind"] == RESULT).sum() == 2 * 21 - 7  # no number of variables of the ridge
    agrees = get_row(rows, "sonar", "l1_infinite_push", "rate_at_top")  # .459 against .44
    assert agrees["verdict"] == AGREES and agrees["splits"] == 10
    differs = get_row(rows, "sonar", "l1_ranksvm", "variables")  # 40.5 against 59.8, a margin of 6
    assert differs["verdict"] == DIFFERS and differs["margin"] == pytest.approx(6)
    missing = get_row(rows, "bci", "l1_infinite_push", "rate_at_top")
    assert (
        missing["verdict"] == STATUS_NOT_OBTAINED
        and "p300 is its declared substitute with other data" in missing["reason"]
    )


def test_the_other_class_as_the_positive_one_is_a_level_and_no_row(study):
    table = default_specification_rows(study)
    assert set(table.loc[table["ours_mean"].notna(), "dataset"]) == {"sonar"}
    is_cell = (table["method"] == "l1_ranksvm") & (table["quantity"] == "variables")
    other = table.assign(specification="positive=rocks", changes=1)
    other.loc[is_cell, "ours_mean"] = 58.0
    other.loc[(table["method"] == "l2_infinite_push") & ~table["quantity"].eq("variables"), "ours_mean"] = (
        0.48
    )
    study.tables["multiverse"] = pd.concat([table, other], ignore_index=True)
    row = get_row(compare_study(study).rows, "sonar", "l1_ranksvm", "variables")
    assert row["verdict"] == EXPLAINED_VALUE and row["specification"] == "positive=rocks"
    assert "sonar-rocks" not in set(compare_study(study).rows["dataset"])


def test_figure_1_tests_each_rival_against_the_sparse_infinite_push(study):
    figure1 = study.table("figure1")
    assert len(figure1) == 6 and set(figure1["trials"]) == {6}
    p_values = figure1.set_index(["rows", "method"])["p_value"]
    assert np.isnan(p_values[50, REFERENCE_METHOD])
    assert p_values[50, "l1_ranksvm"] == pytest.approx(2 / 2**6)  # all six differences of one sign
    assert p_values[50, "rfe_infinite_push"] == 1.0


def test_figure_2_retrieval(study):
    figure2 = study.table("figure2").set_index(["noise", "method"])
    metrics = ["precision_mean", "recall_mean", "f_measure_mean"]
    assert figure2.loc[20, "l1_infinite_push"][metrics].tolist() == pytest.approx([0.8, 0.8, 0.8])
    assert figure2.loc[5, "l1_ranksvm"]["f_measure_mean"] == pytest.approx(2 * 0.4 / 1.4)
    # a model without a variable
    assert figure2.loc[20, "rfe_infinite_push"][metrics].tolist() == [0, 0, 0]


def test_retrieval_under_each_rule_for_ties(study):
    """A fit counts under the rules that it names, and one that names none, since nothing tied, under each."""
    study.settings["multiverse"] = {"choices": {"ties": ["middle", "fewest", "weakest"]}}
    fits = study.fits.copy()
    is_push = (fits["method"] == "l1_infinite_push") & (fits["dataset"] == "toy-n50-noise20")
    fits.loc[is_push, "ties"] = "middle weakest"
    sparser = fits[is_push].assign(ties="fewest", role="alternative", n_variables=4, n_relevant_variables=4)
    study.fits = pd.concat([fits, sparser], ignore_index=True)
    table = study.table("retrieval")
    assert list(dict.fromkeys(table["ties"])) == ["middle", "fewest", "weakest"]
    means = table.set_index(["ties", "noise", "method"])["precision_mean"]
    precisions = [means[rule, 20, "l1_infinite_push"] for rule in ("middle", "fewest", "weakest")]
    assert precisions == pytest.approx([0.8, 1.0, 0.8])
    assert {means[rule, 5, "l1_ranksvm"] for rule in ("middle", "fewest")} == {1.0}
    middle = table[table["ties"] == "middle"].drop(columns="ties").reset_index(drop=True)
    pd.testing.assert_frame_equal(middle, study.table("figure2"))


TIMES = pd.DataFrame(
    [
        (solver, noise, pairs, pairs**power / 1e4, status, 1e-9)
        for solver, power in (("l1_infinite_push", 0.5), ("l1_infinite_push_admm", 1.0))
        for noise in (20, 100)
        for pairs, status in zip((100, 400, 900, 2500), ["certified"] * 3 + ["time_limit"], strict=True)
    ],
    columns=["solver", "noise", "pairs", "seconds", "status", "relative_gap"],
)


def test_the_exponent_leaves_out_what_was_stopped():
    line = TIMES[(TIMES["solver"] == "l1_infinite_push_admm") & (TIMES["noise"] == 20)].copy()
    line.loc[line["status"] == "time_limit", "seconds"] = 1e9
    assert times_figure.fit_exponent(line) == pytest.approx(1.0)


def test_the_figures_draw_what_the_tables_hold(study, table):
    first = push_figures.draw_figure1(study.table("figure1"))
    assert {".03", "1", "20 noise features", "ℓ₁ infinite push"} <= set(texts(first))
    second = push_figures.draw_figure2(study.table("figure2"))
    assert {"Precision (share)", "F-measure (share)", "RFE infinite push"} <= set(texts(second))
    third = times_figure.draw_figure3(TIMES)
    assert {"0.50", "1.00", "100 noise features"} <= set(texts(third))
    weights = pd.DataFrame([[1.0, 0.0, 0.0, 0.0], [0.1, 0.0, 0.5, 0.0], [0.01, 0.2, 0.7, 0.0]])
    weights.columns = ["share", "0", "1", "2"]
    points = pd.DataFrame({"dataset": "sonar", "share": [1.0, 0.1, 0.01], "rate_at_top": [0, 0.4, 0.5]})
    points = points.assign(rate_at_top_train=points["rate_at_top"], n_variables=[0, 1, 2], n_groups=[0, 1, 2])
    fourth = path_figure.draw_path(points, weights)
    # in the order in which they enter, each from the point before; feature 2 never does
    assert {"1. feature 1", "2. feature 0", "sonar, first split, ℓ₁ norm"} <= set(texts(fourth))
    assert [len(line.get_xdata()) for line in fourth.axes[0].get_lines()] == [2, 3]
    fifth = draw_table1(table, **PAPER.figures[0].options)
    assert "Number of variables" in texts(fifth)


@pytest.mark.parametrize(("p", "text"), [(4e-4, "<.001"), (0.0042, ".004"), (0.034, ".03"), (1.0, "1")])
def test_p_values_as_a_figure_writes_them(p, text):
    assert push_figures.format_p_value(p) == text


def test_a_study_is_read_with_its_figures(results, table, tmp_path):
    folder = tmp_path / STUDY
    folder.mkdir()
    shutil.copy(results / "fits.csv", folder)
    TABLE1_FORMAT.write(table, folder / "table1.csv")
    save_figure(draw_table1(table, **PAPER.figures[0].options), [folder / "figure_table1.svg"])
    TIMES.to_csv(folder / "figure3.csv", index=False)
    save_figure(times_figure.draw_figure3(TIMES), [folder / "figure3.svg"])
    names = ("fits.csv", "table1.csv", "figure_table1.svg", "figure3.csv", "figure3.svg")
    study = read_study(STUDY, [folder / name for name in names], False, Comparison(), times={"rows": {}})
    assert [drawing.title for drawing in study.drawings] == ["Figure of Table 1", "Figure 3: running time"]
    assert "exponent 1.00" in study.drawings[1].description
