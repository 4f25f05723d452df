"""The figures of a study of the protocol top_ranking, from the draws to the page; one data set is mapped."""

import pandas as pd
import pytest
from small_project import STUDY

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("studies")]

FIGURES = ("figure1", "figure2", "figure3", "suboptimality", "scale")


@pytest.fixture(scope="module")
def whole(bare, tmp_path_factory):
    """A study with every block, on two cores."""
    project = bare.copy(tmp_path_factory.mktemp("admm") / "project")
    study = project.quick("quick")
    study["dirty_model"] |= {"rows": 16, "features": 32, "seeds": 2, "seeds_per_job": 1, "iterations": 60}
    study["convergence"] |= {"iterations": 200}
    study["suboptimality"] |= {"max_iter": 300, "time_limit": 2}
    study["scale"] |= {"rows": [400], "features": 20, "time_limits": {"admm": 5, "exact": 5}}
    blocks = ("dirty_model", "convergence", "suboptimality", "scale")
    project.write_study(
        datasets={"overlap": ["raw"], "epsilon-like": ["raw"]},
        published="reports/published/kadkhodaie2015_table1.csv",
        **{name: study[name] for name in blocks},
    )
    project.printed = project.snakemake()
    return project


def test_every_figure_is_there_in_every_format(whole):
    for name in FIGURES:
        for kind in ("csv", "svg", "pdf", "png"):
            assert (whole.results / STUDY / f"{name}.{kind}").stat().st_size > 0


def test_the_mapped_set_was_fitted_in_place(whole):
    folder = whole.results / "data" / "epsilon-like"
    assert (folder / "X.npy").stat().st_size == 3000 * 40 * 4 + 128
    fits = whole.table(f"{STUDY}/fits.csv")
    exact = fits[(fits["dataset"] == "epsilon-like") & (fits["method"] == "exact")]
    assert set(exact["status"]) == {"optimal"}
    assert (pd.to_numeric(exact["relative_gap"]) <= 1e-8).all()
    diagnosis = whole.table(f"{STUDY}/diagnosis.csv")
    answers = diagnosis[diagnosis["dataset"] == "epsilon-like"]
    assert set(answers["zero_is_optimal"]) == {"False"}
    assert (pd.to_numeric(answers["lambda_max"]) > 0).all()


def test_the_dirty_model_is_certified_and_the_bound_holds(whole):
    rows = pd.read_csv(whole.results / STUDY / "figure1.csv")
    assert rows["optimal_gap"].abs().max() <= 1e-8
    own = rows[(rows["method"] == "a2dm2") & (rows["tau"] <= rows["largest_tau"] * (1 + 1e-9))]
    assert len(own) and (own["dual_gap"] <= own["bound"] * (1 + 1e-9)).all()


def test_only_the_exact_solver_reaches_every_level(whole):
    rows = pd.read_csv(whole.results / STUDY / "suboptimality.csv")
    assert set(rows["dataset"]) == {"overlap", "epsilon-like"}
    exact = rows[rows["method"] == "exact"]
    assert len(exact) and (exact["iterations"] < 100).all()
    perturbed = rows[rows["method"].isin(["a2dm2", "a2dm2_restart"]) & (rows["level"] < 1e-5)]
    assert len(perturbed) and (perturbed["iterations"] == float("inf")).all()


def test_every_slip_of_the_paper_is_shown(whole):
    assert pd.read_csv(whole.results / STUDY / "errata.csv")["shown"].all()


def test_what_the_paper_says_of_its_figures_is_compared(whole):
    rows = whole.table("comparison.csv")
    said = rows[rows["quantity"] == "claim"]
    assert set(said["artefact"]) == {"figure1", "figure2", "figure3"}
    assert set(said["published"]) == {"holds"}
    assert not (rows == "").any(axis=None)


def test_the_page_shows_all_of_it(whole):
    page = (whole.results / "report.html").read_text(encoding="utf-8")
    for title in (
        "Figure 1: the dirty model with elastic nets",
        "Figure 2: objective and Pos@Top, iteration by iteration",
        "Figure 3: residuals and ROC curves",
        "Iterations and seconds to the optimum: performance profiles",
        "Cost and size",
        "<h4>Iterations and seconds to the optimum</h4>",
        "<h2>Errata</h2>",
        "The bound (4) of Theorem 1 held at all",
    ):
        assert title in page, title


def test_a_second_call_has_nothing_to_do(whole):
    assert "Nothing to be done" in whole.snakemake()
