"""Only rows that belong to the study are collected; each way to falsify a file of fits is refused."""

import csv
import io
import json
import os

import edited_tables
import numpy as np
import pandas as pd
import pytest
from data_helpers import put

from reproduction.collection.job_checks import MULTI_METRIC_SEARCH, ExpectedJob, check_job, check_ranges
from reproduction.core import provenance
from reproduction.core.provenance import digest_rows, provenance_row, render_job
from reproduction.core.result_columns import (
    LIST_FIT_COLUMNS,
    MULTI_METRIC_FIT_COLUMNS,
    QUERY_COLUMNS,
    QUERY_FIT_COLUMNS,
)
from reproduction.core.results import ResultsError
from reproduction.fitting.ranking_metrics import METRICS
from reproduction.specs.metrics import RANGES

FACTS = {"seed": 7, "data": "d1", "code": "c1", "commit": "x", "dirty": False}
NAMES = {"study": "tiny", "dataset": "sonar", "feature_scaling": "raw", "method": "admm"}
GRID, PATH, FOLDS = {"solver__rho": [0.1, 1.0]}, {"alpha": [3.0, 5]}, 3
LIST = ExpectedJob(
    "tiny",
    7,
    "d1",
    "c1",
    "reproduction.fitting.cross_validation",
    GRID,
    PATH,
    ["strongest", "sparsest"],
    FOLDS,
)
ACROSS_JOB = ExpectedJob(
    "tiny", 7, "d1", "c1", MULTI_METRIC_SEARCH, GRID, folds=FOLDS, limits={"candidates": 2}
)


def fit(split, role, fold="", status="certified", **more):
    """A row of a fit whose parameters are ``more``, but for its columns."""
    columns = {name: more.pop(name) for name in ("ties", "chosen_by", "message") if name in more}
    row = {"split": split, "role": role, "fold": fold, "status": status, "params": json.dumps(more)}
    return row | {"seconds": 0.5, "rate_at_top": 0.5, "n_test_positives": 9} | columns


def list_rows(split):
    rows = [fit(split, "search", k, alpha=0.3, rho=rho) for k in range(FOLDS) for rho in (0.1, 1.0)]
    rows += [fit(split, "path", alpha=alpha) for alpha in (3.0, 5)]
    rows += [fit(split, "chosen", alpha=0.3, rho=0.1, ties="strongest")]
    rows += [fit(split, "alternative", alpha=0.3, rho=1.0, ties="sparsest")]
    return [row | {"positives_at_top": 4} for row in rows]


def across_rows(split, folds=range(FOLDS)):
    rows = [fit(split, "search", k, rho=rho) for k in folds for rho in (0.1, 1.0)]
    rows += [fit(split, "chosen", rho=0.1, chosen_by=" ".join(METRICS[:4]))]
    return [*rows, fit(split, "alternative", rho=1.0, chosen_by=" ".join(METRICS[4:]))]


def write(folder, rows, facts=FACTS, columns=LIST_FIT_COLUMNS, **names):
    """Write the file of a job as its script does."""
    path = folder / "sonar.raw.admm.0-1.csv"
    named = NAMES | names
    record = named | provenance_row(dict(facts), "0-1")
    path.write_text(render_job(columns, (named | row for row in rows), record))
    return path


@pytest.fixture
def job(tmp_path):
    return write(tmp_path, [*list_rows(0), *list_rows(1)])


def get_refusal(path, expected=LIST):
    """What is said of a file: one sentence with its name and the remedy."""
    with pytest.raises(ResultsError) as error:
        check_job(path, expected)
    message = str(error.value)
    assert message.startswith(str(path)) and message.endswith(f"delete it and run again (rm {path}).")
    return message


def test_what_a_job_writes_is_accepted(job, tmp_path):
    check_job(job, LIST)
    facts = json.loads(pd.read_csv(job)["message"].iloc[-1])
    lines_before_last = job.read_text().rsplit("\n", 2)[0] + "\n"
    assert facts.pop("rows") == digest_rows(lines_before_last, FACTS) and facts == FACTS
    rows = [*across_rows(0), *across_rows(1, folds=[0, 2])]  # a fold of one class is left out
    check_job(write(tmp_path, rows, columns=MULTI_METRIC_FIT_COLUMNS), ACROSS_JOB)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seed", 8, "has the seed 8, but its study has 7"),
        ("data", "d2", "has the digest of the data d2, but its study has d1"),
        ("code", "c2", "has the digest of the code c2, but its study has c1"),
    ],
)
def test_a_file_of_another_seed_data_or_code(tmp_path, key, value, message):
    rows = [*list_rows(0), *list_rows(1)]
    assert message in get_refusal(write(tmp_path, rows, FACTS | {key: value}))


