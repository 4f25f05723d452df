"""What docs/library.md says of wide data is what docs/wide_times.csv and docs/push_times.csv have.

As a script: prints the table of the former.
"""

import csv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("wide_times", "push_times")


def format_number(text):
    """A number with two significant digits, without an exponent."""
    value = float(f"{float(text):.2g}")
    return f"{value:g}".replace("0.", ".", 1) if value < 1 else f"{value:g}"


def format_span(texts):
    """The least and the largest of some numbers."""
    values = sorted(map(float, texts))
    return f"{format_number(values[0])} to {format_number(values[-1])}"


def read_rows(name="wide_times"):
    with (ROOT / "docs" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_text():
    return " ".join((ROOT / "docs" / "library.md").read_text(encoding="utf-8").split())


def make_table(rows):
    """The table as text: both depths of a model, or all its values of C, in a row."""
    lines = [
        "| data | model | auto | fixed | logistic regression | times as long | to a gap of 1e-8 "
        "| times as long | memory, sizes of X |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for key in dict.fromkeys((row["data"], row["model"]) for row in rows):
        chosen_rows = [row for row in rows if (row["data"], row["model"]) == key]
        columns = (
            *("auto_seconds", "seconds", "peer_seconds", "ratio", "accurate_peer_seconds"),
            *("accurate_ratio", "memory_ratio"),
        )
        values = [
            list(dict.fromkeys(format_number(row[column]) for row in chosen_rows)) for column in columns
        ]
        lines.append(f"| {' | '.join([*key, *(' and '.join(cells) for cells in values)])} |")
    return "\n".join(lines) + "\n"


def test_the_docs_have_the_table_of_the_file():
    assert make_table(read_rows()) in (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


def test_the_sentences_on_wide_data():
    rows, text = read_rows(), read_text()
    assert {row["status"] for row in rows} == {"certified"}
    assert max(float(row["relative_gap"]) for row in rows) <= 1e-8
    spans = {}
    for name in ("fingerprints", "texts"):
        chosen_rows = [row for row in rows if row["data"].startswith(name)]
        for column in ("ratio", "accurate_ratio"):
            spans[name, column] = format_span(row[column] for row in chosen_rows)
    assert (
        f"At a fixed alpha or C, fits to fingerprints take {spans['fingerprints', 'ratio']} times as long as "
        f"logistic regression at its default `tol`, and {spans['fingerprints', 'accurate_ratio']} times as "
        f"long as to the same gap; those to texts take {spans['texts', 'ratio']} and "
        f"{spans['texts', 'accurate_ratio']} times as long."
    ) in text
    gap = max(float(row["peer_gap"]) for row in rows)
    assert f"that default ends up to {100 * gap:.0f} % above the optimum" in text


def test_the_sentences_on_the_l1_norm():
    rows, text = read_rows("push_times"), read_text()
    rows = [row for row in rows if row["kind"] == "fit"]
    assert max(float(row["relative_gap"]) for row in rows) <= 1e-8
    spans = [
        format_span(row[column] for row in rows if row["data"].startswith(name))
        for name in ("fingerprints", "texts")
        for column in ("ratio", "accurate_ratio")
    ]
    assert (
        "Fits to fingerprints take {} times as long as liblinear at its default `tol`, and {} times as long "
        "as to the same gap; fits to texts take {} and {} times as long:"
    ).format(*spans) in text


def test_the_sentence_on_all_wide_data():
    rows = [row for name in FILES for row in read_rows(name) if row["ratio"]]
    assert {row["data"] for row in rows if float(row["ratio"]) < 1.0} == {"dense"}
    spans = [
        format_span(row[column] for row in rows if row["data"] != "dense")
        for column in ("ratio", "accurate_ratio")
    ]
    words = (
        "Logistic regression is another problem: on the wide data above but the dense our fits take {} times "
        "as long as with its default `tol`, and {} times as long as to the same gap;"
    )
    assert words.format(*spans) in read_text()


if __name__ == "__main__":
    print(make_table(read_rows()))
