"""docs/library.md quotes the benchmark results in reports/snapshot/bench; as a script, prints the lines."""

import csv
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "reports" / "snapshot" / "bench"
#: Problems of the benchmark of TopPush, as the page names them.
TOP_PROBLEMS = {
    "splice": "splice, 1648 × 1527 × 60",
    "spambase": "spambase, raw",
    "breast-cancer": "breast-cancer, 239 × 444 × 10",
    "ionosphere": "ionosphere, 225 × 126 × 34",
    "a9a": "a9a, 11 687 × 37 155 × 123 †",
    "ijcnn1": "ijcnn1, 4853 × 45 137 × 22 †",
}
#: Those whose optimum is w = 0 at every alpha.
ZERO_PROBLEMS = [name for name, words in TOP_PROBLEMS.items() if words.endswith("†")]
PATH, SETS = "l1 RankSVM, path of 10 lambda", ("mq2008", "ohsumed", "mq2007")


def read(name):
    with (BENCH / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def round_ratio(text, digits=2):
    """Write a ratio with one decimal below 10, and else whole, or with two digits from 100 on."""
    value = float(text)
    if value < 10.0:
        return f"{value:.1f}"
    return str(int(float(f"{value:.{digits}g}"))) if value >= 100.0 else f"{value:.0f}"


def format_size(text):
    """Write rows and features with thousands apart from five digits on: 3000 × 20 000."""
    numbers = map(int, text.split(" x "))
    return " × ".join(f"{n:,}".replace(",", " ") if n >= 10_000 else str(n) for n in numbers)


def format_seconds(text):
    """Write seconds with two decimals, without the zero before the point."""
    return f"{float(text):.2f}".removeprefix("0")


def make_top_lines():
    """Return the end of each row of TopPush: PIQP and Clarabel at both alphas, to 1e-8."""
    ratios = {
        (row["problem"], row["against"], row["alpha"]): round_ratio(row["ratio"], 3)
        for row in read("top_push")
        if row["level"] == "1e-08"
    }
    lines = []
    for problem, text in TOP_PROBLEMS.items():
        pairs = [
            " and ".join(ratios[problem, peer, alpha] for alpha in ("0.001", "0.1"))
            for peer in ("PIQP", "Clarabel")
        ]
        lines.append(f"| {text} | PIQP; Clarabel | {'; '.join(pairs)} |")
    return lines


def find_path_ratios(dataset, peers):
    """Return the ratios of a path on one data set; a peer that did not end everywhere has a bound."""
    ratios = {}
    for row in read("ranksvm"):
        if row["subject"] == PATH and row["problem"].startswith(dataset):
            peer = row["against"].removesuffix(", pairs").removeprefix("scikit-learn ")
            bound = "more than " if "lower bound" in row["remark"] else ""
            ratios[peer] = bound + round_ratio(row["ratio"])
    return [ratios[peer] for peer in peers]


def make_pair_lines():
    """Return the ends of the rows of RankSVM."""
    peers = ("cyanure", "skglm", "LinearSVC")
    lines = [f"| {'; '.join(find_path_ratios(dataset, peers))} |" for dataset in SETS]
    fista = [find_path_ratios(dataset, ("FISTA, exact constant, restart",))[0] for dataset in SETS]
    lines.append(f"| FISTA without pairs, exact constant, restart | {'; '.join(fista)} |")
    least = [
        min(
            float(row["ratio"])
            for row in read("ranksvm")
            if row["against"] == "skglm, pairs" and row["subject"] != PATH and row["problem"].startswith(name)
        )
        for name in SETS
    ]
    lines.append(f"| skglm | {'; '.join(map(round_ratio, least))} |")
    return lines


def make_sentences():
    """Return the statements on all comparisons, and on growth."""
    top = [float(row["ratio"]) for row in read("top_push")]
    ranges = {
        peer: [
            float(row["ratio"])
            for row in read("top_push")
            if (row["against"], row["level"]) == (peer, "1e-08") and row["problem"] not in ZERO_PROBLEMS
        ]
        for peer in ("PIQP", "Clarabel")
    }
    piqp, clarabel = (
        f"{round_ratio(min(ratios), 3)} to {round_ratio(max(ratios), 3)}" for ratios in ranges.values()
    )
    pairs = [
        float(row["ratio"]) for row in read("ranksvm") if row["subject"].startswith("l1") and row["ratio"]
    ]
    exponents = {
        (row["estimator"], row["grows"]): f"{float(row['exponent']):.1f}".removeprefix("0")
        for row in read("scaling")
        if row["exponent"]
    }
    rows, features = (
        [exponents[name, size] for name in ("RankSVM", "InfinitePush", "TopPush")]
        for size in ("rows", "features")
    )
    sparse = [
        f"{format_size(row['size'])} takes {format_seconds(row['seconds'])} s "
        f"and {float(row['peak_mb']):.0f} MB"
        for row in read("scaling")
        if row["grows"] == "sparse"
    ]
    return [
        f"where it is not, PIQP takes {piqp} and Clarabel {clarabel} times as long.",
        f"in {len(top)} of TopPush at levels from 1e-2 to 1e-8 (least ratio {min(top):.1f})",
        f"in {len(pairs)} of RankSVM to 1e-6 (least ratio {min(pairs):.1f})",
        f"to the power {rows[0]} (RankSVM), {rows[1]} (infinite push) and {rows[2]} (TopPush)",
        f"of features to {features[0]}, {features[1]} and {features[2]}",
        f"of queries to {exponents['RankSVM', 'queries']} (RankSVM)",
        f"on {sparse[0]}, on {sparse[1]}",
    ]


def test_where_the_optimum_of_toppush_is_zero():
    with (ROOT / "reports/snapshot/kadkhodaie2015/table1.csv").open(encoding="utf-8") as file:
        shares = {
            row["dataset"]: row["zero_optimal_share"]
            for row in csv.DictReader(file)
            if (row["method"], row["feature_scaling"]) == ("toppush", "raw")
        }
    assert [name for name in TOP_PROBLEMS if shares.get(name) == "1"] == ZERO_PROBLEMS


@pytest.mark.parametrize("make", [make_top_lines, make_pair_lines, make_sentences])
def test_the_page_has_the_benchmark_results_of_the_snapshot(make):
    text = " ".join((ROOT / "docs" / "library.md").read_text(encoding="utf-8").split())
    for line in make():
        assert line in text, line


if __name__ == "__main__":
    sys.stdout.write("\n".join([*make_top_lines(), *make_pair_lines(), *make_sentences(), ""]))
