"""The snapshot: what is kept of a run, and what moved since."""

import json
import os
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
import yaml
from report_rows import ROOT
from report_runs import run

from reproduction.report.kept import RACE, restore
from reproduction.report.moved import KINDS, NAMED, OF_THE_RUN, RunError, moved, numbers, of_part, sentences
from reproduction.report.provenance import provenance
from reproduction.report.snapshot import LIMIT, NOTES, compared, differences, main, write
from reproduction.results import ResultsError

HEAD = '<?xml version="1.0"?>\n'
SVG = HEAD + '<svg><!-- x --><path d="M 1.23456 2\nL 3 4"/><g transform="scale(0.075)"/></svg>\n'
STUDIES = ("first", "second")
TABLE1 = ["study", "dataset", "method", "rate_mean", "rate_std", "tied_mean", "seconds_mean", "seconds_std"]
TABLE1 += ["printed_rate_mean", "printed_rate_std"]
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
    given = provenance(recorded or config(data_folder="/home/someone/data")) | {"fits": [by]}
    (folder / "provenance.json").write_text(json.dumps(given), encoding="utf-8")
    (folder / "report.html").write_text("<p>  read from /home/someone/data</p>" + SVG, encoding="utf-8")
    known = ("artefact", "features", "published", "published_std", "reason", "shown_in")
    compared = dict.fromkeys(known, "x") | {"dataset": "sonar", "method": "admm"}
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
        write_csv(own / "ranks.csv", study=[study], measure="rate", method="admm", mean_rank=1.5)
        ended = ["certified", "not obtained"]
        write_csv(own / "fits.csv", study=study, status=ended, seconds=[1.5, np.nan])
        write_csv(own / "made.csv", study=[study], commit="0a1b")
        write_csv(own / "trace.csv", iteration=range(40_000))
        (own / "measured").mkdir(exist_ok=True)
        (own / "measured/toy.all.jsonl").write_text(LINES, encoding="utf-8")
        (own / "figure1.svg").write_text(SVG, encoding="utf-8")
        (own / "figure1.png").write_bytes(b"no part of it")
    return folder


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def old(tmp_path):
    return write_run(tmp_path / "old")


def changes(old, new):
    return moved(numbers(old), numbers(new))


def test_numbers_are_those_that_were_measured(old):
    found = numbers(old)
    quantities = {"rate", "seconds", "mean_rank", "relative_gap"}
    assert set(found["quantity"]) == quantities | {"verdict", "rate: verdict", "seconds: verdict"}
    of_table = found[(found["study"] == "first") & (found["table"] == "table1")]
    assert list(of_table["row"].unique()) == ["sonar, admm", "wpbc, admm"], "bci has no number"
    rate = of_table[of_table["quantity"] == "rate"].set_index("row")
    assert rate.loc["sonar, admm", "std"] == 0.1 and np.isnan(rate.loc["wpbc, admm", "std"])
    assert not found.duplicated(["study", "table", "row", "quantity"]).any()


def test_the_same_run_has_not_moved(old):
    assert changes(old, old).empty
    assert sentences(changes(old, old)) == ["Nothing moved beyond its spread."]


def test_a_change_beyond_the_spread_is_found_and_one_within_is_not(old, tmp_path):
    within = write_run(tmp_path / "within", rate_mean=0.59, rate_std=0.3)
    assert changes(old, within).empty
    row = changes(old, write_run(tmp_path / "beyond", rate_mean=0.65)).squeeze()
    assert (row["kind"], row["table"], row["quantity"]) == ("moved", "table1", "rate")
    assert row["old"] == 0.5 and row["new"] == 0.65 and row["size"] == pytest.approx(1.5)
    assert "0.5 ± 0.1 → 0.65 ± 0.1 (1.5 deviations)" in sentences(row.to_frame().T)[1]


@pytest.mark.parametrize(("value", "is_moved"), [("0.25000001", False), ("0.2501", True)])
def test_what_has_no_spread_may_hardly_move(old, tmp_path, value, is_moved):
    new = write_run(tmp_path / "new")
    edit(new / "first/table1.csv", "0.25,one split", f"{value},one split")
    edit(new / "second/ranks.csv", "1.5", "1.5000000001")
    assert (list(changes(old, new)["kind"]) == ["moved"]) == is_moved