def test_a_file_that_was_edited(job):
    valid_text = job.read_text()
    lines = valid_text.splitlines(keepends=True)
    edited = {
        "a cell": valid_text.replace(",0.5,", ",0.51,", 1),
        "a row less": "".join(lines[:3] + lines[4:]),
        "another order": "".join([lines[0], lines[2], lines[1], *lines[3:]]),
        "line ends": valid_text.replace("\n", "\r\n", 3),
        "the seed of the record": valid_text.replace('""seed"": 7', '""seed"": 8'),
        "the commit of the record": valid_text.replace('""commit"": ""x""', '""commit"": ""y""'),
    }
    for description, text in edited.items():
        assert text != valid_text, description
        job.write_bytes(text.encode())
        assert "is not as its job wrote it (the digest of its rows differs)" in get_refusal(job), description
    job.write_text("".join(lines[:-1]))
    assert "holds no provenance in its last row" in get_refusal(job)
    facts = json.loads(pd.read_csv(io.StringIO(valid_text))["message"].iloc[-1])
    line = io.StringIO()
    record = NAMES | provenance_row({k: v for k, v in facts.items() if k != provenance.DIGEST_KEY}, "0-1")
    csv.DictWriter(line, LIST_FIT_COLUMNS, lineterminator="\n").writerow(record)
    job.write_text("".join([*lines[:-1], line.getvalue()]))
    assert "is not as its job wrote it" in get_refusal(job), "a record without a digest"


ROWS = [*list_rows(0), *list_rows(1)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[5:], 'split 0, lacks 5 of 6 rows of role search (first: {"rho": 0.1}, fold 0)'),
        ([r for r in ROWS if r["role"] != "path"], "split 0, lacks 2 of 2 rows of role path"),
        ([*ROWS, ROWS[0]], 'split 0, has 1 further rows of role search (first: {"rho": 0.1}, fold 0)'),
        ([*ROWS, fit(1, "search", 3, rho=0.1)], "split 1, has 1 further rows of role search"),
        ([fit(0, "search", 0, rho=0.2), *ROWS[1:]], "split 0, lacks 1 of 6 rows of role search"),
        ([r for r in ROWS if r["role"] != "chosen"], "holds 0 chosen fits of split 0, not one"),
        ([r for r in ROWS if r["role"] != "alternative"], "split 0, has 0 rows chosen by 'sparsest', not 1"),
        ([*ROWS, fit(0, "guess", rho=0.1)], "holds a row of role 'guess'"),
        ([ROWS[0] | {"dataset": "wpbc"}, *ROWS[1:]], "holds a row of the dataset 'wpbc'"),
    ],
)
def test_rows_that_lack_or_are_too_many(tmp_path, rows, message):
    """Their digest is right: the job itself wrote them so."""
    assert message in get_refusal(write(tmp_path, rows))


def test_measures_that_no_row_is_chosen_by(tmp_path):
    rows = [*across_rows(0)[:-1], *across_rows(1)]
    path = write(tmp_path, rows, columns=MULTI_METRIC_FIT_COLUMNS)
    assert f"split 0, has 0 rows chosen by {METRICS[4]!r}, not 1" in get_refusal(path, ACROSS_JOB)
    path = write(tmp_path, [*across_rows(0)[1:], *across_rows(1)], columns=MULTI_METRIC_FIT_COLUMNS)
    assert "split 0, lacks 1 of 6 rows of role search" in get_refusal(path, ACROSS_JOB)


@pytest.mark.parametrize("n_kept", [0, 6, 8])
def test_a_split_without_a_choice_may_end_before_its_search_or_path(tmp_path, n_kept):
    failed = fit(0, "chosen", status="failed", message="ValueError: no")
    check_job(write(tmp_path, [*list_rows(0)[:n_kept], failed, *list_rows(1)]), LIST)
    assert "lacks" in get_refusal(write(tmp_path, [*list_rows(0)[:3], failed, *list_rows(1)]))


