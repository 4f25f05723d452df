"""What a part of a run shows: no row, table or figure of what it was not asked for."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Drawn

from reproduction.core.results import drop_rows_not_run, is_empty
from reproduction.plotting.style import placeholder_figure, save_figure, use_style
from reproduction.reporting.study_report import build_study_report
from reproduction.specs.paper import Figure


def test_rows_of_what_was_not_asked_for_are_left_out():
    table = pd.DataFrame({"data_status": ["obtained", "not run", "not obtained"], "x": [1.0, np.nan, np.nan]})
    assert drop_rows_not_run(table)["data_status"].tolist() == ["obtained", "not obtained"]
    assert drop_rows_not_run(table[["x"]]).equals(table[["x"]])


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"a": [], "x": []}, True),
        ({"a": ["rows"], "n": [0], "x": [np.nan]}, True),
        ({"a": ["rows"], "n": [0], "x": [0.5]}, False),
        ({"a": ["words only"]}, False),
    ],
)
def test_a_table_without_a_number_is_empty(table, expected):
    assert is_empty(pd.DataFrame(table)) == expected


@use_style
def bars():
    figure = Drawn(figsize=(2.0, 2.0))
    figure.subplots().plot([0, 1])
    return figure


@pytest.mark.parametrize(
    ("lacks_data", "message", "names"),
    [(False, "", ["drawn"]), (True, "", ["drawn", "words"]), (False, "no file", ["drawn", "words"])],
)
def test_a_figure_of_nothing_that_was_asked_for_is_not_shown(lacks_data, message, names, tmp_path):
    save_figure(bars(), [tmp_path / "drawn.svg"])
    save_figure(placeholder_figure("nothing"), [tmp_path / "words.svg"])
    figures = [Figure(name, name, "", ("t",), "m:f", "words", "builtins:str") for name in ("drawn", "words")]
    status = pd.DataFrame({"status": ["not obtained" if message else "obtained"], "message": [message]})
    paper = SimpleNamespace(
        tables_of=lambda _: [],
        figures_of=lambda _: figures,
    )
    study = SimpleNamespace(
        name="s",
        paper=paper,
        settings={},
        has_missing_data=lacks_data,
        table=lambda name: status,
        file=lambda name: path if (path := tmp_path / name).is_file() else None,
        fits=pd.DataFrame({"status": []}),
        published_file=None,
        queries=None,
        made=None,
    )
    drawings = build_study_report(study).drawings
    assert [drawing.name for drawing in drawings] == names
    assert not any("words-only" in drawing.svg for drawing in drawings)
