"""Tables and sentences of docs/depth.md, from its CSV files: ``python tests/documented_depth.py``."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
MODELS = ("logistic", "depth 1", "depth searched")
DEPTHS = ("1", "10", "0.01", "0.1", "0.5")
PEER_NAMES = {"peer": "Clarabel", "clarabel": "Clarabel", "piqp": "PIQP"}
ZERO_MARK = "†"
#: w = 0 has the objective 1, which the files state with eight decimals.
ZERO_OBJECTIVE = 1.0 - 5e-9

Row = dict[str, str]
#: A number, and whether it is a lower bound.
Ratio = tuple[float, bool]


def read_rows(name: str) -> list[Row]:
    """Read the rows of a file of docs."""
    with (ROOT / "docs" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def format_share(text: str) -> str:
    """Write a number between 0 and 1 without a zero before the point."""
    return "–" if text in ("", "nan") else f"{float(text):.2f}".replace("0.", ".", 1)


def format_seconds(seconds: float) -> str:
    """Write seconds to the millisecond below a tenth, and with one digit after the point from ten on."""
    return f"{seconds:.{3 if seconds < 0.1 else 2 if seconds < 10.0 else 1}f}".removeprefix("0")


def format_ratio(ratio: Ratio) -> str:
    """Write a ratio with one digit after the point below ten, and else none; "more than" before a bound."""
    number, is_bound = ratio
    text = f"{number:.1f}" if round(number, 1) < 10.0 else f"{number:.0f}"
    return f"more than {text}" if is_bound else text


def format_range(ratios: Sequence[Ratio]) -> str:
    """Write the least and the largest of some ratios."""
    ends = [format_ratio(ratio) for ratio in (min(ratios), max(ratios))]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def is_zero(row: Row) -> bool:
    """Return whether w = 0 is optimal."""
    return float(row["objective"]) >= ZERO_OBJECTIVE


def list_peers(rows: Sequence[Row]) -> list[str]:
    """Name the columns of the other solvers in a file."""
    columns = (name.removesuffix("_objective") for name in rows[0] if name.endswith("_objective"))
    return [name for name in columns if any(row[f"{name}_seconds"] for row in rows)]


def name_peers(rows: Sequence[Row]) -> str:
    """Write the name of the other solver, or of the faster of two."""
    names = [PEER_NAMES[name] for name in list_peers(rows)]
    return names[0] if len(names) == 1 else f"the faster of {' and '.join(names)}"


def compare_with_peers(row: Row) -> Ratio | None:
    """Compute how many times as long the faster of the other solvers takes; a bound if none of them ended."""
    peers = [name.removesuffix("_objective") for name in row if name.endswith("_objective")]
    peers = [name for name in peers if row[f"{name}_seconds"]]
    if not peers:
        return None
    ended = [name for name in peers if row[f"{name}_objective"] != "nan"]
    # a peer that gave up early has no time: the one that went on longest gives the bound
    seconds = [float(row[f"{name}_seconds"]) for name in ended or peers]
    return (min(seconds) if ended else max(seconds)) / float(row["seconds"]), not ended


def make_table_of_lists(rows: Sequence[Row]) -> Iterator[str]:
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


def make_table_of_times(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows of a table of times: seconds at each depth, and the ratio of the faster peer to them."""
    keys = ("list", "rows", *(("penalty",) if "penalty" in rows[0] else ()), "alpha")
    yield f"| {' | '.join(keys)} | K = 1 | 10 | 1 % | 10 % | 50 % |"
    yield f"|{'---|' * (len(keys) + len(DEPTHS))}"
    for key in dict.fromkeys(tuple(row[name] for name in keys) for row in rows):
        cells = []
        for depth in DEPTHS:
            (row,) = (row for row in rows if (*(row[name] for name in keys), row["depth"]) == (*key, depth))
            cell = format_seconds(float(row["seconds"])) + ZERO_MARK * is_zero(row)
            ratio = compare_with_peers(row)
            cells.append(cell if ratio is None else f"{cell} ({format_ratio(ratio)})")
        yield f"| {' | '.join((*key, *cells))} |"


