"""A file of one's own: what is understood, written and refused."""

import gzip
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from add_commands import PATIENTS, TABLE, add_dataset, get_refusal
from data_helpers import letor_members, put, sha
from scipy.sparse import csr_array

from reproduction.datasets import registry
from reproduction.datasets.prepare import prepare
from reproduction.datasets.readers.queries import assign_parts
from reproduction.datasets.row_counts import count_repeated_rows

QUERIES = "".join(f"{(q + d) % 3} qid:{q} 1:{d} 3:{q}\n" for q in (7, 3, 9, 4, 12, 5) for d in range(4))


pytestmark = pytest.mark.usefixtures("empty_registry")


WRONG_FILES = {
    "t.csv": TABLE,
    "plain.csv": "1,2,0\n3,4,1\n",
    "short.csv": "a,y\n1,0\n2,\n3,1\n",
    "few.txt": "1 qid:1 1:1\n0 qid:1 1:2\n",
    "half.txt": "1 qid:1 1:1\n0 1:2\n",
    "latin.csv": "größe,y\n1,0\n2,1\n".encode("latin-1"),
    "empty.csv": "",
    "folder/readme": "none",
}


# --------------------------------------------- what is understood


def test_a_table_with_a_header(capsys):
    put("Patients 1.csv", TABLE)
    add_dataset("Patients 1.csv", *PATIENTS)
    output = capsys.readouterr().out
    assert output.startswith("patients-1: a table of cells split at ';', with a header\n")
    assert "features  2: age, dose" in output and "ill (positive, 2 rows) against well (2 rows)" in output
    spec = registry.get("patients-1")
    assert spec.files[0].sha256 == sha(TABLE.encode())
    assert spec.expected == {"rows": 4, "features": 2, "positives": 2, "negatives": 2}
    written = yaml.safe_load(Path("own_data.yaml").read_text())["datasets"]["patients-1"]["files"]
    assert written == [{"path": "Patients 1.csv", "sha256": sha(TABLE.encode())}]
    prepared = prepare("patients-1", "data")
    np.testing.assert_array_equal(prepared.X, [[1, 2.5], [3, 4], [5, 6], [7, 8]])
    assert prepared.y.tolist() == [1, 0, 1, 0] and prepared.manifest["notes"] == []


@pytest.mark.parametrize("separator", [",", "\t", "|", " "])
def test_separators_and_files_without_a_header(separator):
    put("points.txt.gz", gzip.compress("\n".join(map(separator.join, ("123", "450"))).encode()))
    add_dataset("points.txt.gz", "--label", "0", "--positive", "4")
    prepared = prepare("points", "data")
    np.testing.assert_array_equal(prepared.X, [[2, 3], [5, 0]])
    assert prepared.y.tolist() == [0, 1]


@pytest.mark.parametrize("labels", [("0", "1"), ("-1", "1"), ("0.0", "1.0")])
def test_one_is_positive_where_it_stands_against_nought_or_minus_one(labels):
    put("points.csv", f"a,b,target\n1,2,{labels[0]}\n3,4,{labels[1]}\n")
    add_dataset("points.csv")
    assert prepare("points", "data").y.tolist() == [0, 1]


def test_missing_values_and_a_third_class():
    put("points.csv", "a,class\n1,x\n?,x\n2,y\n3,z\n")
    add_dataset("points.csv", "--positive", "x", "--mark", "?")
    prepared = prepare("points", "data")
    assert prepared.y.tolist() == [1, 0, 0]
    assert prepared.manifest["dropped_rows"] == [{"count": 1, "why": "a value is missing (?, empty)"}]


def test_queries_of_one_file_make_five_parts(capsys):
    put("answers.txt", QUERIES)
    add_dataset("answers.txt")
    assert "queries   6, dealt out to five parts" in capsys.readouterr().out
    prepared = prepare("answers", "data")
    assert sorted(set(prepared.part)) == [1, 2, 3, 4, 5]
    for query in (7, 3, 9, 4, 12, 5):
        rows = np.flatnonzero(prepared.qid == query)
        assert len(set(prepared.part[rows])) == 1 and np.all(np.diff(rows) == 1)
        np.testing.assert_array_equal(prepared.X[rows][:, 0], range(4))
        assert prepared.y[rows].tolist() == [(query + d) % 3 for d in range(4)]


