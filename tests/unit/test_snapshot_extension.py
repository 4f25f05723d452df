"""Data sets of a later run in the rows of a snapshot."""

import json
import tarfile

import pandas as pd
import pytest
import yaml

from reproduction.core.result_columns import FITS_KEY
from reproduction.snapshot.__main__ import main
from reproduction.snapshot.archive import pack, unpack

COLUMNS = [*FITS_KEY, "positives_at_top"]
MISSING = {"role": "chosen", "positives_at_top": "", "split": ""}


def write_results(folder, rows, experiments, statuses):
    """Write the rows of a run of one study: {dataset: Pos@Top of its splits}, or None where it is missing."""
    fits = []
    for dataset, values in rows.items():
        identity = dict.fromkeys(COLUMNS, "") | {"study": "top", "dataset": dataset, "method": "admm"}
        if values is None:
            fits.append(identity | MISSING)
        for split, value in enumerate(values or ()):
            fits.append(identity | {"role": "chosen", "split": split, "positives_at_top": value})
    (folder / "top/experiments").mkdir(parents=True)
    pd.DataFrame(fits, columns=COLUMNS).to_csv(folder / "top/fits.csv", index=False)
    commits = [{"dataset": name, "commit": folder.name} for name in rows]
    pd.DataFrame(commits).to_csv(folder / "top/provenance.csv", index=False)
    for name, content in experiments.items():
        (folder / f"top/experiments/{name}.jsonl").write_text(content, encoding="utf-8")
    pd.DataFrame(statuses.items(), columns=["dataset", "status"]).to_csv(folder / "data.csv", index=False)
    for name, status in statuses.items():
        (folder / "data" / name).mkdir(parents=True)
        (folder / "data" / name / "manifest.json").write_text(json.dumps({"status": status}))
    (folder / "verification.csv").write_text("method\nadmm\n")
    record(folder, config(*sorted(rows)))
    return folder


def config(*datasets, **changes):
    """The configuration of a run of one study with these data sets."""
    study = {"datasets": {name: ["raw"] for name in datasets}, "methods": ["admm"], "splits": 3}
    study |= {"splits_by_dataset": {"sonar": 2}, "convergence": {"datasets": [*datasets], "iterations": 9}}
    return {"run": ["top"], "seed": 3, "mirror": "elsewhere", "studies": {"top": study | changes}}


def record(folder, settings):
    (folder / "provenance.json").write_text(json.dumps({"config": settings}))


@pytest.fixture
def snapshot(tmp_path):
    statuses = {"w8a": "not obtained", "sonar": "obtained"}
    experiments = {"profile.w8a": "missing\n", "profile.sonar": "old\n"}
    old = write_results(tmp_path / "old", {"sonar": [3, 4], "w8a": None}, experiments, statuses)
    pack(old, tmp_path / "snapshot", ["top"])
    text = yaml.safe_dump(config("sonar", "w8a") | {"published_fits": "snapshot"}, sort_keys=False)
    (tmp_path / "snapshot/config.yaml").write_text(text)
    return tmp_path / "snapshot"


@pytest.fixture
def later(tmp_path):
    experiments = {"profile.w8a": "new\n"}
    return write_results(
        tmp_path / "later", {"w8a": [7, 8, 9], "sonar": [99]}, experiments, {"w8a": "obtained"}
    )


def add(later, snapshot, *names):
    return main(["add", str(later), str(snapshot), *names])


def read_config(snapshot):
    return yaml.safe_load((snapshot / "config.yaml").read_text())


def unpack_table(snapshot, folder, name):
    unpack(snapshot, folder, [folder / name])
    return pd.read_csv(folder / name)