def test_times_are_compared_as_ratios_and_listed_apart(old, tmp_path):
    new = write_run(tmp_path / "new", seconds_mean=0.35)
    assert changes(old, new).empty, "less than twice as long"
    edit(new / "second/table1.csv", "0.001", "0.009")  # too short to tell anything
    assert changes(old, new).empty
    new = write_run(tmp_path / "new", seconds_mean=0.05)
    edit(new / "comparison.csv", "seconds,0.5,0.1,agrees", "seconds,0.5,0.1,differs")
    found = changes(old, new)
    assert list(found["kind"]) == ["seconds", "seconds"]
    assert found["size"].dropna().tolist() == [pytest.approx(0.25)]


def test_ranks_by_time_are_listed_with_the_times_and_ours_is_read_once(old, tmp_path):
    new = write_run(tmp_path / "new")
    for folder, rank in ((old, "1.5"), (new, "3.5")):
        edit(folder / "first/ranks.csv", "rate,admm,1.5", f"seconds,admm,{rank}")
        beside = "study,method,ours_mean,ours_std\nfirst,admm,"
        (folder / "first/beside.csv").write_text(f"{beside}{rank},0.1\n", encoding="utf-8")
    assert changes(old, new)[["kind", "quantity"]].values.tolist() == [["seconds", "seconds_mean_rank"]]


def test_verdicts_and_verifications_that_changed(old, tmp_path):
    new = write_run(tmp_path / "new")
    edit(new / "comparison.csv", "agrees", "differs")
    edit(new / "verification.csv", "1e-09,1e-06,True", "2e-09,1e-06,False")
    found = changes(old, new)
    assert list(found["kind"]) == ["verdict", "verdict"], "the gap is far below its tolerance"
    assert list(found["new"]) == ["differs", "failed"]
    edit(new / "verification.csv", "2e-09", "3e-06")
    assert (changes(old, new)["quantity"] == "relative_gap").sum() == 1


def test_rows_and_studies_that_vanished_or_appeared(old, tmp_path):
    new = write_run(tmp_path / "new")
    edit(new / "first/table1.csv", "0.25,one split", "not obtained,not obtained")
    found = changes(old, new)
    assert list(found[found["quantity"] == "rate"]["kind"]) == ["vanished"]
    assert list(changes(new, old)["kind"]) == ["appeared"] * len(found)
    rows = pd.read_csv(new / "comparison.csv")
    rows[rows["study"] == "second"].to_csv(new / "comparison.csv", index=False)
    shutil.rmtree(new / "first")
    row = changes(old, new).squeeze()
    assert (row["kind"], row["study"], row["table"]) == ("vanished", "first", "every table")
    assert sentences(row.to_frame().T) == ["Vanished: 1", "  first: every table"]


def test_long_lists_are_cut(old):
    rows = [{"kind": kind, "study": "a", "table": "every table"} for kind in KINDS for _ in range(9)]
    said = sentences(pd.DataFrame(rows), most=4)
    assert said.count("  and 5 more") == len(KINDS) and len(said) == 6 * len(KINDS)


def test_a_snapshot_holds_all_that_is_compared(old, tmp_path):
    target = tmp_path / "reports/snapshot"
    (old / RACE).mkdir()
    (old / RACE / "ranksvm.csv").write_text("problem,ratio\na,10\n", encoding="utf-8")
    left = write(old, target, config())
    assert changes(target, old).empty and changes(old, target).empty
    assert left == [old / "first/trace.csv", old / "second/trace.csv"]
    kept = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert kept == {
        *("README.md", "report.html", "provenance.json", "comparison.csv", "verification.csv", "data.csv"),
        *(f"{s}/{name}" for s in STUDIES for name in ("table1.csv", "ranks.csv", "figure1.svg")),
        *(f"fits/{name}.tar.xz" for name in (*STUDIES, "run")),
        *("config.yaml", f"{RACE}/ranksvm.csv"),
    }
    shutil.rmtree(old / RACE)
    assert main(["same", str(target), str(old)]) == 0, "a race is not made again of fits"
    assert not [path for path in target.rglob("*.*") if b"/home/someone" in path.read_bytes()]
    assert [path.name for path in target.parent.iterdir()] == ["snapshot"]
    readme = (target / "README.md").read_text(encoding="utf-8")
    given = json.loads((old / "provenance.json").read_text(encoding="utf-8"))
    made_by = "| 2 files of fits | commit 0a1b, 2026-11-01 to"
    known = (given["commit"], given["config_digest"], "master 3", "| second | 1 | ", "`first/trace.csv`")
    for words in (*known, made_by):
        assert words in readme, words