def test_queries_of_a_table_have_the_same_parts_whatever_the_order():
    rows = [(q, d, (q + d) % 2) for q in range(10) for d in range(3)]
    for name, order in (("one", rows), ("two", rows[::-1])):
        put(f"{name}.csv", "q,x,y\n" + "".join(f"q{q},{d},{g}\n" for q, d, g in order))
        add_dataset(f"{name}.csv", "--query", "q")
    first, two = prepare("one", "data"), prepare("two", "data")
    assert {*zip(first.qid, first.part, strict=True)} == {*zip(two.qid, two.part, strict=True)}
    assert np.bincount(first.part)[1:].tolist() == [6] * 5


def test_ids_beyond_32_bits_stay_apart():
    spec = SimpleNamespace(name="x", label={"grades": [0, 1]})
    ids = np.array([5, 2**31 + 5, 2**32 + 5, 2**40, 9])
    table = assign_parts(np.zeros((5, 1)), np.zeros(5), ids, spec)
    assert set(table.qid.tolist()) == set(ids.tolist())


def test_svmlight_without_queries_of_two_files():
    put("part", "+1 1:0.5 4:2\n-1 2:1\n")
    put("part.t", "-1 3:1\n1 1:1\n")
    add_dataset("part", "part.t", "--name", "union")
    prepared = prepare("union", "data")
    assert prepared.X.shape == (4, 4) and prepared.y.tolist() == [1, 0, 0, 1]


def test_a_folder_of_folds():
    members = letor_members([f"{s % 2} qid:{s} 1:0.5\n0 qid:{s} 2:{s}\n" for s in range(1, 6)])
    for name, content in members.items():
        put(f"Mine/{name}", content)
    add_dataset("Mine")
    assert registry.get("mine").files[0].members == {name: sha(text) for name, text in members.items()}
    prepared = prepare("mine", "data")
    assert prepared.part.tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_parquet():
    pytest.importorskip("pyarrow", reason="no pyarrow, which reads Parquet: pip install pyarrow")
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [True, False, True], "y": pd.array([0, 1, 1], "Int64")})
    frame.to_parquet("points.parquet")
    add_dataset("points.parquet")
    np.testing.assert_array_equal(prepare("points", "data").X, [[1, 1], [2, 0], [3, 1]])
    frame["when"] = pd.Timestamp("2020-01-01")
    frame.to_parquet("dates.parquet")
    assert "holds text in the column 'when' (add --one-hot" in get_refusal("dates.parquet")
    frame.drop(columns="when").assign(a=[1, None, 3]).to_parquet("gaps.parquet")
    assert "has empty cells in the column 'a' (1): add --missing drop" in get_refusal("gaps.parquet")


def test_parquet_that_nothing_can_read(monkeypatch):
    def absent(path):
        raise ImportError("no engine")

    monkeypatch.setattr(pd, "read_parquet", absent)
    put("points.parquet", b"PAR1")
    assert "needs pyarrow: pip install pyarrow" in get_refusal("points.parquet")


# --------------------------------------------- text, missing cells, ids


def clinic(n_rows=40):
    """A table with an id, a number with gaps, two columns of kinds and a note that differs in each row."""
    wards = ("north", "south", "")
    rows = [
        f"p{i},{'' if i % 20 == 3 else i % 7}.5,{'fm'[i % 2]},{wards[i % 3]},n {i},{i % 2}".replace(
            ",.5", ","
        )
        for i in range(n_rows)
    ]
    put("clinic.csv", "\n".join(["patient_id,age,sex,ward,note,y", *rows]) + "\n")
    return ["clinic.csv", "--left-out", "patient_id", "--left-out", "note"]


def test_columns_of_text_are_listed_at_once_with_the_option_of_each():
    words = clinic()
    message = get_refusal(words[0])
    assert "columns 'sex', 'ward' (add --one-hot, which makes a feature of each value)" in message
    assert (
        "'patient_id', 'note' (no value occurs again, as in an id: add --left-out patient_id --left-"
        in message
    )
    assert "the columns 'patient_id', 'note' (no value" in get_refusal(words[0], "--one-hot")
    assert "has empty cells in the columns 'age' (2), 'ward' (13): add --missing drop" in get_refusal(
        *words, "--one-hot"
    )