def test_rows_of_the_data_set_are_replaced_and_no_others(snapshot, later, tmp_path, capsys):
    assert add(later, snapshot, "w8a") == 0
    changed = capsys.readouterr().out.split()
    tables = ["top/fits.csv", "top/provenance.csv"]
    assert changed == ["data.csv", "data/w8a/manifest.json", "top/experiments/profile.w8a.jsonl", *tables]
    fits = unpack_table(snapshot, tmp_path / "out", "top/fits.csv")
    assert fits[["dataset", "positives_at_top"]].to_numpy().tolist() == [
        ["sonar", 3], ["sonar", 4], ["w8a", 7], ["w8a", 8], ["w8a", 9],
    ]  # fmt: skip
    provenance = unpack_table(snapshot, tmp_path / "out", "top/provenance.csv")
    assert dict(provenance[["dataset", "commit"]].to_numpy()) == {"sonar": "old", "w8a": "later"}
    data = unpack_table(snapshot, tmp_path / "out", "data.csv")
    assert data.to_numpy().tolist() == [["w8a", "obtained"], ["sonar", "obtained"]], "in their order"
    files = [tmp_path / "out/top/experiments" / f"profile.{name}.jsonl" for name in ("w8a", "sonar")]
    unpack(snapshot, tmp_path / "out", [*files, tmp_path / "out/data/w8a/manifest.json"])
    assert [file.read_text() for file in files] == ["new\n", "old\n"]


def test_a_data_set_of_a_table_keeps_its_place(snapshot, tmp_path):
    later = write_results(tmp_path / "again", {"sonar": [5, 6]}, {}, {"sonar": "obtained"})
    assert add(later, snapshot, "sonar") == 0
    provenance = unpack_table(snapshot, tmp_path / "out", "top/provenance.csv")
    assert provenance[["dataset", "commit"]].to_numpy().tolist() == [["sonar", "again"], ["w8a", "old"]]


def change_table(folder, name, change):
    """Change a table of a run, whose rows have a method and a scaling."""
    path = folder / "top" / name
    change(pd.read_csv(path, keep_default_na=False).assign(feature_scaling="raw")).to_csv(path, index=False)


def test_rows_of_a_method_are_replaced_and_no_others(tmp_path, capsys):
    """In each data set of the run, and in their places; diagnoses, which no method has, stay."""
    folders = {"old": {"sonar": [3, 4], "w8a": [5]}, "later": {"sonar": [7, 8], "w8a": [9]}}
    for name, rows in folders.items():
        folder = write_results(tmp_path / name, rows, {}, {"sonar": "obtained", "w8a": "obtained"})
        for table in ("fits.csv", "provenance.csv"):
            methods = ["admm", "exact", "toppush"] if name == "old" else ["admm", "toppush"]
            change_table(
                folder,
                table,
                lambda rows, methods=methods: pd.concat(
                    rows.assign(method=method) for method in methods
                ).sort_values(["dataset", "method"], kind="stable"),
            )
        (folder / "top/diagnosis.csv").write_text(f"dataset,split\nsonar,{name}\n")
    pack(tmp_path / "old", tmp_path / "snapshot", ["top"])
    text = yaml.safe_dump(config("sonar", "w8a") | {"published_fits": "snapshot"}, sort_keys=False)
    (tmp_path / "snapshot/config.yaml").write_text(text)
    assert add(tmp_path / "later", tmp_path / "snapshot", "--methods", "admm") == 0
    assert capsys.readouterr().out.split() == ["top/fits.csv", "top/provenance.csv"]
    fits = unpack_table(tmp_path / "snapshot", tmp_path / "out", "top/fits.csv")
    unchanged = {"exact": [3, 4, 5], "toppush": [3, 4, 5]}
    assert fits.groupby("method")["positives_at_top"].apply(list).to_dict() == {"admm": [7, 8, 9]} | unchanged
    provenance = unpack_table(tmp_path / "snapshot", tmp_path / "out", "top/provenance.csv")
    assert provenance[["dataset", "method", "commit"]].to_numpy().tolist() == [
        [dataset, method, "later" if method == "admm" else "old"]
        for dataset in ("sonar", "w8a")
        for method in ("admm", "exact", "toppush")
    ]
    assert add(tmp_path / "later", tmp_path / "snapshot", "sonar", "--methods", "toppush") == 0
    fits = unpack_table(tmp_path / "snapshot", tmp_path / "again", "top/fits.csv")
    assert fits[fits["method"] == "toppush"]["positives_at_top"].tolist() == [7, 8, 5]
    assert add(tmp_path / "later", tmp_path / "snapshot", "--methods", "exact") == 1
    assert capsys.readouterr().err.strip().endswith("has no fits of exact: name methods of that run.")


