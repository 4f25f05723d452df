"""The figures of a study of K15, from the draws to the page; its data set is mapped."""

import pandas as pd
import pytest
from small_project import ADMM

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]

FIGURES = ("figure1", "figure2", "figure3", "suboptimality", "scale", "published_measured")


def test_every_figure_is_there(finished_project):
    begins = {"csv": b"", "svg": b"<"}
    for name in FIGURES:
        for kind, begin in begins.items():
            content = (finished_project.results / ADMM / f"{name}.{kind}").read_bytes()
            assert content and content.startswith(begin), f"{name}.{kind}"


def test_the_mapped_set_was_fitted_in_place(finished_project):
    folder = finished_project.results / "data" / "epsilon-like"
    assert (folder / "X.npy").stat().st_size == 3000 * 40 * 4 + 128
    fits = finished_project.table(f"{ADMM}/fits.csv")
    exact = fits[fits["method"] == "exact"]
    assert set(exact["status"]) == {"certified"}
    assert (pd.to_numeric(exact["relative_gap"]) <= 1e-8).all()
    answers = finished_project.table(f"{ADMM}/diagnosis.csv")
    assert set(answers["zero_is_optimal"]) == {"False"}
    assert (pd.to_numeric(answers["lambda_max"]) > 0).all()


def test_the_dirty_model_is_certified_and_the_bound_holds(finished_project):
    rows = pd.read_csv(finished_project.results / ADMM / "figure1.csv")
    assert rows["optimal_gap"].abs().max() <= 1e-8
    own = rows[(rows["method"] == "a2dm2") & (rows["tau"] <= rows["largest_tau"] * (1 + 1e-9))]
    assert len(own) and (own["dual_gap"] <= own["bound"] * (1 + 1e-9)).all()


def test_only_the_exact_solver_reaches_every_level(finished_project):
    rows = pd.read_csv(finished_project.results / ADMM / "suboptimality.csv")
    exact = rows[rows["method"] == "exact"]
    assert len(exact) and (exact["iterations"] < 100).all()
    perturbed = rows[rows["method"].isin(["a2dm2", "a2dm2_restart"]) & (rows["level"] < 1e-5)]
    assert len(perturbed) and (perturbed["iterations"] == float("inf")).all()


def test_published_numbers_of_data_sets_that_were_not_asked_for_are_left_out(finished_project):
    assert finished_project.table("comparison.csv").empty, "none of the published data sets is in this study"
    not_requested = finished_project.table("not_requested.csv")
    assert {"cod-rna", "splice"} <= set(not_requested["dataset"])
    assert {"pos_at_top", "positives_count", "fast_mark", "seconds"} <= set(not_requested["quantity"])
    assert finished_project.table("option_effects.csv").empty and finished_project.table("factors.csv").empty


def test_what_the_paper_claims_is_judged(finished_project):
    rows = finished_project.table("claims.csv")
    claims = rows[rows["study"] == ADMM].set_index("claim")
    assert claims.loc["dual-rate", "verdict"] == "holds"
    assert "cod-rna" not in claims.index, "its data set is not part of this run"
    assert not (rows == "").any(axis=None)
    page = finished_project.page()
    assert "Claims of the paper" in page and "A2DM2 performs better than ADMM" in page
    assert (finished_project.results / ADMM / "claims.tex").is_file()


def test_the_page_shows_all_of_it(finished_project):
    page = finished_project.page()
    for title in (
        "Figure 1: the dirty model with elastic nets",
        "Figure 2: objective and Pos@Top, iteration by iteration",
        "Figure 3: residuals and ROC curves",
        "Iterations and seconds to the optimum: performance profiles",
        "Cost and size",
        "Iterations and seconds to the optimum</h4>",
        "On the dirty model the bound (4) holds at all",
    ):
        assert title in page, title