@pytest.mark.parametrize("follow", [[], ["--follow"]])
def test_the_reader_encodes_and_fills_again_from_the_entry(follow, capsys):
    add_dataset(*clinic(), "--one-hot", "--missing", "median", *follow)
    assert "features  5: age, sex=f, sex=m, ward=north, ward=south" in capsys.readouterr().out
    options = registry.get("clinic").options
    assert options["one_hot"] == ["sex", "ward"] and options["missing_cells"] == "median"
    prepared = prepare("clinic", "data")
    assert prepared.manifest["feature_names"] == ["age", "sex=f", "sex=m", "ward=north", "ward=south"]
    frame = pd.read_csv("clinic.csv")
    age = frame["age"].fillna(frame["age"].median())
    kinds = [frame["sex"] == "f", frame["sex"] == "m", frame["ward"] == "north", frame["ward"] == "south"]
    np.testing.assert_array_equal(prepared.X, np.column_stack([age, *kinds]))
    assert "2 missing cells hold the median of their column" in prepared.manifest["notes"][0]


def test_a_row_with_an_empty_cell_is_dropped_if_asked():
    add_dataset(*clinic(), "--one-hot", "--missing", "drop")
    prepared, frame = prepare("clinic", "data"), pd.read_csv("clinic.csv").dropna()
    assert prepared.X.shape == (len(frame), 5)
    assert prepared.manifest["dropped_rows"] == [
        {"count": 40 - len(frame), "why": "a value is missing (empty)"}
    ]


def test_numbers_are_kinds_where_they_are_named():
    put("codes.csv", "code,x,y\n10,1,0\n2,2,1\n10,-999,1\n2,4,0\n")
    add_dataset("codes.csv", "--categories", "code", "--mark", "-999")
    prepared = prepare("codes", "data")
    np.testing.assert_array_equal(prepared.X, [[1, 1, 0], [2, 0, 1], [4, 0, 1]])
    assert prepared.manifest["feature_names"] == ["x", "code=10", "code=2"]


def test_an_id_and_repeated_rows_are_warned_of(capsys):
    rows = "".join(f"{i},{100 + i // 2},{i % 5 / 10},{i % 2}\n" for i in range(30))
    put("points.csv", "case,patientId,x,y\n" + rows)
    add_dataset("points.csv")
    output = capsys.readouterr().out
    assert (
        "warning   the column 'case' has another value in each row, like an id: leave it out with" in output
    )
    assert "--left-out case, unless it is a feature" in output and "'patientId' is named like an id" in output
    assert "'x'" not in output and "earlier row" not in output
    add_dataset("points.csv", "--left-out", "case", "--left-out", "patientId", "--replace")
    assert "warning   25 of 30 rows have the features of an earlier row" in capsys.readouterr().out
    assert "25 of 30 rows have" in prepare("points", "data").manifest["notes"][0]


def test_rows_that_repeat_within_a_query_are_in_one_split():
    X, qid = np.array([[0.0], [-0.0], [0.0], [1.0]]), np.array([1, 1, 2, 2])
    assert count_repeated_rows(X) == 2 and count_repeated_rows(X, qid) == 1
    assert count_repeated_rows(csr_array(X)) == 2 and count_repeated_rows(csr_array(X), qid) == 1


GRADED = "".join(f"{i % 3} 1:{i} 2:1\n" for i in range(30))


