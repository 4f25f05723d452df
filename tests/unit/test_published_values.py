"""The published numbers: each cell is there, and a file that is wrong gets one sentence."""

import csv
import math

import pytest
from report_rows import ROOT

from reproduction.core.results import ResultsError
from reproduction.papers import PAPERS, paper
from reproduction.specs.published_values import (
    DATA_COUNT,
    MARK_QUANTITIES,
    NUMBER_KEY,
    format_cell,
    parse_cell,
    pivot_by_method,
    pivot_counts,
    read_published_values,
)

TRANSCRIBED = ROOT.parent / "shared/published"
HEAD = "artefact,dataset,method,quantity,value,spread,mark"
PAIR = """
table1,sonar,data,features_count,60,,
table1,sonar,a,seconds,0.40,0.3,marked
table1,sonar,b,seconds,1.0,,not marked
table1,sonar,b,variables,7,,
table1,colon,a,seconds,2,0.1,
table2,sonar,a,map,.5,,
"""
METHODS = {"l1": "l1_ranksvm", "mcp": "mcp_ranksvm", "log": "log_ranksvm", "l0.5": "lp_ranksvm"}
PLACES = {
    "count_first": (DATA_COUNT, "first_count", "value"),
    "count_second": (DATA_COUNT, "second_count", "value"),
    "top_mean": ("", "rate_at_top", "value"),
    "top_std": ("", "rate_at_top", "spread"),
    "marked_best_pos_at_top": ("", "pos_at_top", "mark"),
    "marked_fast": ("", "seconds", "mark"),
}
RELATIONS = {"relation_to_best": "relation", "decrease_percent": "decrease", "p_value": "p_value"}


def typed_cells(file):
    """Every cell that was typed from a table: dataset, method, quantity, column, text."""
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    for row in rows:
        dataset, method = row.pop("dataset"), METHODS.get(row.get("method"), row.pop("method", DATA_COUNT))
        best = METHODS.get(row.get("best_method"), row.get("best_method"))
        metric = "map" if "best_map" in row else "ndcg10"
        for name, text in row.items():
            if name in PLACES:
                artefact, quantity, column = PLACES[name]
                text = {"0": "not marked", "1": "marked"}[text] if column == "mark" else text
                yield dataset, artefact or method, quantity, column, text
            elif name.endswith(("_mean", "_std")):
                quantity, _, moment = name.rpartition("_")
                yield dataset, method, quantity, {"mean": "value", "std": "spread"}[moment], text
            elif name == "best_method":
                yield dataset, best, f"{metric}_best_method", "value", best
            elif name == f"best_{metric}":
                yield dataset, best, metric, "value", text
            elif name in RELATIONS:
                yield dataset, method, f"{metric}_{RELATIONS[name]}", "value", text
            elif "sparsity" in file.stem:
                yield dataset, METHODS.get(name, name), "sparsity_ratio", "value", text
            else:
                yield dataset, DATA_COUNT, f"{name}_count", "value", text


@pytest.mark.parametrize("name", [name for name in PAPERS if paper(name).published_values])
def test_every_cell_is_there_as_it_was_published_and_no_other(name):
    if not TRANSCRIBED.is_dir():
        pytest.skip(f"no {TRANSCRIBED}: the transcribed tables lie beside the project and are not part of it")
    files = TRANSCRIBED.glob(f"{name}_table*.csv")
    typed = {(file.stem.split("_")[1], *cell) for file in files for cell in typed_cells(file) if cell[-1]}
    rows = read_published_values(paper(name).published_values)[[*NUMBER_KEY, "value", "spread", "mark"]].melt(
        NUMBER_KEY, value_name="text"
    )
    cells = {*rows[rows["text"] != ""].itertuples(index=False, name=None)}
    assert len(cells) > 90 and sorted(cells ^ typed) == []


def write_values(folder, text=PAIR):
    (folder / "published_values.csv").write_text(f"{HEAD}\n{text.strip()}\n", encoding="utf-8")
    return folder / "published_values.csv"


def test_a_file_is_read_as_text_and_as_numbers(tmp_path):
    rows = read_published_values(write_values(tmp_path))
    assert rows["value"].tolist() == ["60", "0.40", "1.0", "7", "2", ".5"]
    assert rows["number"].tolist() == [60, 0.4, 1, 7, 2, 0.5]
    assert rows["marked"].tolist()[1:3] == [1, 0] and math.isnan(rows["marked"][3])
    assert rows["deviation"][1] == 0.3 and math.isnan(rows["deviation"][2])
    assert read_published_values(None) is None and pivot_by_method(None, "table1") is None


def test_a_table_has_a_row_for_each_method_in_the_order_of_the_file(tmp_path):
    table = pivot_by_method(read_published_values(write_values(tmp_path)), "table1")
    assert (table["dataset"] + " " + table["method"]).tolist() == ["sonar a", "sonar b", "colon a"]
    first = table.iloc[0]
    assert (first["seconds_mean"], first["seconds_std"], first["seconds_mark"]) == (0.4, 0.3, 1)
    assert first["features_count"] == 60 and math.isnan(first["variables_mean"])
    assert math.isnan(table.iloc[2]["features_count"])
    assert pivot_by_method(read_published_values(write_values(tmp_path)), "table7") is None
    assert pivot_counts(read_published_values(write_values(tmp_path))).to_dict() == {
        "features_count": {"sonar": 60}
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("b,variables,7", "b,variable,7", "line 5 has the unknown quantity 'variable'; did you mean"),
        ("b,variables,7", "b,zzz,7", "unknown quantity 'zzz'; known are pos_at_top, "),
        ("b,variables,7", "b,variables,", "line 5 has no value"),
        ("table1,colon,a", "table1,,a", "line 6 has no dataset"),
        ("b,variables,7", "b,variables,seven", r"line 5 \(variables of sonar, b\) has the value 'seven'"),
        ("b,variables,7", "b,variables,<7", "has the value '<7', which is not a number"),
        ("b,variables,7", "b,variables,worse", "has the value 'worse', which is not a number"),
        ("0.40,0.3", "0.40,wide", r"line 3 \(seconds of sonar, a\) has the spread 'wide', which is not"),
        ("2,0.1,", "2,0.1,best", "has the mark 'best', which is not a number"),
        ("b,variables,7,,", "b,variables,7,,marked", "has a mark, but of variables none is compared"),
        ("table1,colon,a", "table1,sonar,b", "seconds of sonar, b occurs twice in table1"),
        (HEAD, HEAD.replace(",spread", ""), r"is damaged \(rows of different length\)"),
    ],
)
def test_a_wrong_file_gets_one_sentence(tmp_path, old, new, message):
    file = write_values(tmp_path)
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ResultsError, match=message) as caught:
        read_published_values(file)
    assert str(caught.value).startswith(str(file)) and str(caught.value).endswith(".")


def test_what_is_published_in_words_is_read_as_it_was_written():
    words = {"p_value": "<0.001", "map_best_method": "fsmrank", "x_mark": "not marked"}
    assert {quantity: format_cell(quantity, parse_cell(text)) for quantity, text in words.items()} == words
    assert format_cell("map_decrease", -0.5) == "-0.5", "a decrease below 0 is an increase and no bound"


def test_a_mark_stands_beside_the_quantities_of_which_one_is_compared():
    rows = read_published_values(paper("kadkhodaie2015").published_values)
    assert set(rows.loc[rows["mark"] != "", "quantity"]) == set(MARK_QUANTITIES)
