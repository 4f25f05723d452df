"""Every printed number beside ours, with a verdict and a reason that is measured.

The reasons are small functions of the facts of one number, asked in order; each says one sentence, or nothing where it does not
apply. What a reason says is read from the rows of the study's table: how far the iterate is from the certified optimum, how many
splits stopped at the cap on iterations, how many rows of the printed data there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .labels import features_key
from .tables import NOT_OBTAINED, NOT_RUN

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
QUANTITIES = ("pos_at_top", "seconds")
AGREES, IN_ORDER, DIFFERS = "agrees", "agrees in order", "differs"
VERDICTS = (AGREES, IN_ORDER, DIFFERS, NOT_OBTAINED)
TOLERANCE = 0.02
"""Where no standard deviation is printed, this absolute distance counts as agreement (protocols)."""

UNCONVERGED = 1e-3
"""Relative excess over the certified optimum from which an iterate is called unconverged."""

PERTURBED = ("a2dm2", "a2dm2_restart")
"""Methods that minimise the perturbed objective (13) of K15: even when they converge, it is not to the optimum of (11)."""


@dataclass(frozen=True)
class Facts:
    """What the reasons may look at for one printed number.

    Attributes
    ----------
    row : pandas.Series
        The row of table 1.
    quantity : str
        ``pos_at_top`` or ``seconds``.
    other : pandas.Series or None
        The row of the same data set and method with the features as distributed, where this row's are standardised.
    """

    row: pd.Series
    quantity: str
    other: pd.Series | None

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
    """The rows or the features are not those of the paper."""
    row, said = facts.row, []
    if row["substitute_for"] == row["printed_dataset"]:
        said.append(f"declared substitute for {row['printed_dataset']}")
    if row["data_rows"] != row["printed_rows"] and not math.isnan(row["data_rows"]):
        said.append(f"{row['data_rows']:.0f} of {row['printed_rows']:.0f} rows")
    if row["data_features"] != row["printed_features"] and not math.isnan(row["data_features"]):
        said.append(f"{row['data_features']:.0f} features where {row['printed_features']:.0f} are printed")
    return f"other data: {', '.join(said)}" if said else ""


def constant_scorer(facts: Facts) -> str:
    """All weights are zero: a constant scorer has no positive at the top."""
    share = facts.row["constant_share"]
    if not share > 0:
        return ""
    return f"all weights are 0 on {share * facts.splits:.0f} of {facts.splits} splits: a constant scorer has no positive at the top"


def zero_is_optimal(facts: Facts) -> str:
    """The exact optimum is w = 0, so that the number belongs to an iterate on its way there."""
    share = facts.row["zero_optimal_share"]
    if not share > 0:
        return ""
    return (
        f"w = 0 is the exact optimum at every alpha on {share * facts.row['splits']:.0f} of {facts.row['splits']:.0f} splits: "
        "what is measured there is where an iterate stopped"
    )


def unconverged(facts: Facts) -> str:
    """The iterate is measurably above the certified optimum."""
    row = facts.row
    excess = row["excess_median"]
    if not excess > UNCONVERGED:
        return ""
    stops = dict(part.split(": ") for part in row["statuses"].split(", "))
    capped = int(stops.get("max_iterations", 0))
    if row["method"] in PERTURBED and not capped:
        return (
            f"optimum of the perturbed objective (13): all {facts.splits} splits met the published stop, with a median excess of "
            f"{percent(excess)} over the certified optimum of (11)"
        )
    return (
        f"unconverged iterate: median excess {percent(excess)} over the certified optimum, {capped} of {row['splits']:.0f} splits "
        "stopped at the cap on iterations, the others by the published stop"
    )


def other_features(facts: Facts) -> str:
    """Standardised features, where the paper names no scaling; say what the features as distributed give."""
    if facts.other is None:
        return ""
    theirs = facts.other[f"{facts.quantity}_mean"]
    if math.isnan(theirs):
        return ""
    nearer = abs(theirs - facts.printed) < abs(facts.ours - facts.printed)
    return (
        f"standardised features, where the paper names no scaling: as distributed we measure {theirs:.3g}, which is "
        f"{'nearer' if nearer else 'no nearer'} to the printed {facts.printed:.3g}"
    )


def other_splits(facts: Facts) -> str:
    """The difference is no larger than two of its standard deviations over random splits."""
    spread = math.hypot(facts.printed_std, facts.ours_std)
    distance = abs(facts.ours - facts.printed)
    if not distance <= 2 * spread:
        return ""
    return f"other random splits: the distance is {distance / spread:.2g} standard deviations over splits, theirs and ours combined"


def wide_spread(facts: Facts) -> str:
    """A printed spread as large as the printed mean: to lie within it says little."""
    if not facts.printed_std >= facts.printed:
        return ""
    return f"the printed spread exceeds the printed mean ({facts.printed:.3g}), so that agreement says little"


def other_machine(facts: Facts) -> str:
    """Seconds are of another machine and another implementation."""
    return (
        f"other machine and other code: {facts.ours / facts.printed:.2g} times the printed time, at a median of "
        f"{facts.row['n_iter_median']:.0f} iterations"
    )


REASONS: dict[str, tuple[Callable[[Facts], str], ...]] = {
    "pos_at_top": (other_data, constant_scorer, zero_is_optimal, unconverged, other_features, other_splits),
    "seconds": (other_data, other_machine),
}
"""What is asked of a number that differs, in this order; all that apply are said."""

CAVEATS: dict[str, tuple[Callable[[Facts], str], ...]] = {
    "pos_at_top": (wide_spread, other_data, constant_scorer, zero_is_optimal),
    "seconds": (wide_spread, other_data),
}
"""What is said even of a number that agrees."""


def reason(facts: Facts, verdict: str) -> str:
    """Give the reason of a verdict; never blank."""
    if verdict == NOT_OBTAINED:
        return facts.row["reason"] if facts.row["data_status"] in (NOT_OBTAINED, NOT_RUN) else no_number(facts)
    distance = abs(facts.ours - facts.printed)
    if verdict == AGREES:
        first = f"the distance {distance:.3g} is within one printed standard deviation ({facts.printed_std:.3g})"
        return "; but ".join([first, *_said(CAVEATS[facts.quantity], facts)])
    said = _said(REASONS[facts.quantity], facts)
    if not said:
        said = [
            f"no cause among those that we measure: same data, features as distributed, median excess at most {percent(UNCONVERGED)} "
            "(or none defined); what the paper does not print (splits, seeds, code) remains"
        ]
    if verdict == IN_ORDER:
        said.insert(0, "same ranking of the methods as printed")
    return "; ".join(said)


def no_number(facts: Facts) -> str:
    """The data are there, but no split gave a number."""
    return f"no split gave a number: of {facts.row['splits']:.0f} fits {facts.row['statuses']}"


def compare(table: pd.DataFrame, artefact: str = "table1") -> pd.DataFrame:
    """Set every printed number beside ours.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `tables.read_table1`.
    artefact : str
        Name of the printed table.

    Returns
    -------
    pandas.DataFrame
        The columns of `COLUMNS`: one row for each printed number and feature block.
    """
    rows = []
    for (_, features), block in table.groupby(["dataset", "features"], sort=False):
        raw = table[(table["features"] == "raw") & (table["dataset"] == block["dataset"].iloc[0])].set_index("method")
        for quantity in QUANTITIES:
            in_order = same_ranking(block, quantity)
            for _, row in block.iterrows():
                if math.isnan(row[f"printed_{quantity}_mean"]):
                    continue
                other = raw.loc[row["method"]] if features != "raw" and row["method"] in raw.index else None
                facts = Facts(row, quantity, other)
                if math.isnan(facts.ours):
                    verdict = NOT_OBTAINED
                elif within(facts.ours, facts.printed, facts.printed_std):
                    verdict = AGREES
                else:
                    verdict = IN_ORDER if in_order else DIFFERS
                rows.append(
                    {
                        "study": row["study"],
                        "artefact": artefact,
                        "dataset": row["dataset"],
                        "features": features,
                        "method": row["method"],
                        "quantity": quantity,
                        "published": facts.printed,
                        "published_std": facts.printed_std,
                        "ours_mean": facts.ours,
                        "ours_std": facts.ours_std,
                        "verdict": verdict,
                        "reason": reason(facts, verdict),
                        "shown_in": f"{row['study']}/{artefact}.csv: {row['dataset']}, {features}, {row['method']}",
                    }
                )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def same_ranking(block: pd.DataFrame, quantity: str) -> bool:
    """Whether ours ranks all printed methods of a data set as printed; a tie of ours is no ranking."""
    both = block[[f"printed_{quantity}_mean", f"{quantity}_mean"]]
    both = both[both[f"printed_{quantity}_mean"].notna()]
    if len(both) < 2 or both.isna().any(axis=None) or both[f"{quantity}_mean"].duplicated().any():
        return False
    ranks = both.rank().to_numpy()
    return bool((ranks[:, 0] == ranks[:, 1]).all())


def to_csv(comparison: pd.DataFrame, path: str) -> None:
    """Write the comparison; no cell is blank."""
    text = comparison.copy()
    for column, word in (("published_std", "not printed"), ("ours_mean", NOT_OBTAINED), ("ours_std", NOT_OBTAINED)):
        text[column] = [word if math.isnan(value) else f"{value:.10g}" for value in text[column]]
    one_split = comparison["ours_mean"].notna() & comparison["ours_std"].isna()
    text.loc[one_split, "ours_std"] = "one split"
    text["published"] = [f"{value:.10g}" for value in text["published"]]
    text.to_csv(path, index=False, lineterminator="\n")


def nearer_features(table: pd.DataFrame) -> pd.DataFrame:
    """Which feature block comes nearer to the printed Pos@Top: a finding, not a knob.

    The distance of a block on a data set is the mean over the printed methods of |ours − printed| / printed standard deviation.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `tables.read_table1`.

    Returns
    -------
    pandas.DataFrame
        study, dataset, one column ``distance_<block>`` for each block, nearer; only data sets with at least two blocks, and a last
        row "all" with the mean distances over those data sets. Empty if there are none.
    """
    rows = table[table["printed_pos_at_top_mean"].notna() & table["pos_at_top_mean"].notna()]
    gap = (rows["pos_at_top_mean"] - rows["printed_pos_at_top_mean"]).abs() / rows["printed_pos_at_top_std"]
    found = rows.assign(distance=gap).pivot_table(index=["study", "dataset"], columns="features", values="distance", sort=False)
    found = found[found.notna().sum(axis=1) > 1]
    if found.empty:
        return pd.DataFrame(columns=["study", "dataset", "nearer"])
    blocks = sorted(found.columns, key=features_key)
    found = found[blocks]
    found.loc[(found.index[0][0], "all"), :] = found.mean()
    nearer = [blocks[int(np.nanargmin(distances))] for distances in found.to_numpy()]
    return found.add_prefix("distance_").assign(nearer=nearer).rename_axis(columns=None).reset_index()


def features_finding(table: pd.DataFrame) -> str:
    """Say in words which feature block comes nearer to the printed numbers; empty if no data set has two blocks."""
    found = nearer_features(table)
    if found.empty:
        return ""
    sets, last = found.iloc[:-1], found.iloc[-1]
    wins = ", ".join(f"{block} on {n}" for block, n in sets["nearer"].value_counts().sort_index().items())
    means = ", ".join(f"{c.removeprefix('distance_')} {last[c]:.2g}" for c in found.columns if c.startswith("distance_"))
    return (
        f"Nearer to the printed Pos@Top, of {len(sets)} data sets with both blocks: {wins}. Mean distance in printed standard "
        f"deviations: {means}."
    )


def percent(share: float) -> str:
    """Write a share as per cent with two significant digits."""
    return f"{100 * share:.2g} %" if 100 * share < 100 else f"{100 * share:.0f} %"


def _said(functions: Iterable[Callable[[Facts], str]], facts: Facts) -> list[str]:
    """What the functions that apply say, in their order."""
    return [words for function in functions if (words := function(facts))]
