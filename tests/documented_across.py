"""Tables of docs/which_method.md, from the snapshot: ``python tests/documented_across.py`` prints them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from reproduction.specs.labels import method_label

FOLDER = Path(__file__).resolve().parents[1] / "reports/snapshot/across"
SITUATIONS = (
    *("any list", "100 positives or more to learn from", "fewer than 50 positives to learn from"),
    *("many variables: one for ten rows, or more", "lists of other features than fingerprints"),
    *("compounds (MUV and DUD), by their fingerprints", "must be sparse: at most half of the variables"),
    *("must be fast: a search within ten times logistic regression's", "queries"),
)
DECISION_METRICS = ("rate_at_top", "precision_at_10", "average_precision")
METRIC_NAMES = {
    "rate_at_top": "rate at the top",
    "precision_at_10": "precision at 10",
    "precision_at_percent": "precision in the first 1 %",
    "average_precision": "average precision",
    "ndcg10": "NDCG@10",
    "auc": "AUC",
    "recall_at_fpr": "recall at 1 % FPR",
    "enrichment_at_percent": "enrichment in the first 1 %",
    "bedroc": "BEDROC(20)",
    "letor_map": "LETOR's MAP",
    "letor_ndcg10": "LETOR's NDCG@10",
}
"""Metric -> its one name on the pages."""
COMPOUND_METHODS = ("logistic_regression", "l2_ranksvm", "toppush_exact", "toppush_depth")
COMPOUND_METHODS += ("random_forest", "nearest_active")


def read(name: str, folder: Path = FOLDER) -> pd.DataFrame:
    """Read a table of the study, in which these words are no numbers."""
    return pd.read_csv(folder / f"{name}.csv", na_values=["not defined", "none"])


def decimal(number: float, digits: int = 2) -> str:
    """Write a number without a zero before the point, with a minus sign of its own; a dash for no number."""
    if number != number:
        return "–"
    text = f"{abs(number):.{digits}f}"
    sign = "−" if number < 0 and float(text) else ""
    return sign + (text.removeprefix("0") if digits else text)


def probability(number: float) -> str:
    """Write a probability; one that would be rounded to 0 or 1 as a bound."""
    return {".00": "< .005", "1.00": "> .995"}.get(decimal(number), decimal(number))


def word_probability(number: float) -> str:
    """Write a probability with the word before it: of .98, above .995, below .005."""
    text = probability(number)
    return {"<": "below ", ">": "above "}.get(text[0], "of ") + text.lstrip("<> ")


def format_table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def format_decisions(folder: Path = FOLDER) -> str:
    """Write the recommended method of some situations, with its runner-up and the probabilities."""
    table = read("decisions", folder).set_index(["situation", "metric"])
    heading = [
        "where",
        "by",
        "lists",
        "recommended",
        "runner-up",
        "better, the same",
        "logistic regression",
    ]
    rows = []
    for situation in SITUATIONS:
        for metric in (*DECISION_METRICS, "bedroc")[: 4 if situation.startswith("compounds") else 3]:
            row = table.loc[situation, metric]
            has_test = row["recommended"] == row["method"]
            best = f"{method_label(row['method'])}, {decimal(row['mean'])}"
            runner_up, chances = "the only one", ("–",)
            if row["runner_up"] == row["runner_up"]:
                runner_up = f"{method_label(row['runner_up'])}, {decimal(row['runner_up_mean'])}"
                chances = probability(row["p_better_runner_up"]), probability(row["p_same_runner_up"])
            rival = f"{decimal(row['rival_mean'])}; {probability(row['p_better'])}, "
            rival += probability(row["p_same"])
            where = situation if metric == DECISION_METRICS[0] else ""
            rows.append(
                [
                    *(where, METRIC_NAMES[metric]),
                    str(int(row["n_sets"])),
                    *(f"**{best}**" if has_test else best, runner_up),
                    ", ".join(chances) if has_test else "not enough data",
                    "the best itself"
                    if row["rival"] != row["rival"]
                    else rival
                    if has_test
                    else rival.split(";")[0],
                ]
            )
    return format_table(heading, rows)


def format_gains(folder: Path = FOLDER) -> str:
    """Write the smallest depth that can work on each list, the depth chosen, and what it adds."""
    heading = [
        "list",
        "positives",
        "K\\*",
        "depth chosen",
        "average precision: over depth 1",
        "over logistic",
    ]
    heading += ["rate at the top: over depth 1", "over logistic"]
    columns = [
        f"{rival}_{name}"
        for name in ("average_precision", "rate_at_top")
        for rival in ("depth_1", "logistic")
    ]
    rows = []
    for row in read("depth_gains", folder).to_dict("records"):
        shares = (row["positives_share"], row["smallest_depth_share"], row["depth_share"])
        cells = [_format_share(share) for share in shares[:2]]
        cells.append(f"{100 * shares[2]:.0f} %" if shares[2] < 1 else "1 negative")
        rows.append([row["dataset"], *cells, *(_mark_gain(row, name) for name in columns)])
    return format_table(heading, rows)


def _format_share(share: float) -> str:
    """Write a share in percent; 0 is no small share."""
    if share != share:
        return "–"
    return f"{100 * share:.1f} %" if share else "0"


def _mark_gain(row: dict, name: str) -> str:
    """Write a gain, in bold where its 95 % interval excludes 0."""
    text = decimal(row[name], 3)
    is_clear = row[f"{name}_low"] > 0 or row[f"{name}_high"] < 0
    return f"**{text}**" if is_clear else text


def format_compounds(folder: Path = FOLDER) -> str:
    """Write BEDROC and enrichment on the compounds."""
    families = read("facts", folder).set_index("dataset")["family"]
    targets = families.index[families.isin(["muv", "dud"])]
    table = read("results", folder).set_index(["dataset", "method"])
    heading = ["target", *map(method_label, COMPOUND_METHODS)]
    rows = []
    for target in targets:
        cells = (table.loc[target, method] for method in COMPOUND_METHODS)
        rows.append(
            [
                target,
                *(
                    f"{decimal(row['bedroc_mean'])}, {decimal(row['enrichment_at_percent_mean'], 0)}"
                    for row in cells
                ),
            ]
        )
    return format_table(heading, rows)


def format_scaffolds(folder: Path = FOLDER) -> str:
    """Write means over the compounds, of random splits and of splits that keep the scaffolds whole."""
    scaffolds = read("results", folder.parent / "across_scaffolds")
    targets = set(scaffolds["dataset"])
    random_splits = read("results", folder).query("dataset in @names", local_dict={"names": targets})
    means = [table.groupby("method").mean(numeric_only=True) for table in (random_splits, scaffolds)]
    columns = [f"{name}_mean" for name in ("rate_at_top", "average_precision", "bedroc")]
    heading = ["method", "rate at the top: random", "scaffolds", "average precision: random", "scaffolds"]
    rows = [
        [method_label(method), *(decimal(table.loc[method, name]) for name in columns for table in means)]
        for method in COMPOUND_METHODS
    ]
    return format_table([*heading, "BEDROC: random", "scaffolds"], rows)


if __name__ == "__main__":
    chosen_folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    print(
        format_decisions(chosen_folder),
        format_gains(chosen_folder),
        format_compounds(chosen_folder),
        format_scaffolds(chosen_folder),
        sep="\n\n",
    )