def test_experiments_alone_need_no_data_set(snapshot, later, tmp_path, capsys):
    (later / "data.csv").unlink()
    assert add(later, snapshot) == 0
    assert capsys.readouterr().out.split() == ["top/experiments/profile.w8a.jsonl"]
    fits = unpack_table(snapshot, tmp_path / "out", "top/fits.csv")
    assert fits["positives_at_top"].dropna().tolist() == [3, 4]


def test_the_configuration_of_other_rows_stays(snapshot, later):
    """Also where today's configuration of the data sets that the run did not compute is another one."""
    before = read_config(snapshot)
    settings = config("w8a", "sonar")
    settings["studies"]["top"] |= {"datasets": {"w8a": ["raw"]}, "splits_by_dataset": {"sonar": 99}}
    del settings["studies"]["top"]["convergence"]  # as in a partial run
    record(later, settings)
    assert add(later, snapshot, "w8a") == 0
    assert read_config(snapshot) == before


def test_what_the_run_says_of_its_data_set_is_taken_over_and_named(snapshot, later, capsys):
    settings = config("w8a")
    settings["studies"]["top"]["splits_by_dataset"] = {"w8a": 1}
    settings["studies"]["top"]["datasets"]["w8a"] = ["raw", "standardised"]
    settings["studies"]["top"]["depth"] = {"datasets": ["w8a"]}
    (later / "top/experiments/depth.w8a.jsonl").write_text("{}\n")
    record(later, settings)
    assert add(later, snapshot, "w8a") == 0
    keys = [line for line in capsys.readouterr().out.splitlines() if line.startswith("config.yaml: ")]
    names = ("datasets.w8a", "depth", "splits_by_dataset.w8a")
    assert keys == [f"config.yaml: studies.top.{name}" for name in names]
    study = read_config(snapshot)["studies"]["top"]
    assert study["splits_by_dataset"] == {"sonar": 2, "w8a": 1} and study["depth"] == {"datasets": ["w8a"]}
    assert [*study["datasets"].items()] == [("sonar", ["raw"]), ("w8a", ["raw", "standardised"])]


@pytest.mark.parametrize(
    ("changes", "keys"),
    [
        ({"seed": 4}, "seed"),
        ({"splits": 2}, "studies.top.splits"),
        ({"methods": ["admm", "exact"], "splits": 2}, "studies.top.methods, studies.top.splits"),
        ({"alphas": [1.0]}, "studies.top.alphas"),
        ({"convergence": {"datasets": ["w8a"], "iterations": 8}}, "studies.top.convergence.iterations"),
        ({"splits_by_dataset": None}, "studies.top.splits_by_dataset"),
    ],
)
@pytest.mark.parametrize("names", [["w8a"], []])
def test_a_run_with_other_settings_is_refused(names, changes, keys, snapshot, later, capsys):
    before = {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}
    study = config("w8a")["studies"]["top"] | {key: changes[key] for key in changes if key != "seed"}
    study = {key: value for key, value in study.items() if value is not None}
    record(later, config("w8a") | {"seed": changes.get("seed", 3), "studies": {"top": study}})
    assert add(later, snapshot, *names) == 1
    assert capsys.readouterr().err == (
        f"{later} was computed with other settings than {snapshot} ({keys}): run it with those of "
        f"{snapshot}/config.yaml, or make a snapshot of a full run.\n"
    )
    assert {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()} == before


def test_adding_twice_changes_nothing_more(snapshot, later, capsys):
    add(later, snapshot, "w8a")
    archives = {path: path.read_bytes() for path in snapshot.glob("fits/*")}
    with tarfile.open(snapshot / "fits/top.tar.xz") as archive:
        assert {(member.mtime, member.uname) for member in archive} == {(0, "")}
    capsys.readouterr()
    assert add(later, snapshot, "w8a") == 0 and capsys.readouterr().out.strip() == ""
    assert {path: path.read_bytes() for path in snapshot.glob("fits/*")} == archives


def test_what_the_run_has_not_is_one_sentence(snapshot, later, capsys):
    assert add(later, snapshot, "w9a") == 1
    assert capsys.readouterr().err.strip().endswith("has no data set w9a: name data sets of that run.")
    table = later / "top/provenance.csv"
    pd.read_csv(table).assign(host="x").to_csv(table, index=False)
    assert add(later, snapshot, "w8a") == 1
    assert "has the column host, which the snapshot lacks" in capsys.readouterr().err
