"""A method is one file and one word; one whose fit raises is a row, and the run says so at its end."""

import re

import pytest
from small_project import DATASETS, SPLITS, STUDY, outputs

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]

METHOD = """
# Logistic regression, as scikit-learn has it: nothing of toprank knows this method.


rule {name}:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("{name}"),
    log:
        "logs/fit/{{study}}.{{dataset}}.{{features}}.{name}.{{block}}.log",
    benchmark:
        "benchmarks/{name}/{{study}}.{{dataset}}.{{features}}.{{block}}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("{name}"),
    params:
        estimator="sklearn.linear_model.LogisticRegression",
        fixed={{"max_iter": 200}},
        grid={grid},
        code=code_digest("toprank.protocol"),
    script:
        "../../scripts/fit.py"
"""


def add_method(project, name, **grid):
    """Write the rule file of a scikit-learn classifier and name it in the study: all that a method takes."""
    rule = METHOD.format(name=name, grid=grid)
    (project.folder / f"workflow/rules/methods/{name}.smk").write_text(rule)
    project.write_study(methods=[*project.study()["methods"], name])


def of_other_methods(printed, name):
    """The fits that Snakemake computed although they belong to a method that was there before."""
    return [path for path in outputs(printed) if "/fits/" in path and f".{name}." not in path]


def test_a_sixth_method_is_one_file_and_one_word(project):
    before = project.table(f"{STUDY}/fits.csv")
    add_method(project, "logistic", C=[0.1, 1.0])
    printed = project.snakemake()
    assert of_other_methods(printed, "logistic") == []
    fits = project.table(f"{STUDY}/fits.csv")
    assert fits[fits["method"] != "logistic"].reset_index(drop=True).equals(before)
    ours = fits[fits["method"] == "logistic"]
    assert set(ours["status"]) <= {"optimal", "max_iterations"}
    assert len(ours[ours["role"] == "search"]) == len(DATASETS) * SPLITS * 2 * project.study()["inner_folds"]
    chosen = ours[ours["role"] == "chosen"]
    assert len(chosen) == len(DATASETS) * SPLITS
    assert set(chosen["params"]) <= {'{"C": 0.1}', '{"C": 1.0}'}
    assert chosen["positives_at_top"].astype(float).ge(0).all()
    assert set(chosen["objective"]) == {""}  # it minimises another one, and none is made up
    table = project.table(f"{STUDY}/table1.csv")
    assert set(table.loc[table["method"] == "logistic", "dataset"]) == set(DATASETS)
    figure = (project.results / STUDY / "figure_table1.svg").read_text()
    assert re.search("logistic", figure, re.IGNORECASE)
    assert "logistic" in (project.results / "report.html").read_text().casefold()


def test_a_method_that_fails_is_a_row_and_an_error_at_the_end(project):
    add_method(project, "broken", C=[-1.0])
    printed = project.snakemake(fails=True)
    fits = project.table(f"{STUDY}/fits.csv")
    rows = fits[fits["method"] == "broken"]
    assert len(rows) >= len(DATASETS) and set(rows["status"]) == {"failed"}
    assert rows["message"].str.contains("The 'C' parameter").all()
    failures = project.table("failures.csv")
    assert set(failures["method"]) == {"broken"} and set(failures["dataset"]) == set(DATASETS)
    for made in (f"{STUDY}/table1.csv", f"{STUDY}/figure_table1.svg", "report.html"):
        assert "broken" in (project.results / made).read_text(), f"{made} was not computed after the failure"
    assert re.search(r"The run is not clean: \d+ fits ended with .*broken on ", printed)