def describe_peers(rows: Sequence[Row]) -> str:
    """Write the range of the ratios to the faster peer, where w = 0 is not optimal and where it is."""
    ratios = [(row["depth"] == "1", is_zero(row), compare_with_peers(row)) for row in rows]

    def select(is_first: bool, is_flat: bool) -> list[Ratio]:
        return [ratio for *kind, ratio in ratios if kind == [is_first, is_flat] and ratio is not None]

    text = (
        f"Where w ≠ 0, {name_peers(rows)} takes {format_range(select(False, False))} times as long above "
        f"depth 1 and {format_range(select(True, False))} times at depth 1"
    )
    flat = select(False, True) + select(True, True)
    text += f"; where w = 0 ({ZERO_MARK}), {format_range(flat)} times" if flat else ""
    names = dict.fromkeys(row["list"] for row in rows)
    compared = [
        f"`{name}`"
        for name in names
        if any(row["list"] == name and compare_with_peers(row) is not None for row in rows)
    ]
    aside = "" if len(compared) == len(names) else f" (compared on {', '.join(compared)})"
    return f"{text}{aside}."


def describe_ratios(rows: Sequence[Row]) -> str:
    """Write what the ratios of a table are."""
    return (
        f"In parentheses: how many times as long {name_peers(rows)} takes, given the same problem in its "
        "smallest form."
    )


def describe_growth(rows: Sequence[Row]) -> str:
    """Write how many times as long a depth above 1 takes as depth 1, where w = 0 is optimal at neither."""
    key = ("list", "alpha")
    first = {tuple(row[name] for name in key): row for row in rows if row["depth"] == "1"}
    ratios = [
        (float(row["seconds"]) / float(of_first["seconds"]), False)
        for row in rows
        if row["depth"] != "1"
        and not is_zero(row)
        and not is_zero(of_first := first[tuple(row[name] for name in key)])
    ]
    return f"Where w ≠ 0, a depth above 1 takes {format_range(ratios)} times as long as depth 1."


def describe_fits(rows: Sequence[Row]) -> str:
    """Write the seconds of whole fits and the memory, where a file has them; else nothing."""
    if not rows[0].get("fit_seconds"):
        return ""
    fits = [float(row["fit_seconds"]) / float(row["seconds"]) for row in rows]
    memory = max(float(row["memory_ratio"]) for row in rows)
    return (
        f"A whole fit, with its checks and warnings, takes {format_ratio((median(fits), False))} times as "
        f"long as the solver alone in the median and {format_ratio((max(fits), False))} times at most; the "
        f"solver allocates at most {format_ratio((memory, False))} times the memory of the data."
    )


def describe_steps(rows: Sequence[Row]) -> str:
    """Write how many step models a fit takes above depth 1."""
    counts = [int(row["iterations"]) for row in rows if row["depth"] != "1"]
    return f"{min(counts)} to {max(counts)} step models end with a gap of at most 1e-8"


TABLES = {
    "depth_of_lists": make_table_of_lists,
    "depth_times": make_table_of_times,
    "depth_push_times": make_table_of_times,
}
SENTENCES = (
    *(
        ("depth_times", describe)
        for describe in (describe_ratios, describe_peers, describe_growth, describe_fits)
    ),
    *(("depth_push_times", describe) for describe in (describe_peers, describe_fits)),
)


def make_table(name: str) -> str:
    """Write the table of a file of docs."""
    return "\n".join(TABLES[name](read_rows(name))) + "\n"


if __name__ == "__main__":
    for table in TABLES:
        print(make_table(table))
    for file_name, sentence in SENTENCES:
        print(sentence(read_rows(file_name)))
    print(describe_steps(read_rows("depth_times")))
