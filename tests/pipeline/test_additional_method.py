"""A method is one file and one word; one whose fit raises is a row, and the run says so at its end."""

import re

import pytest
from small_project import DATASETS, LETOR, SPLITS, STUDY, outputs

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]

METHOD = """
# An estimator as scikit-learn has it: nothing of toprank knows this method.


use rule fit as {name} with:
    wildcard_constraints:
        method="{name}",
    params:
        **methods.params("sklearn.linear_model.{estimator}", grid={grid}),
"""
METHODS = {
    "logistic": ("LogisticRegression", {"C": [0.1, 1.0]}),
    "broken": ("LogisticRegression", {"C": [-1.0]}),
    "ridge": ("Ridge", {"alpha": [0.1, 10.0]}),
    "broken_ridge": ("Ridge", {"alpha": [-1.0, -2.0]}),
}


@pytest.fixture(scope="module")
def extended(finished_project, tmp_path_factory):
    """The finished project with two more methods in each of two studies, one of which always fails."""
    project = finished_project.copy(tmp_path_factory.mktemp("extended") / "copy")
    for name, (estimator, grid) in METHODS.items():
        rule = METHOD.format(name=name, estimator=estimator, grid=grid)
        (project.folder / f"workflow/rules/methods/{name}.smk").write_text(rule)
    lists, queries = project.study(STUDY), project.study(LETOR)
    lists["methods"] += ["logistic", "broken"]
    queries["methods"] += ["broken_ridge"]
    queries["extra_methods"] += ["ridge"]
    project.write({STUDY: lists, LETOR: queries})
    project.published = project.snakemake("results/check.txt", fails=True)
    return project


def fits(project, study, method):
    """The rows of a method on what was obtained."""
    rows = project.table(f"{study}/fits.csv")
    return rows[(rows["method"] == method) & (rows["status"] != "not obtained")]


def test_only_the_new_methods_run(extended, finished_project):
    run = {path.split(".")[2] for path in outputs(extended.published) if "/fits/" in path}
    assert run == set(METHODS)
    for study in (STUDY, LETOR):
        rows = extended.table(f"{study}/fits.csv")
        rows = rows[~rows["method"].isin(METHODS)].reset_index(drop=True)
        assert rows.equals(finished_project.table(f"{study}/fits.csv"))


def test_a_method_is_one_file_and_one_word(extended):
    ours = fits(extended, STUDY, "logistic")
    assert set(ours["status"]) == {"fitted"}
    assert len(ours[ours["role"] == "search"]) == len(DATASETS) * SPLITS * 2 * extended.study()["inner_folds"]
    chosen = ours[ours["role"] == "chosen"]
    assert len(chosen) == len(DATASETS) * SPLITS
    assert set(chosen["params"]) <= {'{"C": 0.1}', '{"C": 1.0}'}
    assert chosen["positives_at_top"].astype(float).ge(0).all()
    assert set(chosen["objective"]) == {""}  # it minimises another one, and none is made up
    table = extended.table(f"{STUDY}/table1.csv")
    assert set(table.loc[table["method"] == "logistic", "dataset"]) == {*DATASETS, "planted"}
    figure = (extended.results / STUDY / "figure_table1.svg").read_text()
    assert re.search("logistic", figure, re.IGNORECASE)
    assert "logistic" in extended.page().casefold()
    queries = fits(extended, LETOR, "ridge").query("role == 'chosen'")
    assert len(queries) == 5 and queries["map"].astype(float).between(0.5, 1).all()


def test_a_method_that_fails_is_a_row_and_an_error_at_the_end(extended):
    failures = extended.table("failures.csv")
    assert set(failures["method"]) == {"broken", "broken_ridge"}
    for study, method, parameter in ((STUDY, "broken", "C"), (LETOR, "broken_ridge", "alpha")):
        rows = fits(extended, study, method)
        assert set(rows["status"]) == {"failed"}
        assert rows["message"].str.contains(f"The '{parameter}' parameter").all()
        assert len(failures[failures["method"] == method]) == len(rows) > 0
    chosen = fits(extended, LETOR, "broken_ridge").query("role == 'chosen'")
    assert chosen["message"].str.startswith("no parameter could be chosen: ").all()
    assert set(extended.table(f"{LETOR}/queries.csv")["method"]) == {"fenchelrank", "l1_ranksvm", "ridge"}
    for name in (f"{STUDY}/table1.csv", f"{STUDY}/figure_table1.svg", "report.html"):
        assert "broken" in (extended.results / name).read_text(), f"{name} was not computed after the failure"
    assert re.search(r"The run is not clean: \d+ fits of 2 methods ended with ", extended.published)
    assert extended.published.count("toprank: summary") == 1
    for method, parameter in (("broken", "C"), ("broken_ridge", "alpha")):
        (log,) = set(
            re.findall(rf"  {method}: .* The '{parameter}' parameter .*; log: (.*)", extended.published)
        )
        (path, *_) = sorted(extended.folder.glob(log))
        assert f"warm-up of {method}: " in path.read_text() and "rows failed, the first: " in path.read_text()
