"""The tables of docs/depth.md are those of its CSV files. As a script: prints them."""

import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("logistic", "depth 1", "depth searched")


def format_share(text):
    """A number between 0 and 1 as the docs write it."""
    return "–" if text in ("", "nan") else f"{float(text):.2f}".replace("0.", ".", 1)


def make_table_of_lists(rows):
    """Yield the rows of the table of lists: K*, and three metrics of three models."""
    yield (
        "| list | positives of rows | K\\* | average precision: logistic, depth 1, searched "
        "| precision at 10 | recall at 1 % FPR |"
    )
    yield "|---|---|---|---|---|---|"
    for name in dict.fromkeys(row["list"] for row in rows if row["model"] != "-"):
        models = {row["model"]: row for row in rows if row["list"] == name}
        first = models["logistic"]
        cells = [
            ", ".join(format_share(models[model][metric]) for model in MODELS)
            for metric in ("ap", "p10", "r01")
        ]
        total = int(first["positives"]) + int(first["negatives"])
        smallest = "0" if first["smallest_depth"] == "0" else f"{100 * float(first['smallest_depth']):.1f} %"
        yield f"| {name} | {first['positives']} of {total} | {smallest} | {' | '.join(cells)} |"


def make_table_of_times(rows):
    """Yield the rows of the table of times: seconds and ratio at each depth, for two values of alpha."""
    yield "| list | rows | K = 1 | 10 | 1 % | 10 % | 50 % |"
    yield "|---|---|---|---|---|---|---|"
    for name in dict.fromkeys(row["list"] for row in rows):
        cells = []
        for depth in ("1", "10", "0.01", "0.1", "0.5"):
            chosen = [row for row in rows if (row["list"], row["depth"]) == (name, depth)]
            seconds = ", ".join(f"{float(row['seconds']):.2f}" for row in chosen)
            ratios = ", ".join(f"{float(row['ratio']):.0f}" for row in chosen)
            cells.append(seconds if depth == "1" else f"{seconds} ({ratios})")
        size = next(row["rows"] for row in rows if row["list"] == name)
        yield f"| {name} | {size} | {' | '.join(cells)} |"


def make_table_of_push_times(rows):
    """Yield the rows of the table of the infinite push: seconds, and the ratio of Clarabel's to them."""
    yield "| list | rows | penalty | alpha | K = 1 | 10 | 1 % | 10 % | 50 % |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for key in dict.fromkeys((row["list"], row["rows"], row["penalty"], row["alpha"]) for row in rows):
        cells = []
        for depth in ("1", "10", "0.01", "0.1", "0.5"):
            names = ("list", "rows", "penalty", "alpha", "depth")
            (row,) = (row for row in rows if tuple(row[name] for name in names) == (*key, depth))
            cell = f"{float(row['seconds']):.2f}"
            if row["peer_seconds"]:
                bound = "more than " if row["peer_objective"] == "nan" else ""
                cell += f" ({bound}{float(row['peer_seconds']) / float(row['seconds']):.1f})"
            cells.append(cell)
        yield f"| {' | '.join((*key, *cells))} |"


TABLES = {
    "depth_of_lists": make_table_of_lists,
    "depth_times": make_table_of_times,
    "depth_push_times": make_table_of_push_times,
}


def make_table(name):
    """The table of a file of docs as text."""
    with (ROOT / "docs" / f"{name}.csv").open(encoding="utf-8") as file:
        return "\n".join(TABLES[name](list(csv.DictReader(file)))) + "\n"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_docs_is_that_of_its_file(name):
    assert make_table(name) in (ROOT / "docs/depth.md").read_text(encoding="utf-8")


def test_the_sentences_on_lists():
    with (ROOT / "docs/depth_of_lists.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    text = " ".join((ROOT / "docs/depth.md").read_text(encoding="utf-8").split())
    smallest = {row["list"]: float(row["smallest_depth"]) for row in rows if row["model"] == "-"}
    shares = [f"{100 * smallest[name]:.1f} % on `{name}`" for name in ("a9a", "ijcnn1", "cod-rna")]
    assert smallest["w8a"] == 0.0 and f"it is {', '.join(shares)} and 0 on `w8a`." in text
    for metric, words in (("ap", "in average precision"), ("r01", "in recall at 1 % FPR")):
        values = {model: {} for model in MODELS}
        for row in rows:
            if row["model"] in values:
                values[row["model"]][row["list"]] = float(row[metric])
        gains = [value - values["logistic"][name] for name, value in values["depth searched"].items()]
        n_ahead, n_behind = sum(gain > 0.005 for gain in gains), sum(gain < -0.005 for gain in gains)
        assert f"ahead by more than .005 on {n_ahead} and behind on {n_behind} {words}" in text


def test_the_sentences_on_times():
    with (ROOT / "docs/depth_times.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert max(float(row["relative_gap"]) for row in rows) <= 1e-8
    text = " ".join((ROOT / "docs/depth.md").read_text(encoding="utf-8").split())
    deeper, first = (
        [
            float(row["peer_seconds"]) / float(row["seconds"])
            for row in rows
            if row["peer_seconds"] and (row["depth"] == "1") == is_first
        ]
        for is_first in (False, True)
    )
    assert f"takes {min(deeper):.1f} to {max(deeper):.1f} times as long" in text
    assert f"{min(first):.0f} times at depth 1" in text
    counts = [int(row["iterations"]) for row in rows if row["depth"] != "1"]
    assert f"here {min(counts)} to {max(counts)} step models end" in text


def test_the_sentences_on_the_push():
    with (ROOT / "docs/depth_push_times.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert max(float(row["relative_gap"]) for row in rows) <= 1e-8
    ratios = [
        float(row["peer_seconds"]) / float(row["seconds"])
        for row in rows
        if row["peer_seconds"] and row["depth"] != "1"
    ]
    text = " ".join((ROOT / "docs/depth.md").read_text(encoding="utf-8").split())
    assert f"({min(ratios):.1f} to {max(ratios):.0f} times above depth 1)" in text


if __name__ == "__main__":
    for table in TABLES:
        print(make_table(table))
