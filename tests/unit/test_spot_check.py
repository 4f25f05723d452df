"""Fits that are made again are compared with a snapshot's rows."""

from types import SimpleNamespace

import pandas as pd
import pytest
import spot_check
from report_rows import fits
from spot_check import describe_difference, main

from reproduction.core.formatting import format_count


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("seconds", "99", ""),
        ("gap", "2e-16", ""),
        ("objective", "0.12345678901", ""),
        ("objective", "0.1234568", "objective: '0.123456789' is now '0.1234568'."),
        ("status", "stopped", "status: 'certified' is now 'stopped'."),
    ],
)
def test_rows_that_differ_are_named(column, value, words):
    changed = fits().astype(str).assign(objective="0.123456789")
    other = changed.copy()
    other.loc[other.index[1], column] = value
    assert describe_difference(changed, other).endswith(words) and bool(
        describe_difference(changed, other)
    ) == bool(words)
    assert describe_difference(changed, pd.concat([other, other.head(1)])).startswith(
        f"{len(changed) + 1} rows in place of {len(changed)}."
    )


def test_a_folder_that_is_no_snapshot(tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    assert (
        capsys.readouterr().err == f"{tmp_path} has no fits/<study>.tar.xz: name the folder of a snapshot.\n"
    )


def test_data_that_were_not_obtained_are_no_difference(tmp_path, monkeypatch, capsys):
    """As the compounds without RDKit: a file of them has one row, which says so."""
    published = fits().astype(str)
    files = published[["study", "dataset", "feature_scaling", "method"]].drop_duplicates().iloc[:2]
    files = files.assign(split_batch="0-99")

    keys = ["dataset", "feature_scaling", "method"]
    first = published[(published[keys] == files[keys].iloc[0]).all(axis=1)]
    recomputed = iter([first, first.iloc[:1].assign(status="not obtained", message="needs rdkit")])
    monkeypatch.setattr(spot_check, "read_fit_files", lambda _: (files, {files["study"].iloc[0]: published}))
    monkeypatch.setattr(spot_check, "collect_fits", lambda *_: next(recomputed))
    monkeypatch.setattr(spot_check.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0))
    assert main([str(tmp_path)]) == 0
    output = capsys.readouterr().out
    assert "not compared, since its data were not obtained (needs rdkit)" in output
    assert output.endswith("1 of 1 compared files are the same, apart from times.\n")


@pytest.mark.parametrize(("n", "text"), [(0, "0 splits"), (1, "1 split"), (2.0, "2 splits")])
def test_a_count_of_one_is_in_the_singular(n, text):
    assert format_count(n, "split") == text


def test_nothing_to_compare_is_no_success(tmp_path, monkeypatch):
    published = fits().astype(str)
    files = published[["study", "dataset", "feature_scaling", "method"]].iloc[:1].assign(split_batch="0-99")
    recomputed = published.iloc[:1].assign(status="not obtained", message="needs rdkit")
    monkeypatch.setattr(spot_check, "read_fit_files", lambda _: (files, {files["study"].iloc[0]: published}))
    monkeypatch.setattr(spot_check, "collect_fits", lambda *_: recomputed)
    monkeypatch.setattr(spot_check.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0))
    assert main([str(tmp_path)]) == 1


@pytest.mark.parametrize("missing", [["lambdamart"], ["lambdamart", "toppush"]])
def test_methods_that_cannot_run_here_are_not_drawn(missing, tmp_path, monkeypatch, capsys):
    """Their rules do not exist in a run: Snakemake would end with an error that names no cause."""
    published = fits().astype(str)
    file = published[["study", "dataset", "feature_scaling", "method"]].iloc[[0]].assign(split_batch="0-99")
    files = pd.concat([file.assign(method=name) for name in ("lambdamart", "toppush")])
    commands = []

    def run_none(command, **_):
        commands.append(command)
        return SimpleNamespace(returncode=1)

    monkeypatch.setattr(spot_check, "read_fit_files", lambda _: (files, {"tiny": published}))
    monkeypatch.setattr(spot_check.subprocess, "run", run_none)
    monkeypatch.setattr(
        "optional_dependencies.find_missing", lambda name: ["lightgbm"] if name in missing else []
    )
    assert main([str(tmp_path)]) == 1
    output, errors = capsys.readouterr()
    assert "'lambdamart' is left out: it needs lightgbm, which is not installed (pip" in output
    if len(missing) == 1:
        targets = [word for word in commands[0] if word.endswith(".csv")]
        assert len(targets) == 1 and ".toppush." in targets[0]
    else:
        assert not commands, "without a target Snakemake would compute everything"
        assert errors == f"No method of {tmp_path} can run here: install its packages.\n"
