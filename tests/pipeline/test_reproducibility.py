"""The same tables whatever the number of cores and whatever interrupts the run; nothing is computed twice."""

import os
import re

import pandas as pd
import pytest
from small_project import DATASETS, PUSH, SPLITS, STUDY, outputs, without_times

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def files(project, study, pattern):
    """The files of a finished study, as Snakemake names them."""
    return {str(path.relative_to(project.folder)) for path in (project.results / study).glob(pattern)}


def test_the_study_is_complete_and_certified(finished_project):
    study, fits = finished_project.study(), finished_project.table(f"{STUDY}/fits.csv")
    chosen = fits[(fits["role"] == "chosen") & (fits["dataset"] != "planted")]
    assert len(chosen) == len(DATASETS) * len(study["methods"]) * SPLITS
    assert set(chosen["status"]) <= {"certified", "stopped", "max_iterations"}
    exact = chosen[chosen["method"] == "exact"]
    assert (pd.to_numeric(exact["relative_gap"]) <= 1e-6).all()
    verification = finished_project.table("verification.csv")
    assert set(verification["method"]) >= set(study["methods"])
    assert set(verification["passed"]) == {"True"}
    for name in ("figure_table1.svg", "table1.tex"):
        assert (finished_project.results / STUDY / name).stat().st_size > 0, name


def test_a_run_prints_lines_of_progress_and_at_last_where_its_page_is(finished_project):
    lines = finished_project.published.splitlines()
    before = [line for line in lines[: lines.index("toprank: summary")] if " jobs done" not in line]
    assert len(before) < 12 and len(lines) < 100, finished_project.published
    assert any(re.match(r"\d:\d\d:\d\d  (\d+) of \1 jobs done$", line) for line in lines)
    assert lines[-1] == "results/report/index.html"


def test_all_that_a_run_leaves_is_in_the_folder_of_results(bare_project, finished_project):
    added = {path.name for path in finished_project.folder.iterdir()} - {
        path.name for path in bare_project.folder.iterdir()
    }
    assert added <= {"results", "data", ".snakemake"}
    assert (finished_project.results / f"logs/fit/{STUDY}.overlap.raw.exact.0-1.log").is_file()
    assert (finished_project.results / f"benchmarks/exact/{STUDY}.overlap.raw.0-1.tsv").is_file()


def test_new_time_stamps_comments_and_layout_of_the_code_rerun_nothing(finished_project, tmp_path):
    """As after a checkout of git, which writes the files anew."""
    project = finished_project.copy(tmp_path / "copy")
    for file in ("src", "workflow"):
        for path in (project.folder / file).rglob("*.[psy][ym]*"):
            os.utime(path)
    for name, right, other in (
        (
            "src/toprank/solvers/row_generation.py",
            "    monitor.update_lower_bound(0.0)",
            "    # 0\n    monitor.update_lower_bound( 0.0 )",
        ),
        ("src/reproduction/fitting/cross_validation.py", '"""The protocols of', '"""What is done with'),
        ("workflow/scripts/fit.py", '"""All method rules: ', '"""All rules of methods: '),
        ("workflow/rules/methods/exact.smk", "# ", "# As is said, "),
    ):
        path = project.folder / name
        text = path.read_text()
        assert right in text, name
        path.write_text(text.replace(right, other, 1))
    published = project.snakemake(each_job=False)
    assert (
        "Nothing to be done" in published and "Report of the last run: results/report/index.html" in published
    )


def test_an_edit_reruns_what_runs_it(finished_project, tmp_path):
    """The running times too, whose script chooses its estimators by their names."""
    project = finished_project.copy(tmp_path / "copy")
    path = project.folder / "src/toprank/estimators/push_scales.py"
    right, wrong = "0.5 * smallest if is_slope", "0.25 * smallest if is_slope"
    assert path.read_text().count(right) == 1
    path.write_text(path.read_text().replace(right, wrong))
    made_files = outputs(project.snakemake("--dry-run"))
    for part in ("times.all", "paths.wdbc"):
        assert f"results/{PUSH}/experiments/{part}.jsonl" in made_files
    assert not [path for path in made_files if "/experiments/" in path and f"/{PUSH}/" not in path]
    fits = {path.split(".")[2] for path in made_files if "/fits/" in path}
    assert fits == {"l1_infinite_push", "l2_infinite_push", "rfe_infinite_push"}


