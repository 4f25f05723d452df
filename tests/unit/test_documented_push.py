"""The tables of the l1 push in docs/library.md are those of docs/push_times.csv and of the snapshot's race.

As a script: prints them.
"""

import csv
import math
from pathlib import Path
from statistics import median

import pytest

from reproduction.benchmarks.push_linear_programs import FORMS

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "drawn sets": ROOT / "docs/push_times.csv",
    "races": ROOT / "reports/snapshot/bench/infinite_push.csv",
}


def format_number(text, digits=2):
    """A number with so many significant digits, without an exponent."""
    value = float(f"{float(text):.{digits}g}")
    return f"{value:.10f}".rstrip("0").rstrip(".").replace("0.", ".", 1) if value < 1 else f"{value:g}"


def round_down(row):
    """The ratio of a race with two significant digits, rounded down: a lower bound stays one."""
    ratio = float(row["against_seconds"]) / float(row["seconds"])
    unit = 10 ** (math.floor(math.log10(ratio)) - 1)
    return f"{math.floor(ratio / unit) * unit:g}"


def make_table_of_drawn_sets(rows):
    """Yield the rows of the table of drawn sets: alpha_max, and fits at two shares beside liblinear's."""
    yield (
        "| data | rows × features | `alpha_max` | fit at .3 `alpha_max` | fit at .1 "
        "| ℓ₁ logistic regression | times as long | to a gap of 1e-8 | times as long |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for name in dict.fromkeys(row["data"] for row in rows):
        scale, *fits = (row for row in rows if row["data"] == name)
        cells = [format_number(row["seconds"]) for row in (scale, *fits)]
        for column in ("peer_seconds", "ratio", "accurate_peer_seconds", "accurate_ratio"):
            cells.append(" and ".join(dict.fromkeys(format_number(row[column]) for row in fits)))
        yield f"| {name} | {scale['rows']} × {scale['features']} | {' | '.join(cells)} |"


def make_table_of_races(rows):
    """Yield the rows of the table of races: our seconds, and how many times as long each form takes."""
    yield (
        "| data | positives × negatives × features | fit | primal, simplex | primal, interior point "
        "| dual, simplex | dual, interior point |"
    )
    yield "|---|---|---|---|---|---|---|"
    races = [row for row in rows if row["against"].startswith("HiGHS, ")]
    for problem in dict.fromkeys(row["problem"] for row in races):
        # in the order of the columns: the forms of `push_linear_programs`
        forms = [row for row in races if row["problem"] == problem]
        assert [row["against"] for row in forms] == [
            f"HiGHS, {form} program, {method}" for form, method in FORMS
        ]
        is_bound = ["lower bound" in row["remark"] for row in forms]
        least = min(float(row["ratio"]) for row, bound in zip(forms, is_bound, strict=True) if not bound)
        cells = []
        for row, bound in zip(forms, is_bound, strict=True):
            text = f"more than {round_down(row)}" if bound else format_number(row["ratio"])
            cells.append(f"**{text}**" if float(row["ratio"]) == least else text)
        name, size = problem.split(", ")
        seconds = format_number(median(float(row["seconds"]) for row in forms))
        yield f"| {name} | {size.replace(' x ', ' × ')} | {seconds} | {' | '.join(cells)} |"


TABLES = {"drawn sets": make_table_of_drawn_sets, "races": make_table_of_races}


def make_table(name):
    """A table of the docs as text."""
    with FILES[name].open(encoding="utf-8") as file:
        return "\n".join(TABLES[name](list(csv.DictReader(file)))) + "\n"


@pytest.mark.parametrize("name", TABLES)
def test_the_docs_have_the_table_of_the_file(name):
    assert make_table(name) in (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


def test_the_sentence_on_the_best_forms():
    with FILES["races"].open(encoding="utf-8") as file:
        races = [row for row in csv.DictReader(file) if row["against"].startswith("HiGHS, ")]
    best = {}
    for row in races:
        name = row["problem"].split(",")[0]
        best[name] = min(best.get(name, float("inf")), float(row["ratio"]))
    ratios = sorted(((ratio, name) for name, ratio in best.items()), reverse=True)
    first, *middle, last = (f"{format_number(ratio)} on {name}" for ratio, name in ratios)
    first = first.replace(" on", " times as long on")
    text = " ".join((ROOT / "docs" / "library.md").read_text(encoding="utf-8").split())
    assert f"The best form takes {first}, {', '.join(middle)} and {last}," in text
    assert ratios[-1][1] == "spambase", "of which the sentence goes on"


if __name__ == "__main__":
    for table in TABLES:
        print(make_table(table))