def test_a_file_with_the_sizes_of_queries():
    put("rank.train", GRADED)
    put("rank.train.query", "6\n" * 5)
    add_dataset("rank.train", "--group", "rank.train.query")
    prepared = prepare("rank", "data")
    assert np.array_equal(prepared.qid, 1 + prepared.X[:, 0] // 6)
    put("table.csv", "grade,x\n" + "".join(f"{i % 3},{i}\n" for i in range(30)))
    add_dataset("table.csv", "--label", "grade", "--group", "rank.train.query")
    table = prepare("table", "data")
    assert np.array_equal(table.qid, 1 + table.X[:, 0] // 6) and np.array_equal(table.y, table.X[:, 0] % 3)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["rank.train"],
            "--qid names the column of a table, SVMlight text has qid: in each line, and --group",
        ),
        (
            ["rank.train.query"],
            "looks like the sizes of queries: add the file of their rows, and --group rank",
        ),
        (["rank.train", "--group", "short.query"], "counts 6 rows in 1 queries, but rank has 30 rows"),
        (
            ["rank.train", "--group", "words.txt"],
            "words.txt holds 'a,0' where the number of rows of a query is needed",
        ),
        (["blank.txt", "--separator", ",", "--label", "0"], "which may be 'spaces' (--separator spaces)"),
        (["rank.train", "rank.train"], "Two files are named rank.train: give each another name."),
        (["words.txt", "--label", "1"], "or add --separator spaces if blanks part its cells"),
        (
            ["gap.csv", "--missing", "?"],
            "drop or median, and not '?': give the mark of a missing cell by --mark",
        ),
        (["gap.csv", "--missing", "median"], "gap.csv has no value in the column 'b', so no median"),
        (
            ["one.csv"],
            "holds 'NA' in row 3, column 'a', where a finite number is needed: correct the file, or",
        ),
    ],
)
def test_the_option_that_helps_is_named(words, expected):
    put("rank.train", GRADED)
    put("rank.train.query", "6\n" * 5)
    put("short.query", "6\n")
    put("blank.txt", "1 2 0\n3 4 1\n")
    put("words.txt", "1 2 a,0\n3 4 b,1\n")
    put("gap.csv", "a,b,y\n1,,0\n2,,1\n")
    put("one.csv", "a,y\n1,0\nNA,1\n3,0\n")
    assert expected in get_refusal(*words)


def test_blanks_of_any_kind_separate_numbers():
    put("points.txt", "1.5  2\t0\n3.5  4\t1\n")
    add_dataset("points.txt", "--label", "2")
    np.testing.assert_array_equal(prepare("points", "data").X, [[1.5, 2], [3.5, 4]])


# --------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["t.csv", *PATIENTS[:4]], "t.csv holds text in the column 'id' (add --one-hot, which"),
        (["t.csv", "--labl", "outcome"], "unknown option '--labl'; did you mean '--label'?"),
        (["t.csv", *PATIENTS, "--separator", ","], "one column when it is split at ',': name its separator"),
        (["t.csv", *PATIENTS, "--separator", ",,"], "'separator' .* one character, or the word spaces"),
        (
            ["t.csv", "--label", "outcom"],
            "'outcom', which is not a column of t.csv; did you mean 'outcome'?",
        ),
        (["t.csv", "--label", "4"], "is 4, but the 4 columns of t.csv have the numbers 0 to 3"),
        (["t.csv", *PATIENTS[4:]], "Say with --positive which labels of t are relevant; there are ill (2"),
        (
            ["t.csv", *PATIENTS, "--positive", "dead"],
            "'dead', which is not a label of t; there are ill",
        ),
        (["t.csv", *PATIENTS, "--positive", "well"], "--positive names all labels of t"),
        (["t.csv", *PATIENTS, "--name", "wdbc"], "'wdbc' is a data set of the project"),
        (["t.csv", *PATIENTS, "--name", "My Set"], "'My Set' needs another name: small letters"),
        (["t.csv", *PATIENTS, "--query", "id"], "holds 'ill' in row 2, column 'outcome'"),
        (["t.csv", "--no-header", "--label", "3"], "add --header if its first row names the columns"),
        (["plain.csv", "--header", "--label", "2"], "holds numbers only where the names of the columns are"),
        (["plain.csv"], "Say with --label which column of plain.csv is the label; they are 0 to 2."),
        (["short.csv"], "holds no label in row 3"),
        (["few.txt"], "holds 1 queries, and its five folds need at least 5"),
        (["half.txt"], "line 2 lacks a qid, other than the lines before"),
        (["latin.csv"], "holds bytes that are not UTF-8 text"),
        (["empty.csv"], "empty.csv is not a table of comma-separated rows"),
        (["nothing.csv"], "There is no file nothing.csv: correct the path."),
        (["folder"], "folder is a folder without LETOR's Fold1 to Fold5"),
    ],
)
def test_one_sentence_and_nothing_written(words, expected):
    for name, content in WRONG_FILES.items():
        put(name, content)
    message = get_refusal(*words)
    assert expected in message or re.search(expected, message), message
    assert not Path("own_data.yaml").exists()
