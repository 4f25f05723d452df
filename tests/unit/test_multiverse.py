"""What the papers leave open: ties, choices, specifications, and every published number in each of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from figure_overlaps import find_overlaps
from ranking_data import gaussians
from test_admm import ALPHA, RHO

from reproduction.core.results import ResultsError
from reproduction.datasets import registry
from reproduction.datasets.readers.scaled import read_scaled, scale_to_range
from reproduction.fitting.tie_breaking import TIE_RULES, select_best
from reproduction.papers import PAPERS, paper
from reproduction.reporting.multiverse import figures as multiverse_figure
from reproduction.reporting.multiverse.tables import MULTIVERSE_COST, build_choices_table, build_cost_table
from reproduction.specs.multiverse import (
    Choice,
    Specifications,
    aggregate_splits,
    changed_options,
    multiverse_table,
    require_specifications,
)
from reproduction.specs.study_results import Study
from toprank import A2DM2, ADMM
from toprank.problems.top import TopRanking
from toprank.solvers import admm

COLOURS = Choice("colour", "Colour", "nowhere", "red", {"red": "r", "blue": "b"})
SIZE = Choice("size", "Size", "nowhere", lambda settings: settings["size"])
SETTINGS = {"size": 5000, "multiverse": {"choices": {"colour": ["red", "blue"], "size": [1.0e-5, 5000]}}}


def make_chosen_row(quality, variables, option):
    """The rule in words, one candidate after the other."""
    alive = [i for i, q in enumerate(quality) if not np.isnan(q)]
    alive = [i for i in alive if variables[i] != 0] or alive
    tied = [i for i in alive if quality[i] == max(quality[j] for j in alive)]
    if option == "middle":
        return tied[len(tied) // 2]
    if option in ("fewest", "most"):
        sign = 1 if option == "fewest" else -1
        return min(tied, key=lambda i: (sign * variables[i], -i))
    return tied[-1] if option == "strongest" else tied[0]


@pytest.mark.parametrize("option", TIE_RULES)
def test_ties_against_brute_force(option):
    random = np.random.default_rng(0)
    for _ in range(300):
        n = random.integers(1, 8)
        quality = random.integers(0, 3, n).astype(float)
        quality[random.random(n) < 0.2] = np.nan
        variables = random.integers(0, 4, n).astype(float)
        if not np.isnan(quality).all():
            assert select_best(quality, variables, option) == make_chosen_row(quality, variables, option)


@pytest.mark.parametrize("option", ["fewest", "most"])
def test_of_models_whose_variables_nobody_knows_the_strongest(option):
    assert select_best([3, 3, 1], [np.nan] * 3, option) == 1
    assert select_best([3, 3, 3], [np.nan, 2, np.nan], option) == 1, "a known number before an unknown one"


def test_a_model_without_variables_is_chosen_only_where_there_is_nothing_else():
    assert select_best([3, 3, 1], [0, 0, 5], "strongest") == 2
    assert select_best([3, 3], [0, 0], "middle") == 1


def test_specifications_are_named_by_what_differs_from_the_defaults():
    specifications = Specifications((COLOURS, SIZE), SETTINGS)
    assert specifications.options == {"colour": ["red", "blue"], "size": ["1e-05", "5000"]}
    assert specifications.identify({"colour": "red"}) == {"specification": "default", "changes": 0}
    identified = specifications.identify({"size": "1e-05", "colour": "blue"})
    assert identified == {"specification": "colour=blue; size=1e-05", "changes": 2}
    assert (
        changed_options(identified["specification"]) == {"colour": "blue", "size": "1e-05"}
        and changed_options("default") == {}
    )
    assert (
        specifications.alternatives("colour") == ["blue"]
        and len(specifications.cross_options("colour", "size")) == 4
    )
    with pytest.raises(KeyError, match="no such choice: shape"):
        specifications.identify({"shape": "round"})
    assert Specifications((COLOURS, SIZE), {"size": 7}).options == {"colour": ["red"], "size": ["7"]}


def test_readings_are_averaged_by_hand():
    """The default is that of the same splits; a split without a number counts nowhere."""
    common = {"dataset": "a", "method": "m"}
    default = pd.DataFrame({"split": range(4), "rate": [0.1, 0.2, 0.6, 0.9], "zero_model": [1, 1, 0, 1]})
    other = pd.DataFrame({"split": range(4), "rate": [0.5, 0.7, 0.9, np.nan], "zero_model": [1, 0, 1, 1]})
    rows = [
        default.assign(specification="default", changes=0, **common),
        other.assign(specification="x=1", changes=1, **common),
    ]
    table = aggregate_splits(pd.concat(rows), ["rate"]).set_index("specification")
    assert table["zero_models"].tolist() == [3, 2] and table["splits"].tolist() == [4, 3]
    assert table["ours_mean"].tolist() == pytest.approx([0.45, 0.7])
    x = table.loc["x=1", ["ours_std", "default_mean", "default_std"]]
    assert x.tolist() == pytest.approx([0.2, 0.3, np.std([0.1, 0.2, 0.6], ddof=1)])


def test_a_split_without_the_default_pairs_with_nothing():
    common = {"dataset": "a", "method": "m", "zero_model": 0}
    rows = [
        pd.DataFrame({"split": [0, 1], "rate": [0.1, 0.3], **common}).assign(
            specification="default", changes=0
        ),
        pd.DataFrame({"split": [0, 1, 2], "rate": [0.2, 0.4, 9.0], **common}).assign(
            specification="x=1", changes=1
        ),
        # a data set that only the option has keeps its splits
        pd.DataFrame({"split": [0, 1], "rate": [0.5, 0.7], **common}).assign(
            specification="x=1", changes=1, dataset="b"
        ),
    ]
    table = aggregate_splits(pd.concat(rows), ["rate"]).set_index(["dataset", "specification"])
    assert table.loc[("a", "x=1"), ["ours_mean", "splits", "default_mean"]].tolist() == pytest.approx(
        [0.3, 2, 0.2]
    )
    assert table.loc[("b", "x=1"), ["ours_mean", "splits"]].tolist() == pytest.approx([0.6, 2])
    assert np.isnan(table.loc[("b", "x=1"), "default_mean"])


def test_wrong_choices_and_options_are_told():
    unknown = "the option 'green' is not known; known are red, blue"
    with pytest.raises(ValueError, match=f"choice 'colour': {unknown.replace('option', 'default')}"):
        Choice("colour", "Colour", "nowhere", "green", COLOURS.options)
    assert list(COLOURS.find_problems(["red", "green"], "red")) == [unknown]
    assert list(COLOURS.find_problems(["blue"], "red")) == ["its default, red, is missing: name it too"]
    assert list(SIZE.find_problems(["large", 5000], "5000")) == ["the option 'large' is not a number"]
    with pytest.raises(ResultsError, match=r"fits.csv holds no fit of the specification \(sonar, 10\)"):
        require_specifications([("sonar", "30")], [("sonar", "30"), ("sonar", "10")], "fits.csv")


@pytest.mark.parametrize("name", PAPERS)
def test_every_choice_says_where_it_is_open_and_every_reading_of_a_set_is_a_option(name):
    choices = {choice.name: choice for choice in paper(name).choices}
    assert choices and all(choice.place.endswith(".") and choice.title for choice in choices.values())
    for dataset in map(registry.get, registry.list_names()):
        if dataset.variant_of and name in {registry.PAPERS[p] for p in dataset.papers}:
            ((choice, option),) = dataset.variant.items()
            assert option in choices[choice].options, dataset.name


def test_every_published_result_in_every_specification():
    rows = [
        ("default", 0, "sonar", 0, 0.203, 0, "certified"),
        ("default", 0, "sonar", 1, 0.4, 1, "certified"),
        ("default", 0, "sonar", 2, np.nan, 0, "failed"),
        ("ties=most", 1, "sonar", 0, 0.5, 0, "certified"),
        ("default", 0, "stand-in", 0, 0.7, 0, "certified"),
    ]
    columns = ["specification", "changes", "dataset", "split", "rate_at_top", "zero_model", "status"]
    ours = pd.DataFrame(rows, columns=columns).assign(method="a")
    rows = [
        ("sonar", "a", "rate_at_top", 0.3, 0.1),
        ("bci", "a", "rate_at_top", 0.6, np.nan),
        ("sonar", "data", "features_count", 60.0, np.nan),
    ]
    published = pd.DataFrame(rows, columns=["dataset", "method", "quantity", "number", "deviation"])
    table = multiverse_table("study", ours, published.assign(artefact="table1"))
    rows_by_key = {(row.dataset, row.specification): row for row in table.itertuples()}
    assert len(table) == len(rows_by_key) == 3
    default = rows_by_key["sonar", "default"]
    assert (default.ours_mean, default.splits, default.zero_models) == (pytest.approx(0.3015), 2, 1)
    assert default.ours_std == pytest.approx(np.std([0.203, 0.4], ddof=1))
    assert (default.published, default.published_std, default.changes) == (0.3, 0.1, 0)
    assert (rows_by_key["sonar", "ties=most"].default_mean, default.default_mean) == (
        0.203,
        default.ours_mean,
    )
    assert rows_by_key["sonar", "ties=most"].splits == 1 and np.isnan(
        rows_by_key["sonar", "ties=most"].ours_std
    )
    assert np.isnan(rows_by_key["bci", "default"].ours_mean) and rows_by_key["bci", "default"].splits == 0


def test_what_looking_took_stands_beside_what_is_allowed():
    settings = {"multiverse": {"choices": {}, "budget_minutes": 2}, "datasets": {}, "published": False}
    study = Study("rakotomamonjy2012", paper("rakotomamonjy2012"), settings, [])
    rows = [{"part": "sonar", "fits": 20, "seconds": 30.0}, {"part": "colon", "fits": 20, "seconds": 130.0}]
    study.read_experiment = lambda block, table: rows
    table = build_cost_table(study)
    assert table["budget_minutes"].tolist() == [2, 2]
    seconds = [MULTIVERSE_COST.view.columns[1].make_cell(row) for row in table.to_dict("records")]
    assert table["part"].tolist() == ["colon", "sonar"], "in the order of no configuration"
    assert [(cell.text, cell.strong) for cell in seconds] == [("130", True), ("30.0", False)]
    of_queries = Study("laporte2014", paper("laporte2014"), settings, [])
    assert build_cost_table(of_queries).empty
    choices = build_choices_table(of_queries).set_index("choice")
    assert choices.loc["unit", "default"] == "the means of the five folds"
    assert choices.loc["unit", "options"] == "none", "this study looks at no other"


def test_the_share_of_an_choice():
    values = {"default": 0.0, "colour=blue": 1.0, "size=9": 0.0, "colour=blue; size=9": 1.0}
    table = pd.DataFrame({"specification": [*values], "ours_mean": [*values.values()]})
    table = table.assign(changes=table["specification"].str.count("="), dataset="sonar", method="a")
    table = table.assign(quantity="rate_at_top", default_mean=0.0, published=0.5)

    def shares(table):
        return multiverse_figure.compute_variance_shares(table).set_index("choice")["share"].to_dict()

    assert shares(table) == {"colour": pytest.approx(1.0), "size": pytest.approx(0.0)}
    for draw in (multiverse_figure.draw_curves, multiverse_figure.draw_variance_shares):
        assert draw(table).axes and find_overlaps(draw(table)) == []
    assert "colour (100%)" in multiverse_figure.describe_variance_shares(table)
    shift = 5.0 * (table["specification"] == "size=9")
    other_splits = table.assign(ours_mean=table["ours_mean"] + shift, default_mean=shift)
    assert shares(other_splits)["size"] == pytest.approx(0.0), "other splits are no effect of an option"
    no_rows = table.head(0)
    assert multiverse_figure.describe_curves(no_rows) == multiverse_figure.NO_MULTIVERSE_TEXT
    assert multiverse_figure.draw_variance_shares(no_rows).texts


def test_scaled_features_are_those_of_the_file_or_computed(tmp_path):
    spec = registry.get("diabetes-scaled")
    rows = ["-1 1:0 2:5 3:1", "+1 1:1 2:5 3:2", "+1 1:3 2:5 3:8"]
    (tmp_path / "diabetes").write_text("\n".join(rows) + "\n")
    table = read_scaled(spec, {"diabetes": tmp_path / "diabetes"})
    expected = [[-1, 0, -1], [-0.333333, 0, -0.714286], [1, 0, 1]]
    assert table.X.toarray()[:, :3].tolist() == expected and table.labels.tolist() == ["-1", "1", "1"]
    (tmp_path / "scaled").write_text("-1 1:0.5\n")
    scaled = read_scaled(spec, {"diabetes": tmp_path / "diabetes", "diabetes_scale": tmp_path / "scaled"})
    assert scaled.X.toarray()[0, 0] == 0.5
    assert scale_to_range(np.array([[2.0], [4.0]]), 0, 1).tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize("variant", ["admm", "a2dm2", "a2dm2-restart"])
def test_the_readings_of_the_stop_hold_where_the_solver_ends(variant):
    """Each rule, computed anew from a run that goes on, first holds at the iteration at which it stopped."""
    problem, rho, tol = TopRanking(*gaussians(m=20, n=30), ALPHA), RHO[variant], 1e-3
    calls = []
    method = admm.METHODS[variant](rho=rho)
    admm.solve(problem, method=method, tol=1e-12, max_iter=3000, callback=calls.append)
    rules = {
        "residuals": [step.primal + step.dual for step in calls],
        "published": [step.primal + step.dual / rho for step in calls],
    }
    for stop, values in rules.items():
        expected = next(i for i, value in enumerate(values, 1) if i > 10 and value < tol)
        *_, n_iter = admm.solve(problem, method=replace(method, stop=stop), tol=tol, max_iter=3000)
        assert n_iter == expected, stop
    sweep = admm._FusedSplitting(problem, replace(method, stop="combined"), tol)
    assert not sweep.needs_dual(11, 0.0)  # nothing was done yet
    w, _, n_iter = admm.solve(problem, method=replace(method, stop="combined"), tol=tol, max_iter=3000)
    squares = [rho * step.primal**2 for step in calls]
    first = next(i for i, value in enumerate(squares, 1) if i > 10 and value < tol)
    assert first <= n_iter < 3000 and np.isfinite(w).all()


def test_an_unknown_stop_is_told():
    with pytest.raises(ValueError, match="unknown stop 'gap'; A2DM2 offers residuals, combined, published"):
        A2DM2(stop="gap").check()
    with pytest.raises(ValueError, match="unknown stop 'gap'"):
        admm.solve(TopRanking(*gaussians(m=5, n=5), ALPHA), method=ADMM(stop="gap"))
