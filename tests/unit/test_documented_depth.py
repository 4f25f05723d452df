"""The tables and sentences of docs/depth.md are those of its CSV files."""

import re
import shlex
import sys

import depth_times
import documented_depth
import documented_sizes
import pytest
from documented_depth import MODELS, ROOT, SENTENCES, TABLES, make_table, read_rows


def read_page(name):
    return " ".join((ROOT / f"docs/{name}.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_docs_is_that_of_its_file(name):
    assert make_table(name) in (ROOT / "docs/depth.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "describe"), SENTENCES)
def test_a_sentence_of_the_docs_is_that_of_its_file(name, describe):
    assert describe(read_rows(name)) in read_page("depth")


@pytest.mark.parametrize("describe", documented_sizes.SENTENCES)
def test_a_sentence_on_the_size_of_data(describe):
    assert describe() in read_page("faq")


def test_the_sentences_on_lists():
    rows, text = read_rows("depth_of_lists"), read_page("depth")
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


def test_the_fits_are_certified_and_take_as_many_models():
    rows, push_rows = (read_rows(name) for name in ("depth_times", "depth_push_times"))
    assert max(float(row["relative_gap"]) for row in rows + push_rows) <= 1e-8
    assert documented_depth.describe_steps(rows) in read_page("development")


def test_the_printed_commands_measure_lists(monkeypatch, capsys):
    page = (ROOT / "docs/depth.md").read_text(encoding="utf-8")
    commands = re.findall(r"^python tests/(depth_times\.py .+)$", page, re.MULTILINE)
    kinds = []
    monkeypatch.setattr(
        depth_times,
        "measure_list",
        lambda file, options, penalty: kinds.append((penalty, options.peer)) or [],
    )
    for command in commands:
        monkeypatch.setattr(sys, "argv", shlex.split(command.replace("$LISTS", "a/arrays.npz")))
        depth_times.main()
    assert set(kinds) == {(None, True), ("l1", True), ("l2", True)} and len(commands) == 3


def test_where_the_smallest_depth_says_so_w_is_zero():
    smallest = {row["list"]: float(row["smallest_depth"]) for row in read_rows("depth_of_lists")}
    n_marked = 0
    for row in read_rows("depth_times") + read_rows("depth_push_times"):
        if row["depth"] in ("0.01", "0.1", "0.5") and row["list"] in smallest:
            is_below = float(row["depth"]) <= smallest[row["list"]]
            assert documented_depth.is_zero(row) == is_below, row
            n_marked += is_below
    assert n_marked > 0


@pytest.mark.parametrize(
    ("cells", "ratio"),
    [
        ({"peer_seconds": "3", "peer_objective": "1"}, (1.5, False)),
        ({"peer_seconds": "3", "peer_objective": "nan"}, (1.5, True)),
        ({"peer_seconds": "", "peer_objective": ""}, None),
        (
            {
                **{"clarabel_seconds": "100", "clarabel_objective": "nan"},
                **{"piqp_seconds": "6", "piqp_objective": "1"},
            },
            (3.0, False),
        ),
        (
            {
                **{"clarabel_seconds": "5", "clarabel_objective": "1"},
                **{"piqp_seconds": "6", "piqp_objective": "1"},
            },
            (2.5, False),
        ),
    ],
)
def test_the_faster_of_two_peers_counts(cells, ratio):
    row = {"list": "a", "depth": "1", "seconds": "2", "objective": "0.5"} | cells
    assert documented_depth.compare_with_peers(row) == ratio
    if len(cells) == 4:
        assert documented_depth.name_peers([row]) == "the faster of Clarabel and PIQP"


def test_a_file_with_whole_fits_gives_a_sentence_on_them():
    rows = [
        {"seconds": "2", "fit_seconds": fit, "memory_ratio": memory}
        for fit, memory in (("3", "1.5"), ("4", "12.2"), ("2", "0.5"))
    ]
    words = (
        "1.5 times as long as the solver alone in the median and 2.0 times at most; the solver allocates at"
    )
    assert f"{words} most 12 times the memory of the data." in documented_depth.describe_fits(rows)