def test_more_splits_and_another_data_set_compute_what_is_new_only(project):
    project.select_study(splits=SPLITS + 1, datasets=project.study()["datasets"] | {"sparse-text": ["raw"]})
    made_files = outputs(project.snakemake("--dry-run"))
    study, new = project.study(), [path for path in made_files if "sparse-text" in path]
    of_new = [path for path in new if "/splits/" in path or "/fits/" in path]
    assert len(of_new) == 2 * (2 + len(study["methods"])), "the splits in two blocks, as there are two"
    blocks = [path for path in made_files if ("/splits/" in path or "/fits/" in path) and path not in new]
    assert len(blocks) == (len(study["datasets"]) - 1) * (2 + len(study["methods"]))
    assert all(f".{SPLITS}-{SPLITS}." in path for path in blocks)
    assert not [path for path in made_files if "/data/" in path and path not in new]
    assert "results/verification.csv" not in made_files and f"results/{STUDY}/table1.csv" in made_files


def test_another_seed_draws_and_fits_anew_and_another_folder_holds_all(finished_project):
    made_files = outputs(finished_project.snakemake("--dry-run", "--config", "seed=7"))
    for kind, pattern in (("splits", "splits/*.npz"), ("fits", "fits/*.csv")):
        assert files(finished_project, STUDY, pattern) <= {
            path for path in made_files if f"results/{STUDY}/{kind}/" in path
        }
    assert not [path for path in made_files if path.startswith(("results/data/", "data/"))]

    made_files = outputs(finished_project.snakemake("--dry-run", "--config", "results=elsewhere"))
    assert {path.partition("/")[0] for path in made_files} == {"elsewhere"}
    assert {path for path in made_files if f"elsewhere/{STUDY}/fits/" in path} == {
        path.replace("results/", "elsewhere/", 1) for path in files(finished_project, STUDY, "fits/*.csv")
    }


def test_one_core_a_kill_and_a_restart_change_no_number(finished_project, empty_project):
    """Nor does it matter how many splits are in a job."""
    methods = ["toppush", "exact"]
    empty_project.select_study(splits_per_job=1, methods=methods, rhos={})
    fits = f"results/{STUDY}/fits.csv"
    empty_project.kill_when(lambda: len(empty_project.fits()) >= 2, fits, cores=1)
    before = {path: path.stat().st_mtime_ns for path in empty_project.fits()}
    assert not (empty_project.folder / fits).exists(), "the kill came too late to interrupt anything"
    empty_project.snakemake("--unlock")
    empty_project.snakemake(fits)
    untouched = [path for path, time in before.items() if path.stat().st_mtime_ns == time]
    assert len(untouched) >= len(before) - 1, "at most the job that was killed is computed again"
    for name in ("fits.csv", "diagnosis.csv"):  # what is not there is a row a job
        ours, theirs = (run.table(f"{STUDY}/{name}") for run in (empty_project, finished_project))
        ours, theirs = (rows[rows["dataset"].isin(DATASETS)] for rows in (ours, theirs))
        if "method" in theirs:
            theirs = theirs[theirs["method"].isin(methods)]
        assert without_times(ours) == without_times(theirs), name


def test_the_whole_reproduction_can_be_planned_on_a_cluster(bare_project):
    options = ("--dry-run", "--profile", "profiles/slurm")
    published = bare_project.snakemake("--configfile", bare_project.folder / "config.yaml", *options)
    assert "This was a dry-run" in published and "runtime=" in published
    for name in ("kadkhodaie2015/table1.csv", "report.html", "verification.csv"):
        assert any(path.endswith(name) for path in outputs(published)), name
