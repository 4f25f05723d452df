"""Every printed number beside ours, with a verdict and a reason that is measured.

The reasons are small functions of the facts of one number, asked in order; each says one sentence, or nothing
where it does not apply. What a reason says is read from the rows of the study's table: how far the iterate is
from the certified optimum, how many splits stopped at the cap on iterations, how many rows of the printed
data there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pandas as pd

from reproduction.printed import cell_number, cell_text
from reproduction.results import read_text
from reproduction.tables import NOT_OBTAINED, NOT_RUN

COLUMNS = (
    "study",
    "artefact",
    "dataset",
    "features",
    "method",
    "quantity",
    "published",
    "published_std",
    "ours_mean",
    "ours_std",
    "verdict",
    "reason",
    "shown_in",
)
AGREES, IN_ORDER, DIFFERS = "agrees", "agrees in order", "differs"
VERDICTS = (AGREES, IN_ORDER, DIFFERS, NOT_OBTAINED)
WITHOUT_SPREAD = ("count", "relation", "decrease", "claim", "mark", "best_method", "p_value")
"""How a quantity ends that is one number of a data set and no mean over splits."""

TOLERANCE = 0.02
"""Where no standard deviation is printed, this absolute distance counts as agreement (protocols)."""

UNCONVERGED = 1e-3
"""Relative excess over the certified optimum from which an iterate is called unconverged."""

PERTURBED = ("a2dm2", "a2dm2_restart")
"""Methods that minimise the perturbed objective (13) of K15: even when they converge, it is not to the
optimum of (11)."""


@dataclass(frozen=True)
class Facts:
    """What the reasons may look at for one printed number.

    Attributes
    ----------
    row : pandas.Series
        The row of table 1.
    quantity : str
        A key of `REASONS`.
    other : pandas.Series or None
        The row of the same data set and method with the features as distributed, where this row's are
        standardised.
    reading : pandas.Series or None
        The row of the same rows and method with the other class as the positive one, where there is one.
    ranked : int
        How many methods of the data set are printed: two are easily in the same order.
    """

    row: pd.Series
    quantity: str
    other: pd.Series | None
    reading: pd.Series | None
    ranked: int

    @property
    def printed(self) -> float:
        """Printed mean."""
        return self.row[f"printed_{self.quantity}_mean"]

    @property
    def printed_std(self) -> float:
        """Printed standard deviation."""
        return self.row[f"printed_{self.quantity}_std"]

    @property
    def ours(self) -> float:
        """Our mean."""
        return self.row[f"{self.quantity}_mean"]

    @property
    def ours_std(self) -> float:
        """Our standard deviation over the splits."""
        return self.row[f"{self.quantity}_std"]

    @property
    def splits(self) -> int:
        """Number of splits that gave a number."""
        return int(self.row["splits_used"])


def within(ours: float, printed: float, printed_std: float) -> bool:
    """Whether ours lies within one printed standard deviation (or `TOLERANCE` where none is printed)."""
    return abs(ours - printed) <= (TOLERANCE if math.isnan(printed_std) else printed_std)


def other_data(facts: Facts) -> str:
    """Say how the rows or the features differ from those of the paper."""
    row, said = facts.row, []
    if row["substitute_for"] == row["printed_dataset"]:
        said.append(f"declared substitute for {row['printed_dataset']}")
    if row["data_rows"] != row["printed_rows"] and not math.isnan(row["data_rows"]):
        said.append(f"{row['data_rows']:.0f} of {row['printed_rows']:.0f} rows")
    if row["data_features"] != row["printed_features"] and not math.isnan(row["data_features"]):
        said.append(f"{row['data_features']:.0f} features where {row['printed_features']:.0f} are printed")
    return f"other data: {', '.join(said)}" if said else ""


def constant_scorer(facts: Facts) -> str:
    """Say on how many splits all weights are zero."""
    count = facts.row["constant_share"] * facts.splits
    if not count > 0:
        return ""
    return f"all weights are 0 on {count:.0f} of {facts.splits} splits, and a constant scorer scores 0"


def zero_is_optimal(facts: Facts) -> str:
    """Say on how many splits the exact optimum is w = 0: the number is that of an iterate on its way."""
    splits = facts.row["splits"]
    count = facts.row["zero_optimal_share"] * splits
    if not count > 0:
        return ""
    return (
        f"w = 0 is the exact optimum at every alpha on {count:.0f} of {splits:.0f} splits: "
        "what is measured there is where an iterate stopped"
    )


def unconverged(facts: Facts) -> str:
    """Say how far above the certified optimum the iterates are, and how they stopped."""
    row = facts.row
    if not row["excess_median"] > UNCONVERGED:
        return ""
    excess = f"median excess {percent(row['excess_median'])} over the certified optimum"
    stops = dict(part.split(": ") for part in row["statuses"].split(", "))
    capped = int(stops.get("max_iterations", 0))
    if row["method"] in PERTURBED and not capped:
        return (
            f"optimum of the perturbed objective (13): {excess} of (11), every split met the published stop"
        )
    return (
        f"unconverged iterate: {excess}, {capped} of {row['splits']:.0f} splits stopped at the cap on "
        "iterations, the others by the published stop"
    )


def other_features(facts: Facts) -> str:
    """Say, of standardised features, that the paper names no scaling, and what the raw ones give."""
    if facts.other is None:
        return ""
    raw = facts.other[f"{facts.quantity}_mean"]
    if math.isnan(raw):
        return ""
    nearer = "nearer" if abs(raw - facts.printed) < abs(facts.ours - facts.printed) else "no nearer"
    return (
        f"standardised features, where the paper names no scaling: as distributed we measure {raw:.3g}, "
        f"{nearer} to the printed {facts.printed:.3g}"
    )


def other_splits(facts: Facts) -> str:
    """Say that the distance is at most two standard deviations over random splits."""
    spread = math.hypot(facts.printed_std, facts.ours_std)
    distance = abs(facts.ours - facts.printed)
    if not distance <= 2 * spread:
        return ""
    return (
        f"other random splits: the distance is {distance / spread:.2g} standard deviations over splits, "
        "theirs and ours combined"
    )


def wide_spread(facts: Facts) -> str:
    """Say that the printed spread is as large as the printed mean, so that to lie within it says little."""
    if not facts.printed_std >= facts.printed:
        return ""
    return f"the printed spread exceeds the printed mean ({facts.printed:.3g}), so that agreement says little"


def other_machine(facts: Facts) -> str:
    """Say that seconds are of another machine and other code, with their ratio and the iterations."""
    return (
        f"other machine and other code: {facts.ours / facts.printed:.2g} times the printed time, "
        f"at a median of {facts.row['n_iter_median']:.0f} iterations"
    )


def positive_class(facts: Facts) -> str:
    """Say what the other reading of the labels gives, where the paper names no positive class."""
    if facts.reading is None:
        return ""
    other = facts.reading[f"{facts.quantity}_mean"]
    if math.isnan(other):
        return ""
    nearer = "nearer" if abs(other - facts.printed) < abs(facts.ours - facts.printed) else "no nearer"
    return (
        f"the paper names no positive class: with the other one ({facts.reading['dataset']}) we measure "
        f"{other:.3g}, {nearer} to the printed {facts.printed:.3g}"
    )


def mean_in_hull(facts: Facts) -> str:
    """Say on how many splits no regularisation moves the infinite push from w = 0."""
    count = facts.row["zero_optimal_share"] * facts.row["splits"]
    if not count > 0 or "push" not in facts.row["method"]:
        return ""
    return f"w = 0 is optimal at every lambda on {count:.0f} of {facts.row['splits']:.0f} splits"


def tied_candidates(facts: Facts) -> str:
    """Say how many candidates the validation part could not tell apart, and how their variables differ."""
    row = facts.row
    if not row["tied_mean"] > 1.0:
        return ""
    fewest, most = row["tied_variables_min"], row["tied_variables_max"]
    among = ""
    if facts.quantity == "variables":
        among = (
            f", {'with' if fewest <= facts.printed <= most else 'without'} the printed {facts.printed:.3g}"
        )
    return (
        f"the validation part cannot tell {row['tied_mean']:.2g} of the lambdas apart (mean over splits), "
        f"which use from {fewest:.3g} to {most:.3g} variables{among}; we take the fewest"
    )


def most_on_the_grid(facts: Facts) -> str:
    """Say, of a printed number of variables above ours, how many the certified optimum ever has."""
    most = facts.row["grid_variables_max"]
    if not facts.printed > facts.ours or math.isnan(most):
        return ""
    limit = facts.row["limit_variables"]
    beyond = "" if math.isnan(limit) else f", and hardly regularised, at a lambda below the grid, {limit:.3g}"
    return (
        f"over the whole grid of lambda the certified optimum has at most {most:.3g} non-zero weights"
        f"{beyond}, where {facts.printed:.3g} are printed"
    )


REASONS: dict[str, tuple[Callable[[Facts], str], ...]] = {
    "pos_at_top": (other_data, constant_scorer, zero_is_optimal, unconverged, other_features, other_splits),
    "seconds": (other_data, other_machine),
    "rate_at_top": (other_data, positive_class, constant_scorer, mean_in_hull, tied_candidates, other_splits),
    "variables": (other_data, positive_class, tied_candidates, most_on_the_grid, other_splits),
}
"""The quantities that are compared, and what is asked of a number that differs, in this order; all that apply
are said."""

NO_CAUSE = (
    "no cause among those that we measure (data, features, distance to the certified optimum, spread over "
    "splits); what the paper does not print (splits, seeds, code) remains"
)

CAVEATS: dict[str, tuple[Callable[[Facts], str], ...]] = {
    "pos_at_top": (wide_spread, other_data, constant_scorer, zero_is_optimal),
    "seconds": (wide_spread, other_data),
    "rate_at_top": (wide_spread, other_data, positive_class, mean_in_hull),
    "variables": (other_data, positive_class),
}
"""What is said even of a number that agrees."""


def reason(facts: Facts, verdict: str) -> str:
    """Give the reason of a verdict; never blank."""
    row = facts.row
    if verdict == NOT_OBTAINED:
        if row["data_status"] in (NOT_OBTAINED, NOT_RUN):
            return row["reason"]
        return f"no split gave a number: of {row['splits']:.0f} fits {row['statuses']}"
    if verdict == AGREES:
        distance = abs(facts.ours - facts.printed)
        allowed = f"{facts.printed_std:.3g}, one printed standard deviation"
        if math.isnan(facts.printed_std):
            allowed = f"{TOLERANCE} (no standard deviation is printed)"
        first = f"the distance {distance:.3g} is within {allowed}"
        return "; but ".join([first, *those_that_apply(CAVEATS[facts.quantity], facts)])
    causes = those_that_apply(REASONS[facts.quantity], facts) or [NO_CAUSE]
    return "; ".join(
        [f"same ranking of the {facts.ranked} methods as printed"] * (verdict == IN_ORDER) + causes
    )


def judge(facts: Facts, in_order: bool) -> str:
    """Give the verdict on one number; `in_order`: ours ranks the methods of the data set as printed."""
    if math.isnan(facts.ours):
        return NOT_OBTAINED
    if within(facts.ours, facts.printed, facts.printed_std):
        return AGREES
    return IN_ORDER if in_order else DIFFERS


def compare(table: pd.DataFrame, artefact: str = "table1") -> pd.DataFrame:
    """Set every printed number beside ours.

    Parameters
    ----------
    table : pandas.DataFrame
        A table of a study, read back from its file.
    artefact : str
        Name of the printed table.

    Returns
    -------
    pandas.DataFrame
        The columns of `COLUMNS`: one row for each printed number and feature block.
    """
    raw = table[table["features"] == "raw"].set_index(["dataset", "method"])
    rows = []
    for (dataset, features), block in table.groupby(["dataset", "features"], sort=False):
        for quantity in quantities(table):
            in_order = same_ranking(block, quantity)
            printed = block[block[f"printed_{quantity}_mean"].notna()]
            for _, row in printed.iterrows():
                key = (dataset, row["method"])
                other = raw.loc[key] if features != "raw" and key in raw.index else None
                facts = Facts(row, quantity, other, _other_reading(table, row), len(printed))
                verdict = judge(facts, in_order)
                where = f"{row['study']}/{artefact}.csv: {dataset}, {features}, {row['method']}"
                numbers = (facts.printed, facts.printed_std, facts.ours, facts.ours_std)
                names = (row["study"], artefact, dataset, features, row["method"], quantity)
                rows.append((*names, *numbers, verdict, reason(facts, verdict), where))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def quantities(table: pd.DataFrame) -> list[str]:
    """List the quantities of a table that may be printed."""
    return [name for name in REASONS if f"printed_{name}_mean" in table]


def _other_reading(table: pd.DataFrame, row: pd.Series) -> pd.Series | None:
    """Find the row of the same method on the same rows with the other class as the positive one."""
    if "reading_of" not in table:
        return None
    same = (table["method"] == row["method"]) & (table["features"] == row["features"])
    mirrored = (table["reading_of"] == row["dataset"]) | (table["dataset"] == row["reading_of"])
    found = table[same & mirrored]
    return None if found.empty else found.iloc[0]


def same_ranking(block: pd.DataFrame, quantity: str) -> bool:
    """Whether ours ranks all printed methods of a data set as printed; a tie of ours is no ranking."""
    both = block[[f"printed_{quantity}_mean", f"{quantity}_mean"]]
    both = both[both[f"printed_{quantity}_mean"].notna()]
    if len(both) < 2 or both.isna().any(axis=None) or both[f"{quantity}_mean"].duplicated().any():
        return False
    ranks = both.rank().to_numpy()
    return bool((ranks[:, 0] == ranks[:, 1]).all())


def to_csv(comparison: pd.DataFrame, path: str) -> None:
    """Write the comparison; no cell is blank, and what is printed in words is a word."""
    text = comparison.copy()
    text["published"] = list(map(cell_text, comparison["quantity"], comparison["published"]))
    text["ours_mean"] = [
        NOT_OBTAINED if math.isnan(value) else cell_text(quantity, value)
        for quantity, value in zip(comparison["quantity"], comparison["ours_mean"], strict=True)
    ]
    for column, word in (("published_std", "not printed"), ("ours_std", NOT_OBTAINED)):
        text[column] = [word if math.isnan(value) else f"{value:.10g}" for value in comparison[column]]
    one_split = comparison["ours_mean"].notna() & comparison["ours_std"].isna()
    text.loc[one_split, "ours_std"] = "one split"
    text.loc[one_split & comparison["quantity"].str.endswith(WITHOUT_SPREAD), "ours_std"] = "none"
    text.to_csv(path, index=False, lineterminator="\n")


def read_comparison(path: str) -> pd.DataFrame:
    """Read back what `to_csv` wrote; words in columns of numbers become NaN, those of `WORDS` a number."""
    table = read_text(path, COLUMNS)
    for column in ("published", "published_std", "ours_mean", "ours_std"):
        table[column] = table[column].map(cell_number).astype(float)
    return table


def percent(share: float) -> str:
    """Write a share as per cent, with two significant digits below 10 and without decimals above."""
    return f"{100 * share:.2g} %" if 100 * share < 9.95 else f"{100 * share:.0f} %"


def those_that_apply(functions: Iterable[Callable], facts) -> list[str]:
    """Ask the functions in their order and keep what those that apply say."""
    return [words for function in functions if (words := function(facts))]
