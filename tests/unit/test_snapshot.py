"""The snapshot: what is kept of a run, and in which cells another run differs from it."""

import json
import os
import re
import shutil
import subprocess
import zipfile

import numpy as np
import pandas as pd
import pytest
import yaml
from data_helpers import put
from paths import find_snapshot
from report_rows import ROOT

from reproduction.core.results import ResultsError
from reproduction.reporting.page.site import ARCHIVE, pack_page, write_site
from reproduction.reporting.provenance import collect_run_provenance
from reproduction.snapshot.__main__ import (
    MAX_SNAPSHOT_BYTES,
    NOTES_FILE,
    SITE_FOLDER,
    main,
    write_snapshot,
)
from reproduction.snapshot.archive import BENCH_FOLDER, unpack
from reproduction.snapshot.configuration import diff_configs
from reproduction.snapshot.diff import MAX_LINES, RunError, compare_runs, compare_tables

HEAD = '<?xml version="1.0"?>\n'
SVG = HEAD + '<svg><!-- x --><path d="M 1.23456 2\nL 3 4"/><g transform="scale(0.075)"/></svg>\n'
STUDIES = ("first", "second")
TABLE1 = ["study", "dataset", "method", "rate_mean", "rate_std", "tied_mean", "seconds_mean", "seconds_std"]
TABLE1 += ["published_rate_mean", "published_rate_std"]
LINES = '{"table": "a", "row": {"x": 1e-17, "said": "ℓ₁"}}\n{"table": "b", "row": {}}\n'


def config(**changes):
    studies = {name: {"splits": 10, "splits_per_job": 5, "datasets": {"sonar": ["raw"]}} for name in STUDIES}
    return {"run": [*STUDIES], "seed": 3, "results": "results", "mirror": None, "studies": studies} | changes


