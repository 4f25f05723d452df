"""What keeps the page short: texts cut off, columns in dialogs, rows left out."""

import pandas as pd

from reproduction.reporting.page.render import make_environment
from reproduction.reporting.page.tables import truncate_text
from reproduction.reporting.table_layout import build_grids
from reproduction.specs.table_cells import DATASET_NAME, text_cell
from reproduction.specs.table_views import Cell, Column, SubText, View


def test_a_long_text_is_cut_off_behind_a_clause():
    assert truncate_text("one two three. four five six", 5) == "one two three. …"
    assert truncate_text("one two. three four five six", 4) == "one two. …"
    assert (
        truncate_text("one. two three four five", 4) == "one. two three four …"
        and truncate_text("a b", 2) == "a b"
    )


def test_columns_beyond_seven_stand_in_the_dialog():
    names = [f"c{i}" for i in range(9)]
    view = View(
        "t", "", (Column("m", text_cell("m")),), tuple(Column(name, text_cell(name)) for name in names)
    )
    (grid,) = build_grids(view, pd.DataFrame([dict.fromkeys(["m", *names], "x")]), for_latex=False)
    assert [head.text for head in grid.heads] == ["m", *names[:6]]
    assert [head.text for head, _ in grid.lines[0].more] == names[6:]


def test_rows_without_data_that_say_nothing_more_are_counted_only():
    rows = pd.DataFrame([{"dataset": "a", "data_status": "not obtained", "x": "not obtained"}])

    def make_view(text):
        cell = lambda row: Cell(row["x"], sub_texts=(SubText(text, "published"),))  # noqa: E731
        (grid,) = build_grids(View("t", "", (DATASET_NAME,), (Column("x", cell),)), rows, for_latex=False)
        return grid.has_text_without_data

    assert make_view("3") and not make_view("")


def test_each_page_says_a_thing_once_and_knows_of_no_other_page():
    for _ in range(2):
        first_place = make_environment().globals["first_place"]
        assert [first_place("a caption", anchor) for anchor in ("#one", "#two", "#one")] == ["", "#one", ""]