def test_a_set_that_was_not_obtained_is_one_row(tmp_path):
    check_job(write(tmp_path, [fit("", "chosen", status="not obtained", message="no file")]), LIST)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (
            "positives_at_top",
            9999,
            "positives_at_top is 9999 (role search, split 0), outside its range from 0 to 9",
        ),
        ("positives_at_top", 10, "outside its range from 0 to 9"),
        ("rate_at_top", 1.01, "rate_at_top is 1.01 (role search, split 0), outside its range from 0 to 1"),
        ("rate_at_top", -0.5, "rate_at_top is -0.5"),
        ("seconds", -1, "seconds is -1 (role search, split 0), outside its range from 0 to inf"),
    ],
)
def test_a_metric_outside_its_range(tmp_path, column, value, message):
    assert message in get_refusal(write(tmp_path, [ROWS[0] | {column: value}, *ROWS[1:]]))


def test_each_metric_has_a_range():
    """What is no metric is an identity, a text, or a difference that may have any sign."""
    columns_without_range = {
        *NAMES,
        "split",
        "role",
        "fold",
        "params",
        "status",
        "message",
        "ties",
        "variables_at",
        "qid",
    }
    columns_without_range |= {"objective", "lower_bound", "gap", "relative_gap", "chosen_by", "weights"}
    columns = {*LIST_FIT_COLUMNS, *QUERY_FIT_COLUMNS, *MULTI_METRIC_FIT_COLUMNS, *QUERY_COLUMNS}
    assert columns - columns_without_range == set(RANGES)
    rows = pd.DataFrame({"ndcg10": ["", "0", "1"], "role": "query", "split": "0"})
    check_ranges("queries.csv", rows)
    check_ranges("queries.csv", rows.assign(ndcg10="1.0000000000000013"))  # the rounding of a sum
    with pytest.raises(ResultsError, match=r"ndcg10 is 1\.5"):
        check_ranges("queries.csv", rows.assign(ndcg10="1.5"))


# --- the tables of a run


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("comparison.csv", "tiny/fits.csv", "tiny/table1.csv", "tiny/fits/job.csv", "old/fits.csv"):
        put(tmp_path / "results" / name, f"{name}\n1\n")
    edited_tables.TableEdits("results", ["tiny"]).save_digests()
    return tmp_path / "results"


def counts():
    """The parameters of the rules in a new run, and the tables that it names."""
    new = edited_tables.TableEdits("results", ["tiny"])
    edited = new.find_edited()
    return [new.count_edits(f"results/{name}") for name in ("comparison.csv", "tiny/fits.csv")], edited


def test_an_edited_table_is_made_again(tables, caplog):
    assert counts() == ([0, 0], [])
    path = tables / "tiny/fits.csv"
    stamps = path.stat()
    path.write_text("tiny/fits.csv\n2\n")
    os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))  # an edit that leaves the time as it was
    assert counts() == ([0, 1], ["results/tiny/fits.csv"])
    assert counts() == ([0, 1], []), "the parameter stays, also after a dry run"
    path.write_text("tiny/fits.csv\n1\n")  # made again
    edited_tables.TableEdits("results", ["tiny"]).save_digests()
    assert counts() == ([0, 1], [])
    path.write_text("tiny/fits.csv\n3\n")
    assert counts() == ([0, 2], ["results/tiny/fits.csv"])


def test_runs_beside_one_another_keep_the_digests_of_both(tables):
    """As `make` and `make report`: the run that ends last knows nothing of the other one's tables."""
    longer_run = edited_tables.TableEdits("results", ["old"])
    put(tables / "tiny/table1.csv", "of the shorter run\n")
    edited_tables.TableEdits("results", ["tiny"]).save_digests()
    longer_run.save_digests()
    assert counts() == ([0, 0], [])
    (tables / "old/fits.csv").write_text("edited\n")
    assert edited_tables.TableEdits("results", ["old"]).find_edited() == ["results/old/fits.csv"]


def test_what_is_no_edit(tables):
    (tables / "comparison.csv").unlink()  # Snakemake sees that itself
    put(tables / "tiny/new.csv", "of this run\n")
    put(tables / "tiny/fits/job.csv", "has a digest of its own\n")
    os.utime(tables / "tiny/table1.csv", (1, 1))
    assert counts() == ([0, 0], [])
    edited_tables.DIGEST_FILE.write_text("{damaged")
    assert counts() == ([0, 0], [])
    assert np.isscalar(edited_tables.TableEdits("results", []).count_edits("results/nowhere.csv"))
