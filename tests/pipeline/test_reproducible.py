"""The same tables whatever the number of cores and whatever interrupts the run; nothing is computed twice."""

import pandas as pd
import pytest
from small_project import SPLITS, STUDY, TABLES, without_times

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def test_the_study_is_complete_and_certified(finished):
    study, fits = finished.study(), finished.table(f"{STUDY}/fits.csv")
    chosen = fits[fits["role"] == "chosen"]
    assert len(chosen) == len(study["datasets"]) * len(study["methods"]) * SPLITS
    assert set(fits["status"]) <= {"optimal", "max_iterations"}
    exact = chosen[chosen["method"] == "exact"]
    assert (pd.to_numeric(exact["relative_gap"]) <= 1e-6).all()
    verification = finished.table("verification.csv")
    assert set(verification["method"]) >= set(study["methods"])
    assert set(verification["passed"]) == {"True"}
    for made in ("figure_table1.svg", "figure_table1.pdf", "figure_table1.png", "table1.tex"):
        assert (finished.results / STUDY / made).stat().st_size > 0, made


def test_the_run_says_where_its_results_are(finished):
    for made in ("table1.csv", "figure_table1", "report.html"):
        assert made in finished.printed


def test_a_second_call_does_nothing(finished):
    assert "Nothing to be done" in finished.snakemake()


def test_one_core_a_kill_and_a_restart_change_no_number(finished, empty_project):
    wanted = len(finished.fits())
    empty_project.kill_when(lambda: len(empty_project.fits()) >= wanted // 3, cores=1)
    assert 0 < len(empty_project.fits()) < wanted
    unfinished = not (empty_project.results / "report.html").exists()
    assert unfinished, "the kill came too late to interrupt anything"
    before = {path: path.stat().st_mtime_ns for path in empty_project.fits()}
    empty_project.snakemake(cores=1)
    kept = [path for path, time in before.items() if path.stat().st_mtime_ns == time]
    assert len(kept) >= len(before) - 1, "at most the job that was killed is computed again"
    for name in TABLES:
        again, first = empty_project.table(name), finished.table(name)
        assert without_times(again) == without_times(first), name


def test_the_whole_reproduction_can_be_planned(bare):
    printed = bare.snakemake("--dry-run", "--configfile", bare.folder / "config.yaml")
    assert "This was a dry-run" in printed
    for name in ("kadkhodaie2015/table1.csv", "report.html", "verification.csv"):
        assert any(path.endswith(name) for path in map(str, printed.split())), name


def test_the_cluster_profile_can_be_planned(bare):
    printed = bare.snakemake("--dry-run", "--profile", "profiles/slurm")
    assert "This was a dry-run" in printed and "runtime=" in printed