def write_csv(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(columns).to_csv(path, index=False)


def write_run(folder, recorded=None, **changes):
    """Write a finished run of two studies; `changes` replace a column of the first row of its Table 1."""
    folder.mkdir(parents=True, exist_ok=True)
    by = {"commit": "0a1b", "dirty": "False", "machine": "a processor", "files": 2}
    by |= {"first": "2026-11-01T10:00:00", "last": "2026-11-02T10:00:00"}
    provenance = collect_run_provenance(recorded or config(data_folder="/home/someone/data")) | {"fits": [by]}
    (folder / "provenance.json").write_text(json.dumps(provenance), encoding="utf-8")
    page = "<p>  read from /home/someone/data</p>" + SVG
    (folder / "report.html").write_text(page, encoding="utf-8")
    write_site({"index.html": page, ARCHIVE: pack_page(page)}, folder / SITE_FOLDER)
    columns = ("artefact", "feature_scaling", "published", "published_std", "reason", "shown_in")
    compared = dict.fromkeys(columns, "x") | {"dataset": "sonar", "method": "admm"}
    compared |= {"study": np.repeat(STUDIES, 2)}
    compared |= {"quantity": ["rate", "seconds"] * 2, "ours_mean": 0.5, "ours_std": 0.1, "verdict": "agrees"}
    write_csv(folder / "comparison.csv", **compared)
    verified = {"method": ["admm"], "case": "small", "relative_gap": 1e-9, "tolerance": 1e-6, "passed": True}
    write_csv(folder / "verification.csv", **verified)
    (folder / "data.csv").write_text('dataset,reason\nsonar,"a, ""b"""\n', encoding="utf-8")
    (folder / "data/sonar").mkdir(parents=True, exist_ok=True)
    (folder / "data/sonar/manifest.json").write_text('{"dataset": "sonar"}', encoding="utf-8")
    for study in STUDIES:
        (folder / study).mkdir(exist_ok=True)
        rows = [
            (study, "sonar", "admm", 0.5, 0.1, 1.0, 0.2, 0.1, 0.5, 0.1),
            (study, "wpbc", "admm", 0.25, "one split", 2.0, 0.001, 0.1, 0.4, 0.1),
            (study, "bci", "admm", *["not obtained"] * 2, 3.0, *["not obtained"] * 2, 0.3, 0.1),
        ]
        table = pd.DataFrame(rows, columns=TABLE1).astype(object)
        if study == "first":
            for column, value in changes.items():
                table.loc[0, column] = value
        table.to_csv(folder / study / "table1.csv", index=False)
        own = folder / study
        write_csv(own / "ranks.csv", study=[study], metric="rate", method="admm", mean_rank=1.5)
        ended = ["certified", "not obtained"]
        write_csv(own / "fits.csv", study=study, status=ended, seconds=[1.5, np.nan])
        write_csv(own / "provenance.csv", study=[study], commit="0a1b")
        write_csv(own / "trace.csv", iteration=range(40_000))
        (own / "experiments").mkdir(exist_ok=True)
        (own / "experiments/toy.all.jsonl").write_text(LINES, encoding="utf-8")
        (own / "figure1.svg").write_text(SVG, encoding="utf-8")
        (own / "figure1.png").write_bytes(b"no part of it")
    return folder


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def old_snapshot(tmp_path):
    return write_run(tmp_path / "old")


def test_the_same_run_does_not_differ(old_snapshot):
    assert compare_runs(old_snapshot, old_snapshot) == []


def test_a_cell_that_differs_is_named_by_table_row_and_column(old_snapshot, tmp_path):
    new = write_run(tmp_path / "new", rate_mean=0.65)
    edit(new / "comparison.csv", "agrees", "differs")
    (new / "second/ranks.csv").unlink()
    assert compare_runs(old_snapshot, new, rtol=1e-6) == [
        "comparison.csv, row 1 (x, sonar, x, admm, rate), verdict: 'agrees' is now 'differs'.",
        "first/table1.csv, row 1 (sonar, admm), rate_mean: '0.5' is now '0.65'.",
        f"second/ranks.csv is missing in {new}.",
    ]


@pytest.mark.parametrize(
    ("rtol", "value", "differs"),
    [
        (0.0, "0.250", True),
        (1e-6, "0.250", False),
        (1e-6, "0.25000001", False),
        (1e-6, "0.2501", True),
        (1e-6, "not obtained", True),
    ],
)
def test_numbers_may_differ_by_the_relative_tolerance(old_snapshot, tmp_path, rtol, value, differs):
    new = write_run(tmp_path / "new")
    edit(new / "first/table1.csv", "0.25,one split", f"{value},one split")
    assert len(compare_runs(old_snapshot, new, rtol)) == differs


@pytest.mark.parametrize(
    ("new", "differs"),
    [
        ('{"C": 0.5000000000000001, "w": [1.0], "penalty": "l1"}', False),
        ('{"C": 0.5001, "w": [1.0], "penalty": "l1"}', True),
        ('{"C": 0.5, "w": [1.0, 0.0], "penalty": "l1"}', True),
        ('{"C": 0.5, "w": [1.0], "penalty": "l2"}', True),
        ('{"C": 0.5, "penalty": "l1"}', True),
        ("{no object}", True),
    ],
)
def test_numbers_in_json_may_differ_by_the_tolerance_too(new, differs):
    old, new = (pd.DataFrame({"params": [text]}) for text in ('{"C": 0.5, "w": [1.0], "penalty": "l1"}', new))
    assert len([*compare_tables(old, new, 1e-9)]) == differs and len([*compare_tables(old, new)]) == 1


def test_times_can_be_left_out(old_snapshot, tmp_path):
    for folder, rank in (
        (old_snapshot, "1.5"),
        (new := write_run(tmp_path / "new", seconds_mean=9.0), "3.5"),
    ):
        edit(folder / "first/ranks.csv", "rate,admm,1.5", f"seconds,admm,{rank}")
    edit(new / "comparison.csv", "seconds,0.5,0.1,agrees", "seconds,0.7,0.1,agrees")
    assert (
        len(compare_runs(old_snapshot, new)) == 3 and compare_runs(old_snapshot, new, skip_times=True) == []
    )
    edit(new / "first/fits.csv", "certified", "stopped")
    (difference,) = compare_runs(old_snapshot, new, skip_times=True)
    assert difference == "first/fits.csv, row 1, status: 'certified' is now 'stopped'."


def test_other_columns_and_rows_are_one_difference(old_snapshot, tmp_path):
    new = write_run(tmp_path / "new")
    edit(new / "first/table1.csv", "rate_std", "rate_sd")
    table = new / "second/table1.csv"
    table.write_text(
        "".join(table.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8"
    )
    assert compare_runs(old_snapshot, new) == [
        "first/table1.csv, columns: rate_sd, rate_std differ.",
        "second/table1.csv, 2 rows in place of 3.",
    ]


def test_long_lists_are_cut(old_snapshot, tmp_path):
    new = write_run(tmp_path / "new")
    write_csv(new / "first/trace.csv", iteration=range(1, 40_001))
    lines = compare_runs(old_snapshot, new)
    assert (
        len(lines) == MAX_LINES + 1
        and lines[-1] == f"first/trace.csv: {40_000 - MAX_LINES} more differences."
    )


def test_where_a_file_was_made_is_no_difference(old_snapshot, tmp_path):
    new = write_run(tmp_path / "new")
    edit(new / "first/provenance.csv", "0a1b", "ffff")
    assert compare_runs(old_snapshot, new) == []


def test_a_snapshot_holds_the_tables_figures_and_fits(old_snapshot, tmp_path):
    target = tmp_path / "reports/snapshot"
    (old_snapshot / BENCH_FOLDER).mkdir()
    (old_snapshot / BENCH_FOLDER / "ranksvm.csv").write_text("problem,ratio\na,10\n", encoding="utf-8")
    omitted = write_snapshot(old_snapshot, target, config())
    assert compare_runs(target, old_snapshot) == []
    assert omitted == [old_snapshot / "first/trace.csv", old_snapshot / "second/trace.csv"]
    files = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert files == {
        *(
            "README.md",
            "report/index.html",
            "report/report.zip",
            "provenance.json",
            "comparison.csv",
            "verification.csv",
            "data.csv",
        ),
        *(f"{s}/{name}" for s in STUDIES for name in ("table1.csv", "ranks.csv", "figure1.svg")),
        *(f"fits/{name}.tar.xz" for name in (*STUDIES, "run")),
        *("config.yaml", f"{BENCH_FOLDER}/ranksvm.csv"),
    }
    shutil.rmtree(old_snapshot / BENCH_FOLDER)
    assert main(["compare", str(target), str(old_snapshot)]) == 0, "a race is not made again of fits"
    write_snapshot(old_snapshot, target, config())
    assert (target / BENCH_FOLDER / "ranksvm.csv").is_file(), "without new benchmarks the older ones stay"
    assert not [path for path in target.rglob("*.*") if b"/home/someone" in path.read_bytes()]
    with zipfile.ZipFile(target / "report/report.zip") as archive:
        assert b"/home/someone" not in archive.read("report.html")
    assert [path.name for path in target.parent.iterdir()] == ["snapshot"]
    readme = (target / "README.md").read_text(encoding="utf-8")
    provenance = json.loads((old_snapshot / "provenance.json").read_text(encoding="utf-8"))
    made_by = "| 2 files of fits | commit 0a1b, 2026-11-01 to"
    texts = (provenance["commit"], provenance["config_digest"], "master 3", "`first/trace.csv`")
    for words in (*texts, made_by):
        assert words in readme, words


def test_the_rows_of_a_run_come_back_as_they_were(old_snapshot, tmp_path):
    target, restored = tmp_path / "reports/snapshot", tmp_path / "again"
    write_snapshot(old_snapshot, target, config())
    tables = ("fits.csv", "provenance.csv", "experiments/toy.all.jsonl")
    names = [f"{study}/{name}" for study in STUDIES for name in tables]
    names += ["data/sonar/manifest.json", "data.csv", "verification.csv"]
    unpack(target, restored, [restored / name for name in names])
    for name in names:
        assert (restored / name).read_bytes() == (old_snapshot / name).read_bytes(), name
    stored_config = yaml.safe_load((target / "config.yaml").read_text(encoding="utf-8"))
    assert stored_config["published_fits"] == os.path.relpath(target) and "data_folder" not in stored_config
    packed = [path.read_bytes() for path in sorted(target.glob("fits/*"))]
    write_snapshot(old_snapshot, target, config())
    assert packed == [path.read_bytes() for path in sorted(target.glob("fits/*"))]  # nothing of when
    with pytest.raises(
        ResultsError, match=r"holds no first/experiments/times\.all\.jsonl: .* run it instead"
    ):
        unpack(
            target, restored, [restored / "first/fits.csv", restored / "first/experiments/times.all.jsonl"]
        )


def test_a_snapshot_is_found_below_the_working_directory_and_otherwise_in_the_project(tmp_path, monkeypatch):
    """As in the folder of a workflow that has this one as a module: only a clone of it has the snapshot."""
    project = tmp_path / "runs/.snakemake/toprank/0a1b"
    for folder in (project, tmp_path / "runs/own", tmp_path):
        put(folder / "reports/snapshot/config.yaml", b"seed: 3")
    monkeypatch.chdir(tmp_path / "runs")
    assert find_snapshot("reports/snapshot", project) == ".snakemake/toprank/0a1b/reports/snapshot"
    assert find_snapshot("own/reports/snapshot", project) == "own/reports/snapshot"
    assert find_snapshot(str(tmp_path / "reports/snapshot"), project) == str(tmp_path / "reports/snapshot")
    monkeypatch.chdir(project)
    assert find_snapshot("reports/snapshot", project) == "reports/snapshot"


def test_notes_by_hand_stay(old_snapshot, tmp_path):
    target = tmp_path / "snapshot"
    write_snapshot(old_snapshot, target, config())
    (target / "old.csv").write_text("stale")
    (target / NOTES_FILE).write_text("Parts are of another commit.\n", encoding="utf-8")
    write_snapshot(old_snapshot, target, config())
    assert (target / NOTES_FILE).read_text(encoding="utf-8") == "Parts are of another commit.\n"
    assert "Parts are of another commit." in (target / "README.md").read_text(encoding="utf-8")
    assert not (target / "old.csv").exists()


def test_a_snapshot_that_is_too_large_is_refused(old_snapshot, tmp_path):
    (old_snapshot / "report/index.html").write_text("x" * 1000)
    with pytest.raises(RunError, match=r"0\.00 MB are allowed.*index\.html"):
        write_snapshot(old_snapshot, tmp_path / "snapshot", config(), max_bytes=1000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old"]
    assert MAX_SNAPSHOT_BYTES <= 37_000_000


@pytest.mark.parametrize(
    ("recorded", "words"),
    [
        (config(run=["first"]), "the study second is not part of it"),
        (config(seed=4), "its configuration differs in seed;"),
        (config(seed=4, studies={}), "its configuration differs in seed and 2 more keys"),
    ],
)
def test_a_run_that_is_not_full_is_refused(tmp_path, recorded, words):
    with pytest.raises(RunError, match=words):
        write_snapshot(write_run(tmp_path / "run", recorded), tmp_path / "snapshot", config())


def test_where_a_run_lay_and_how_it_was_cut_makes_no_difference():
    other = config(results="elsewhere", mirror="/data")
    other["studies"]["first"]["splits_per_job"] = 1
    assert diff_configs(config(), other) == []
    other["studies"]["first"]["datasets"]["sonar"] = ["raw", "standardised"]
    assert diff_configs(config(), other) == ["studies.first.datasets.sonar"]


def test_an_unfinished_run_and_a_foreign_folder_are_refused(old_snapshot, tmp_path):
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("x")
    with pytest.raises(RunError, match="foreign holds other files than a snapshot"):
        write_snapshot(old_snapshot, foreign, config())
    assert (foreign / "thesis.txt").exists()
    (old_snapshot / "report.html").unlink()
    with pytest.raises(RunError, match=r"report\.html does not exist: finish the run"):
        write_snapshot(old_snapshot, tmp_path / "snapshot", config())
    (old_snapshot / "provenance.json").unlink()
    with pytest.raises(RunError, match=r"provenance\.json does not exist"):
        write_snapshot(old_snapshot, tmp_path / "snapshot", config())
    with pytest.raises(RunError, match=r"holds no comparison\.csv"):
        compare_runs(foreign, old_snapshot)


def test_the_command_line(old_snapshot, tmp_path, capsys):
    file, target = tmp_path / "config.yaml", str(tmp_path / "snapshot")
    file.write_text(yaml.safe_dump(config()), encoding="utf-8")
    assert main(["write", str(old_snapshot), target, "--config", str(file)]) == 0
    assert "17 files, 0.0" in capsys.readouterr().out
    assert main(["compare", target, str(old_snapshot)]) == 0
    new = write_run(tmp_path / "new", rate_mean=0.9, seconds_mean=3.0)
    assert main(["compare", target, str(new), "--rtol", "1e-6", "--skip-times"]) == 1
    assert (
        capsys.readouterr().err == "first/table1.csv, row 1 (sonar, admm), rate_mean: '0.5' is now '0.9'.\n"
    )
    assert main(["compare", str(tmp_path), str(new)]) == 1
    assert "name the folder of a finished run" in capsys.readouterr().err


def test_the_committed_snapshot_is_small_and_linked():
    command = ["git", "ls-files", "reports/snapshot"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    files = [ROOT / name for name in listed.split("\n") if name]
    files = files or [*(ROOT / "reports/snapshot").rglob("*.*")]
    assert sum(path.stat().st_size for path in files) <= MAX_SNAPSHOT_BYTES
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\((reports/snapshot[^)#]*)\)", readme)
    assert "reports/snapshot/report/index.html" in linked and all((ROOT / path).exists() for path in linked)