def test_the_rows_of_a_run_come_back_as_they_were(old, tmp_path):
    target, again = tmp_path / "reports/snapshot", tmp_path / "again"
    write(old, target, config())
    tables = ("fits.csv", "made.csv", "measured/toy.all.jsonl")
    names = [f"{study}/{name}" for study in STUDIES for name in tables]
    names += ["data/sonar/manifest.json", "data.csv", "verification.csv"]
    restore(target, again, [again / name for name in names])
    for name in names:
        assert (again / name).read_bytes() == (old / name).read_bytes(), name
    given = yaml.safe_load((target / "config.yaml").read_text(encoding="utf-8"))
    assert given["published_fits"] == os.path.relpath(target) and "data_folder" not in given
    packed = [path.read_bytes() for path in sorted(target.glob("fits/*"))]
    write(old, target, config())
    assert packed == [path.read_bytes() for path in sorted(target.glob("fits/*"))]  # nothing of when
    with pytest.raises(ResultsError, match=r"holds no first/measured/times\.all\.jsonl: .* run it instead"):
        restore(target, again, [again / "first/fits.csv", again / "first/measured/times.all.jsonl"])


def test_a_table_that_comes_out_otherwise_is_named(old, tmp_path, capsys):
    target = tmp_path / "snapshot"
    write(old, target, config())
    assert main(["same", str(target), str(old)]) == 0
    edit(old / "second/table1.csv", "0.25", "0.26")
    (old / "first/ranks.csv").unlink()
    assert main(["same", str(target), str(old)]) == 1
    said = capsys.readouterr().err
    assert re.search(r"second/table1\.csv, line 3: 'second,wpbc,.*' is now 'second,wpbc,.*0\.26", said)
    assert "first/ranks.csv was not made again." in said


def test_notes_by_hand_stay(old, tmp_path):
    target = tmp_path / "snapshot"
    write(old, target, config())
    (target / "old.csv").write_text("stale")
    (target / NOTES).write_text("Parts are of another commit.\n", encoding="utf-8")
    write(old, target, config())
    assert (target / NOTES).read_text(encoding="utf-8") == "Parts are of another commit.\n"
    assert "Parts are of another commit." in (target / "README.md").read_text(encoding="utf-8")
    assert not (target / "old.csv").exists()


