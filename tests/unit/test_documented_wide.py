"""The table of wide data in docs/library.md is that of docs/wide_times.csv. As a script: prints it."""

import csv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def format_number(text):
    """A number with two significant digits, without an exponent."""
    value = float(f"{float(text):.2g}")
    return f"{value:g}".replace("0.", ".", 1) if value < 1 else f"{value:g}"


def read_rows():
    with (ROOT / "docs" / "wide_times.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def make_table(rows):
    """The table as text: both depths of a model, or all its values of C, in a row."""
    lines = [
        "| data | model | auto | fixed | logistic regression | times as long | memory, sizes of X |",
        "|---|---|---|---|---|---|---|",
    ]
    for key in dict.fromkeys((row["data"], row["model"]) for row in rows):
        chosen_rows = [row for row in rows if (row["data"], row["model"]) == key]
        columns = ("auto_seconds", "seconds", "peer_seconds", "ratio", "memory_ratio")
        values = [
            list(dict.fromkeys(format_number(row[column]) for row in chosen_rows)) for column in columns
        ]
        lines.append(f"| {' | '.join([*key, *(' and '.join(cells) for cells in values)])} |")
    return "\n".join(lines) + "\n"


def test_the_docs_have_the_table_of_the_file():
    assert make_table(read_rows()) in (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


def test_the_sentences_on_wide_data():
    rows, text = read_rows(), " ".join((ROOT / "docs" / "library.md").read_text(encoding="utf-8").split())
    assert {row["status"] for row in rows} == {"certified"}
    assert max(float(row["relative_gap"]) for row in rows) <= 1e-8
    for name, is_text in (("fingerprints", False), ("texts", True)):
        ratios = [float(row["ratio"]) for row in rows if (row["data"] == "texts") == is_text]
        assert f"{name} take {min(ratios):.1f} to {max(ratios):.0f} times as long" in text
    with (ROOT / "docs" / "push_times.csv").open(encoding="utf-8") as file:
        push_ratios = [(row["data"], float(row["ratio"])) for row in csv.DictReader(file) if row["ratio"]]
    assert {name for name, ratio in push_ratios if ratio < 1.0} == {"dense"}
    ratios = [float(row["ratio"]) for row in rows] + [ratio for name, ratio in push_ratios if name != "dense"]
    words = f"it is {min(ratios):.1f} to {max(ratios):.0f} times as fast on the wide data above but the dense"
    assert words in text


if __name__ == "__main__":
    print(make_table(read_rows()))
