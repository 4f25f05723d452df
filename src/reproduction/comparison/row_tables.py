"""Tables of what explains the differences: a row a data set, and a row an option of a choice."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reproduction.comparison.measurements import Measurements, PairEffects, judge_pairs
from reproduction.comparison.row_explanations import (
    RowCounts,
    choose_joint_options,
    list_joint_options,
    measure_best_combination,
)
from reproduction.comparison.verdicts import (
    AGREES,
    CONSISTENT,
    DIFFERS,
    EXPLAINED_VALUE,
    REPRODUCED_ROW,
    VALUE_BELOW_MARGIN,
)
from reproduction.core.formatting import format_short
from reproduction.core.sentence_templates import fill_template
from reproduction.specs.csv_tables import STATUS_NOT_OBTAINED
from reproduction.specs.labels import format_identity, method_label
from reproduction.specs.multiverse import DEFAULT, changed_options
from reproduction.specs.published_values import NUMBER_KEY, format_cell

EXPLANATION_COLUMNS = (
    *("study", "artefact", "dataset", "numbers", "agrees", "consistent", "differs"),
    *("specification", "recovered", "lost", "closed", "splits", "default_splits"),
    *("verdict", "values", "reason"),
)
"""A row of a published table: its measured numbers by their verdict under the default choices; the
combination that explains it, or `DEFAULT`; how many numbers it recovers and loses, the smallest share of a
gap that it closes, and on how many splits it was tried."""

OPTION_EFFECT_COLUMNS = ("study", "choice", "option", "changes", "compared", "recovered", "lost", "explains")
"""`compared`: numbers that the option changes; `explains`: how many rows it explains."""

ROW_REASON_TEXT = """
{% if verdict == "explained" %}{{ specification }} recovers {{ recovered }} of {{ differs }} and loses none
{%- elif verdict == "differs" and rival %}{{ alone | replace("; ", " and ") }} would explain it, but
contradicts {{ rival }}
{%- elif verdict == "differs" and not tried %}no other option was tried
{%- elif verdict == "differs" and best %}{{ best | replace("; ", " and ") }} comes closest: it recovers
{{ best_recovered }} of {{ differs }} and loses {{ best_lost }}
{%- elif verdict == "differs" %}no combination recovers a number of it
{%- elif verdict == "reproduced" %}no number differs
{%- elif verdict == "below the margin" %}the published numbers are below the margin
{%- else %}no number of ours{% endif %}
"""


@dataclass(frozen=True)
class RowExplanations:
    """What explains the differences of a study.

    Attributes
    ----------
    rows : pandas.DataFrame
        The columns of `EXPLANATION_COLUMNS`.
    option_effects : pandas.DataFrame
        The columns of `OPTION_EFFECT_COLUMNS`.
    recovered_under : dict of tuple to str
        Key of a published number that an explanation recovers -> the combination.
    """

    rows: pd.DataFrame
    option_effects: pd.DataFrame
    recovered_under: dict[tuple, str]


def explain_rows(measurements: Measurements, verdicts: pd.DataFrame, study: str) -> RowExplanations:
    """Find the combination of choices that explains each row of the published tables.

    Parameters
    ----------
    measurements : Measurements
        Published results with our means.
    verdicts : pandas.DataFrame
        Every published result: `NUMBER_KEY`, and ``verdict`` under the default choices.
    study : str
        Name of the study.

    Returns
    -------
    RowExplanations
        In the order of the published tables.
    """
    all_places = np.arange(len(measurements.numbers))
    effects = judge_pairs(measurements, all_places, all_places)
    rows = list(dict.fromkeys(verdicts[["artefact", "dataset"]].itertuples(index=False, name=None)))
    of_row = {row: np.flatnonzero(_is_of_row(measurements.numbers, row)) for row in rows}
    # The same counts as in `placebo.py`, with one "permutation": the observed order. So the search that
    # explains the published values is the one that is repeated with permuted values.
    counts = _count_observed(rows, of_row, effects)
    chosen, alone = {}, {}
    for artefact in dict.fromkeys(verdicts["artefact"]):
        table = counts.select(artefact)
        names = table.rows
        # `best` is what explains a row without a contradiction in its table; `unrestricted`, what would
        # explain it alone. Where they differ, the reason names the rows that need another option.
        best, unrestricted = choose_joint_options(table, list_joint_options(measurements, names))
        chosen |= dict(zip(names, best, strict=True))
        alone |= dict(zip(names, unrestricted, strict=True))
    table = [_describe_row(measurements, verdicts, row, of_row[row], effects, chosen, alone) for row in rows]
    recovered_under = {
        tuple(measurements.numbers.loc[number, NUMBER_KEY]): measurements.specifications[chosen[row]]
        for row in rows
        if chosen[row] >= 0
        for number in of_row[row]
        if effects.recovered[chosen[row], number]
    }
    explanations = pd.DataFrame(table).assign(study=study).reindex(columns=list(EXPLANATION_COLUMNS))
    _, best = measure_best_combination(counts)
    options = _list_option_effects(measurements, effects, [*chosen.values()], best, study)
    return RowExplanations(explanations, options, recovered_under)


def _is_of_row(table: pd.DataFrame, row: tuple[str, str]) -> pd.Series:
    """Tell which rows of a table are numbers of a row: its artefact and data set."""
    return (table["artefact"] == row[0]) & (table["dataset"] == row[1])


def _count_observed(rows: list[tuple], of_row: dict[tuple, np.ndarray], effects: PairEffects) -> RowCounts:
    """Count the effects in each row, in the observed order alone."""
    by_default = (
        np.array([[effect[of_row[row]].sum()] for row in rows])
        for effect in (effects.reproduced, effects.differs)
    )
    by_specification = (
        np.array([[effect[:, of_row[row]].sum(axis=1)] for row in rows])
        for effect in (effects.recovered, effects.lost)
    )
    return RowCounts(rows, *by_default, *by_specification)


def _describe_row(
    measurements: Measurements,
    verdicts: pd.DataFrame,
    row: tuple[str, str],
    numbers: np.ndarray,
    effects: PairEffects,
    chosen: dict[tuple, int],
    alone: dict[tuple, int],
) -> dict:
    """Make a row of the table of explanations."""
    of_row = verdicts[_is_of_row(verdicts, row)]
    counts = of_row["verdict"].value_counts()
    facts = {"artefact": row[0], "dataset": row[1]}
    facts |= {name: int(counts.get(name, 0)) for name in (AGREES, CONSISTENT, DIFFERS)}
    facts["numbers"] = sum(facts[name] for name in (AGREES, CONSISTENT, DIFFERS))
    best = chosen[row]
    # Nothing was judged: because the published numbers are below their margin, or because ours are missing.
    if not facts["numbers"]:
        verdict = VALUE_BELOW_MARGIN if VALUE_BELOW_MARGIN in counts else STATUS_NOT_OBTAINED
    elif not facts[DIFFERS]:
        verdict = REPRODUCED_ROW
    else:
        verdict = DIFFERS if best < 0 else EXPLAINED_VALUE
    facts |= {"verdict": verdict, "specification": DEFAULT if best < 0 else measurements.specifications[best]}
    recovered, lost = (effect[:, numbers].sum(axis=1) for effect in (effects.recovered, effects.lost))
    facts |= {"recovered": int(recovered[best]) if best >= 0 else 0, "lost": 0}
    if best >= 0:
        is_recovered = numbers[effects.recovered[best, numbers]]
        published = measurements.numbers["published"].to_numpy(float)[is_recovered]
        gap, remaining = (
            np.abs(published - side.mean[best, is_recovered])
            for side in (measurements.paired_default, measurements.option)
        )
        # Numerator and denominator use the same splits: the default is restricted to the option's splits
        # (`paired_default`). The gap is not 0, since a recovered number differs by default.
        facts["closed"] = float((1 - remaining / gap).min())
        facts["splits"] = int(measurements.option.splits[best, is_recovered].min())
        facts["default_splits"] = int(measurements.default.splits[is_recovered].max())
    return facts | {
        "values": _format_values(measurements, numbers, best),
        "reason": _explain_verdict(measurements, row, facts, (recovered, lost), chosen, alone, numbers),
    }


def _explain_verdict(
    measurements: Measurements,
    row: tuple[str, str],
    facts: dict,
    effects: tuple[np.ndarray, np.ndarray],
    chosen: dict[tuple, int],
    alone: dict[tuple, int],
    numbers: np.ndarray,
) -> str:
    """Write why a row has its verdict."""
    recovered, lost = effects
    # Most numbers recovered, then fewest lost (the last key is the first criterion).
    closest = int(np.lexsort((lost, -recovered))[0]) if recovered.any() else -1
    names, single = measurements.specifications, alone[row]
    more = {"alone": "", "rival": "", "best": "", "tried": len(numbers) > 0}
    more["tried"] = bool((~np.isnan(measurements.option.mean[:, numbers])).any())
    if single >= 0 and chosen[row] < 0:
        more |= {"alone": names[single], "rival": _name_rivals(measurements, row, single, chosen)}
    if closest >= 0:
        more |= {"best": names[closest], "best_recovered": recovered[closest], "best_lost": lost[closest]}
    specification = facts["specification"].replace("; ", " and ")
    return fill_template(ROW_REASON_TEXT, facts | more | {"specification": specification})


def _name_rivals(measurements: Measurements, row: tuple, single: int, chosen: dict[tuple, int]) -> str:
    """Name the explanations of other rows of a table that take another option of a choice."""
    changes = changed_options(measurements.specifications[single])
    rivals = []
    for other, specification in chosen.items():
        if other[0] != row[0] or specification < 0:
            continue
        other_changes = changed_options(measurements.specifications[specification])
        if any(other_changes.get(choice, option) != option for choice, option in changes.items()):
            rivals.append(f"{measurements.specifications[specification]} of {other[1]}")
    return " and ".join(rivals)


def _format_values(measurements: Measurements, numbers: np.ndarray, best: int) -> str:
    """Write each number of a row: published, ours by default, and ours with the combination."""
    parts = []
    for number in numbers:
        identity = measurements.numbers.loc[number]
        quantity = format_identity("quantity", identity["quantity"])
        value = format_cell(identity["quantity"], identity["published"])
        text = f"{method_label(identity['method'])}, {quantity}: {value} published, "
        text += f"{format_short(measurements.default.mean[number])} by default"
        if best >= 0 and not np.isnan(measurements.option.mean[best, number]):
            text += f", {format_short(measurements.option.mean[best, number])} with it"
        parts.append(text)
    return "; ".join(parts) or "no number of ours"


def parse_explained_values(values: str) -> dict[tuple[str, str], str]:
    """Read what `_format_values` wrote: our numbers with the combination that explains a row.

    Parameters
    ----------
    values : str
        The column of this name in explanations.csv.

    Returns
    -------
    dict of tuple of str to str
        Labels of method and quantity -> our number with the combination; numbers without one are left out.
    """
    parts = re.findall(r"(?:^|; )([^;]*), ([^,;]*): [^;]* by default, ([^;]*) with it", values)
    return {(method, quantity): value for method, quantity, value in parts}


def _list_option_effects(
    measurements: Measurements, effects: PairEffects, chosen: list[int], best: int, study: str
) -> pd.DataFrame:
    """List the options with the numbers that they recover and lose, those that recover most first."""
    is_measured = effects.reproduced | effects.differs
    rows = []
    for number, name in enumerate(measurements.specifications):
        changes = changed_options(name)
        explains = sum(specification == number for specification in chosen)
        # Pairs of options are many: only those that explain a row, or are the best for all tables, have a
        # row.
        if len(changes) > 1 and not explains and number != best:
            continue
        row = {"study": study, "choice": "; ".join(changes), "option": "; ".join(changes.values())}
        row |= {"changes": len(changes), "explains": explains}
        # a method without the option has the same mean: the option cannot recover its numbers
        ours, default = measurements.option.mean[number], measurements.paired_default.mean[number]
        row["compared"] = int((~np.isnan(ours) & (ours != default) & is_measured).sum())
        row |= {"recovered": int(effects.recovered[number].sum()), "lost": int(effects.lost[number].sum())}
        rows.append(row)
    table = pd.DataFrame(rows, columns=list(OPTION_EFFECT_COLUMNS))
    order = table.assign(excess=table["lost"] - table["recovered"])
    return order.sort_values(["changes", "excess"], kind="stable")[list(OPTION_EFFECT_COLUMNS)].reset_index(
        drop=True
    )