def test_a_snapshot_that_is_too_large_is_refused(old, tmp_path):
    (old / "report.html").write_text("x" * 1000)
    with pytest.raises(RunError, match=r"0\.00 MB are allowed.*report\.html"):
        write(old, tmp_path / "snapshot", config(), limit=1000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old"]
    assert LIMIT <= 20_000_000


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
        write(write_run(tmp_path / "run", recorded), tmp_path / "snapshot", config())


def test_where_a_run_lay_and_how_it_was_cut_makes_no_difference():
    other = config(results="elsewhere", mirror="/data")
    other["studies"]["first"]["splits_per_job"] = 1
    assert differences(config(), other) == []
    other["studies"]["first"]["datasets"]["sonar"] = ["raw", "standardised"]
    assert differences(config(), other) == ["studies.first.datasets.sonar"]


def test_an_unfinished_run_and_a_foreign_folder_are_refused(old, tmp_path):
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("x")
    with pytest.raises(RunError, match="foreign holds other files than a snapshot"):
        write(old, foreign, config())
    assert (foreign / "thesis.txt").exists()
    (old / "report.html").unlink()
    with pytest.raises(RunError, match=r"report\.html does not exist: finish the run"):
        write(old, tmp_path / "snapshot", config())
    (old / "provenance.json").unlink()
    with pytest.raises(RunError, match=r"provenance\.json does not exist"):
        write(old, tmp_path / "snapshot", config())
    with pytest.raises(RunError, match=r"holds no comparison\.csv"):
        numbers(foreign)


def test_the_command_line(old, tmp_path, capsys):
    file, target = tmp_path / "config.yaml", str(tmp_path / "snapshot")
    file.write_text(yaml.safe_dump(config()), encoding="utf-8")
    assert main(["write", str(old), target, "--config", str(file)]) == 0
    assert "16 files, 0.0" in capsys.readouterr().out
    new = write_run(tmp_path / "new", rate_mean=0.9)
    assert main(["compare", target, str(new), "--csv", str(tmp_path / "moved.csv")]) == 0
    assert "Moved beyond the spread: 1" in capsys.readouterr().out
    assert list(pd.read_csv(tmp_path / "moved.csv")["kind"]) == ["moved"]
    assert main(["compare", target, str(new), "--factor", "0.5"]) == 1
    assert "a factor above 1, and not of 0.5" in capsys.readouterr().err
    assert main(["compare", str(tmp_path), str(new)]) == 1
    assert "name the folder of a finished run" in capsys.readouterr().err


def test_the_rule_writes_what_moved(old, tmp_path, capsys):
    new = write_run(tmp_path / "new", rate_mean=0.9)
    inputs = {"old": str(old / "comparison.csv")}
    run("moved", tmp_path, inputs, [str(new / "moved.csv")])
    assert "Moved beyond the spread: 1" in capsys.readouterr().out
    assert len(pd.read_csv(new / "moved.csv")) == 1


def test_the_committed_snapshot_is_small_and_linked():
    command = ["git", "ls-files", "reports"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    files = [ROOT / name for name in listed.split("\n") if name] or [*(ROOT / "reports").rglob("*.*")]
    assert sum(path.stat().st_size for path in files) <= LIMIT
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\((reports/snapshot[^)#]*)\)", readme)
    assert "reports/snapshot/report.html" in linked and all((ROOT / path).exists() for path in linked)
    assert (ROOT / "reports/snapshot/report.html").is_file()
    assert len(numbers(ROOT / "reports/snapshot")) > 1000


def rows_of(*named):
    """Rows of `numbers`; a verdict where the quantity is one, else 1."""
    rows = [dict(zip(NAMED, row, strict=True)) | {"mean": 1.0, "std": 0.1, "said": ""} for row in named]
    return pd.DataFrame([row | {"said": "agrees"} if row["quantity"] == "verdict" else row for row in rows])


def test_of_a_part_what_it_ran_is_compared():
    whole = [("first", "table1", name, "rate") for name in ("sonar", "wpbc")]
    whole += [("first", "comparison", "sonar", "verdict"), ("first", "ranks", "all", "mean_rank")]
    whole += [("second", "table1", "sonar", "rate"), (OF_THE_RUN, "verification", "admm", "relative_gap")]
    before = config()
    before["studies"]["first"]["datasets"]["wpbc"] = ["raw"]
    ran = [row for row in whole if row[0] != "second" and row[2] != "wpbc"]
    given = rows_of(*whole), rows_of(*ran)
    of_first = {"run": ["first"], "studies": config()["studies"]}
    old, new = of_part(*given, before, of_first)
    expected = [["first", "table1", "sonar", "rate"], [OF_THE_RUN, "verification", "admm", "relative_gap"]]
    assert old[NAMED].to_numpy().tolist() == new[NAMED].to_numpy().tolist() == expected
    assert moved(old, new).empty
    # a whole study keeps its verdicts and ranks, and one of fewer splits has nothing to be compared with
    assert len(of_part(*given, config(), of_first)[0]) == 4
    before["studies"]["first"]["splits"] = 11
    assert set(of_part(*given, before, of_first)[0]["study"]) == {OF_THE_RUN}


def test_the_comparison_says_that_a_run_is_a_part(tmp_path):
    write_run(tmp_path / "old")
    part = config(run=["first"], only="first")
    write_run(tmp_path / "new", recorded=part)
    first, *rest = compared(tmp_path / "old", tmp_path / "new")
    part = r"The run is a part of its configuration: \d+ numbers and verdicts are compared, of first, run."
    assert re.match(part, first) and rest == ["Nothing moved beyond its spread."]
