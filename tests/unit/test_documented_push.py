"""The tables of the l1 push in docs/library.md are those of docs/push_times.csv. As a script: prints them."""

import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORMS = ("primal simplex", "primal ipm", "dual simplex", "dual ipm")


def format_number(text, digits=2):
    """A number with so many significant digits, without an exponent."""
    value = float(f"{float(text):.{digits}g}")
    return f"{value:.10f}".rstrip("0").rstrip(".").replace("0.", ".", 1) if value < 1 else f"{value:g}"


def make_table_of_drawn_sets(rows):
    """Yield the rows of the table of drawn sets: alpha_max, and fits at two shares beside liblinear's."""
    yield (
        "| data | rows × features | `alpha_max` | fit at .3 `alpha_max` | fit at .1 "
        "| ℓ₁ logistic regression | times as long |"
    )
    yield "|---|---|---|---|---|---|---|"
    drawn_rows = [row for row in rows if not row["peer"].startswith("HiGHS")]
    for name in dict.fromkeys(row["data"] for row in drawn_rows):
        scale, *fits = (row for row in drawn_rows if row["data"] == name)
        cells = [format_number(row["seconds"]) for row in (scale, *fits)]
        for column in ("peer_seconds", "ratio"):
            cells.append(" and ".join(format_number(row[column]) for row in fits))
        yield f"| {name} | {scale['rows']} × {scale['features']} | {' | '.join(cells)} |"


def make_table_of_races(rows):
    """Yield the rows of the table of races: our seconds, and how many times as long each form takes."""
    yield (
        "| data | positives of rows, features | fit | primal, simplex | primal, interior point "
        "| dual, simplex | dual, interior point |"
    )
    yield "|---|---|---|---|---|---|---|"
    races = [row for row in rows if row["peer"].startswith("HiGHS")]
    for name in dict.fromkeys(row["data"] for row in races):
        forms = {
            form: row for row in races for form in FORMS if (row["data"], form in row["peer"]) == (name, True)
        }
        least = min(float(row["ratio"]) for row in forms.values() if "finished" not in row["peer"])
        cells = []
        for form in FORMS:
            row = forms[form]
            ratio = format_number(row["ratio"])
            text = f"more than {ratio}" if "not finished" in row["peer"] else ratio
            cells.append(f"**{text}**" if float(row["ratio"]) == least else text)
        size = f"{row['positives']} of {row['rows']}, {row['features']}"
        yield f"| {name} | {size} | {format_number(row['seconds'])} | {' | '.join(cells)} |"


TABLES = {"drawn sets": make_table_of_drawn_sets, "races": make_table_of_races}


def make_table(name):
    """A table of the docs as text."""
    with (ROOT / "docs" / "push_times.csv").open(encoding="utf-8") as file:
        return "\n".join(TABLES[name](list(csv.DictReader(file)))) + "\n"


@pytest.mark.parametrize("name", TABLES)
def test_the_docs_have_the_table_of_the_file(name):
    assert make_table(name) in (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


if __name__ == "__main__":
    for table in TABLES:
        print(make_table(table))
