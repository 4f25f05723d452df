"""Files of one's own whose ids, marks or headers are easily misread."""

import numpy as np
import pandas as pd
import pytest
from add_commands import add_dataset, get_refusal
from data_helpers import letor_members, put

from reproduction.datasets.prepare import prepare
from reproduction.datasets.readers.cells import convert_to_text, mask_missing
from reproduction.datasets.readers.queries import convert_ids
from reproduction.fitting.external_program import _run
from reproduction.splits.letor_folds import rotate_letor_folds

pytestmark = pytest.mark.usefixtures("empty_registry")


def write_queries(name, ids, rows=4, grades=None):
    lines = [f"{(k + row) % 3},{row}.5,{query}" for k, query in enumerate(ids) for row in range(rows)]
    put(name, "rel,x,q\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    "ids",
    [
        ["1_11", "11_1", "111", "2", "02", "3"],
        ["99999999999999999990", "99999999999999999991", "1", "2", "3", "4"],
        [str(2**60 + k) for k in range(6)],
    ],
)
def test_ids_of_queries_stay_apart(ids):
    assert np.unique(convert_ids(np.array(ids))).size == 6
    write_queries("answers.csv", ids)
    add_dataset("answers.csv", "--label", "rel", "--qid", "q")
    prepared = prepare("answers", "data")
    assert np.unique(prepared.qid).size == 6
    for query in np.unique(prepared.qid):
        assert np.unique(prepared.part[prepared.qid == query]).size == 1


def test_integers_of_many_digits_are_kept():
    cells = pd.Series([2**60, 2**60 + 1, 3])
    assert convert_to_text(cells).tolist() == [str(2**60), str(2**60 + 1), "3"]
    assert convert_to_text(cells.astype("Int64").where(cells != 3)).tolist()[2] == ""


def test_a_marked_label_is_dropped_and_no_negative():
    rows = "".join(f"{k}.5,{['ill', 'well', 'NA'][k % 3]}\n" for k in range(30))
    put("lab.csv", "x,y\n" + rows)
    add_dataset("lab.csv", "--positive", "ill", "--mark", "NA")
    assert sorted(prepare("lab", "data").y.tolist()) == [0] * 10 + [1] * 10


def test_an_empty_query_is_refused_or_dropped():
    write_queries("answers.csv", [*range(1, 7), ""])
    assert "holds no query in row 26" in get_refusal("answers.csv", "--label", "rel", "--qid", "q")
    add_dataset("answers.csv", "--label", "rel", "--qid", "q", "--missing", "drop")
    prepared = prepare("answers", "data")
    assert prepared.y.size == 24 and np.unique(prepared.qid).size == 6


def test_a_numeric_mark_beside_an_empty_cell():
    cells = pd.Series(["1.5", "-999.0", "", "2"])
    assert mask_missing(cells, ("-999", "")).tolist() == [False, True, True, False]
    assert mask_missing(pd.Series([1.0, -999.0]), ("-999",)).tolist() == [False, True]


def test_a_column_of_lists_is_refused():
    pytest.importorskip("pyarrow")
    pd.DataFrame({"x": [[1.0, 2.0], [3.0, 4.0]], "y": [0, 1]}).to_parquet("points.parquet")
    assert "has lists in the column 'x'" in get_refusal("points.parquet", "--label", "y")


def test_options_of_tables_for_other_files():
    put("points.svm", "1 1:1\n0 1:2\n")
    assert "leave out --left-out" in get_refusal("points.svm", "--left-out", "3")
    assert "leave out --label" in get_refusal("points.svm", "--label", "1")
    parts = [f"{part % 2} qid:{part} 1:0.5\n0 qid:{part} 2:{part}\n" for part in range(1, 6)]
    for name, text in letor_members(parts).items():
        put(f"L/{name}", text)
    assert "leave the rest out" in get_refusal("L", "L")
    assert "leave out --label" in get_refusal("L", "--label", "3")


def test_a_label_column_that_is_no_whole_number():
    put("points.csv", "1,0\n2,1\n3,1\n")
    assert "1.5" in get_refusal("points.csv", "--label", "1.5")


def test_a_header_of_numbers_has_to_be_named():
    rows = "".join(f"{k},{k + 1},{k % 2}\n" for k in range(12))
    put("wave.csv", "400,410,label\n" + rows)
    assert "say with --header or --no-header" in get_refusal("wave.csv", "--label", "-1", "--positive", "1")
    add_dataset("wave.csv", "--header", "--label", "-1", "--positive", "1")
    assert prepare("wave", "data").y.size == 12
    put("gaps.csv", "400,NA,1\n" + rows)
    add_dataset("gaps.csv", "--label", "-1", "--positive", "1", "--mark", "NA")
    assert prepare("gaps", "data").y.size == 12


def test_a_file_of_ones_own_may_begin_with_an_angle_bracket():
    put("stock.csv", "<A>,<B>,y\n" + "".join(f"{k},{k + 1},{k % 2}\n" for k in range(12)))
    add_dataset("stock.csv", "--label", "y")
    assert prepare("stock", "data").y.size == 12


def test_more_folds_than_letor_has():
    part = np.repeat(np.arange(1, 6), 3)
    assert len(rotate_letor_folds(part, range(5)).inner) == 5
    with pytest.raises(ValueError, match=r"have 5 folds, but fold 7 is asked for"):
        rotate_letor_folds(part, range(7))


def test_a_program_that_prints_other_bytes_than_utf_8():
    _run(r"printf 'caf\xe9\n'")
