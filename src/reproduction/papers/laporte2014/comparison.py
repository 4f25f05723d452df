"""Every printed number of L14 beside ours, with a verdict and a reason that is measured."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from reproduction.comparison.verdicts import (
    AGREES,
    COLUMNS,
    DIFFERS,
    IN_ORDER,
    NO_CAUSE,
    TOLERANCE,
    those_that_apply,
    within,
)
from reproduction.papers.laporte2014.inputs import COUNTS, MEAN
from reproduction.papers.laporte2014.reasons import CAVEATS, REASONS, Facts, other_best
from reproduction.papers.laporte2014.significance import BEST, LEVEL, WORSE
from reproduction.papers.laporte2014.tables import FORMS, MEASURE_TABLES
from reproduction.papers.laporte2014.views import small_p, with_sign
from reproduction.printed import RELATIONS, WORDS, cell_number
from reproduction.study import Study
from reproduction.tables import NOT_OBTAINED, NOT_RUN

LAST_DIGIT = 0.1
"""The averages of Table III are printed with one decimal, some rounded and some cut off."""


def compare(study: Study) -> pd.DataFrame:
    """Set every printed number beside ours; the tables hold both."""
    return compare_tables({name: study.table(name) for name in FORMS})


def compare_tables(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Set every printed number beside ours.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        "table3" to "table6" of a study, read back from their files.

    Returns
    -------
    pandas.DataFrame
        The columns of `comparison.verdicts.COLUMNS`.
    """
    rows = [*_table3(tables["table3"]), *_table4(tables["table4"])]
    for name in MEASURE_TABLES:
        rows += _measure(tables[name], tables["table4"], name)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _line(row: pd.Series, artefact: str, method: str, quantity: str, numbers: tuple, said: tuple) -> tuple:
    """Write one row; `numbers` are the printed one, ours and its spread, `said` verdict and reason."""
    printed, ours, spread = numbers
    features = "raw" if artefact == "table3" else row["features"]  # there it is a count
    where = f"{row['study']}/{artefact}.csv: {row['dataset']}, {features}, {method}"
    names = (row["study"], artefact, row["dataset"], features, method, quantity)
    return (*names, printed, math.nan, ours, spread, *said, where)


def _absent(row: pd.Series) -> str:
    """Say why there is no number of ours."""
    if row["data_status"] in (NOT_OBTAINED, NOT_RUN):
        return row["reason"]
    return (
        f"no fold gave a number: of {row['splits']:.0f} fits {row['statuses']}"
        if "statuses" in row
        else (f"no fold gave a number, of {row['splits']:.0f} fits")
    )


def _table3(table: pd.DataFrame) -> list[tuple]:
    """Judge the counts: equal, the averages up to their last printed digit."""
    rows = []
    for _, row in table.iterrows():
        for name in COUNTS:
            printed, ours = row[f"printed_{name}"], row[name]
            if math.isnan(printed):
                continue
            if math.isnan(ours):
                said = (NOT_OBTAINED, row["reason"])
            else:
                said = _judge_count(printed, ours, name, row)
            rows.append(_line(row, "table3", "data", f"{name}_count", (printed, ours, math.nan), said))
    return rows


def _judge_count(printed: float, ours: float, name: str, row: pd.Series) -> tuple[str, str]:
    allowed = LAST_DIGIT if name.endswith("per_query") else 0.0
    note = "" if row["note"] == "none" else f"; but {row['note'].rstrip('.')}"
    if ours == printed:
        return AGREES, f"the count is equal{note}"
    if abs(ours - printed) < allowed:
        return AGREES, f"equal up to the last printed digit, which is rounded or cut off{note}"
    return DIFFERS, f"the files hold {ours:.6g}: other data than those that are printed{note}"


def _table4(table: pd.DataFrame) -> list[tuple]:
    rows = []
    singles, means = table[table["dataset"] != MEAN], table[table["dataset"] == MEAN]
    for _, block in singles.groupby(["dataset", "features"], sort=False):
        printed = block[block["printed_sparsity_ratio"].notna()]
        in_order = _same_order(printed)
        for _, row in printed.iterrows():
            facts = Facts(
                "sparsity_ratio", row, row, row["printed_sparsity_ratio"], *_ours(row, "sparsity_ratio")
            )
            said = _judge(facts, f"same ranking of the {len(printed)} methods as printed" if in_order else "")
            rows.append(_ratio_line(row, facts, said))
    for _, row in means[means["printed_mean_row"].notna()].iterrows():
        of_method = singles[(singles["method"] == row["method"]) & singles["printed_sparsity_ratio"].notna()]
        lacking = of_method.loc[of_method["sparsity_ratio_mean"].isna(), "dataset"]
        facts = Facts(
            "sparsity_ratio", row, row, row["printed_mean_row"], row["sparsity_ratio_mean"], math.nan
        )
        if len(lacking) or math.isnan(facts.ours):
            facts = Facts("sparsity_ratio", row, row, facts.printed, math.nan, math.nan)
            same = ""
            if not math.isnan(row["printed_sparsity_ratio"]):
                same = (
                    f"; {row['note']} ours is {row['sparsity_ratio_mean']:.2f} and the mean of the printed "
                    f"{row['printed_sparsity_ratio']:.2f}"
                )
            said = (NOT_OBTAINED, f"the printed mean needs {', '.join(lacking)}{same}")
        else:
            said = _judge(facts, "")
        rows.append(_ratio_line(row, facts, said))
    return rows


def _ratio_line(row: pd.Series, facts: Facts, said: tuple) -> tuple:
    numbers = (facts.printed, facts.ours, facts.spread)
    return _line(row, "table4", row["method"], "sparsity_ratio", numbers, said)


def _same_order(printed: pd.DataFrame) -> bool:
    """Whether ours ranks the methods of a data set as printed, printed ties in any order."""
    both = printed[["printed_sparsity_ratio", "sparsity_ratio_mean"]].to_numpy(float)
    if len(both) < 2 or pd.isna(both).any():
        return False
    return all(
        (a[1] - b[1]) * (a[0] - b[0]) > 0 for i, a in enumerate(both) for b in both[:i] if a[0] != b[0]
    )


def _ours(row: pd.Series, name: str) -> tuple[float, float]:
    return row[f"{name}_mean"], row[f"{name}_std"]


def _judge(facts: Facts, in_order: str, reasons: str = "") -> tuple[str, str]:
    """Give verdict and reason of a number; `in_order` says what agrees if the number does not."""
    if math.isnan(facts.ours):
        return NOT_OBTAINED, _absent(facts.row)
    if within(facts.ours, facts.printed, math.nan):
        first = (
            f"the distance {abs(facts.ours - facts.printed):.3g} is within {TOLERANCE} "
            "(no standard deviation is printed)"
        )
        return AGREES, "; but ".join([first, *those_that_apply(CAVEATS, facts)])
    causes = those_that_apply(REASONS[reasons or facts.quantity], facts) or [NO_CAUSE]
    return IN_ORDER if in_order else DIFFERS, "; ".join([in_order] * bool(in_order) + causes)


def _measure(table: pd.DataFrame, ratios: pd.DataFrame, name: str) -> list[tuple]:
    """Judge the best value, the relation of every other method to it, and the printed decreases."""
    measure, rows = MEASURE_TABLES[name], []
    firmness = ratios.set_index(["dataset", "features", "method"])
    for _, row in table[table["printed_relation"] != "none"].iterrows():
        key = (row["dataset"], row["features"], row["method"])
        firm = firmness.loc[key] if key in firmness.index else row.reindex(ratios.columns)

        def facts(quantity: str, printed: float, ours: float, spread: float, row=row, firm=firm) -> Facts:
            return Facts(quantity, row, firm, printed, ours, spread)

        if row["printed_relation"] == BEST:
            found = facts(measure, row["printed_value"], *_ours(row, measure))
            in_order = "the same method is the best as printed" if row["relation"] == BEST else ""
            said = _judge(found, in_order, "value")
            rows.append(
                _line(row, name, row["method"], measure, (found.printed, found.ours, found.spread), said)
            )
            codes = WORDS["best_method"]
            ours = codes.get(row["best"], math.nan)
            found = facts(f"{measure}_best_method", codes[row["printed_best"]], ours, math.nan)
            said = _judge_best(found, _value_of_best(table, row, measure), measure)
            numbers = (found.printed, found.ours, math.nan)
            rows.append(_line(row, name, row["method"], found.quantity, numbers, said))
            continue
        printed = RELATIONS[row["printed_relation"]]
        ours = math.nan if row["relation"] == "none" else float(row["relation"] == WORSE)
        found = facts(f"{measure}_relation", printed, ours, math.nan)
        said = _judge_relation(found)
        rows.append(_line(row, name, row["method"], found.quantity, (printed, ours, math.nan), said))
        if row["printed_relation"] == WORSE:
            decrease = 0.0 if row["relation"] == BEST else row["decrease_percent"]
            found = facts(f"{measure}_decrease", row["printed_decrease_percent"], decrease, math.nan)
            said = _judge_decrease(found, _value_of_best(table, row, measure))
            rows.append(
                _line(row, name, row["method"], found.quantity, (found.printed, decrease, math.nan), said)
            )
        if row["printed_p_value"] != "none":
            # Of a method against itself no value differs.
            ours = 1.0 if row["relation"] == BEST else row["t_p"]
            found = facts(f"{measure}_p_value", cell_number(row["printed_p_value"]), ours, math.nan)
            numbers = (found.printed, ours, math.nan)
            rows.append(_line(row, name, row["method"], found.quantity, numbers, _judge_p_value(found)))
    return rows


def _judge_best(facts: Facts, best: float, measure: str) -> tuple[str, str]:
    """Agrees where the same method is the best."""
    row = facts.row
    if math.isnan(facts.ours):
        return NOT_OBTAINED, _absent(row)
    if facts.ours == facts.printed:
        return AGREES, "; but ".join(["the same method is the best", *those_that_apply(CAVEATS, facts)])
    theirs, p_value = row[f"{measure}_mean"], ""
    if not math.isnan(row["t_p"]):
        p_value = f", p {with_sign(small_p(row['t_p']))} over {row['n_queries']:.0f} queries"
    behind = "the printed best gave no number" if math.isnan(theirs) else f"{best:.4f} against {theirs:.4f}"
    return DIFFERS, "; ".join(
        [f"{other_best(facts)}: {behind}{p_value}", *those_that_apply(REASONS["best_method"], facts)]
    )


def _judge_p_value(facts: Facts) -> tuple[str, str]:
    """Agrees within the tolerance; a printed bound agrees with all that it bounds."""
    row = facts.row
    if math.isnan(facts.ours):
        return NOT_OBTAINED, _absent(row)
    is_bound = facts.printed < 0
    distance = max(0.0, facts.ours + facts.printed) if is_bound else abs(facts.ours - facts.printed)
    over = "it is the best here, so that no value differs"
    if row["relation"] != BEST:
        over = (
            f"paired one-sided t-test on {row['n_queries']:.0f} queries, {_change(row['decrease_percent'])}"
        )
        if not math.isnan(row["printed_decrease_percent"]):
            over += f" (printed: {row['printed_decrease_percent']:.2g} %)"
    if distance <= TOLERANCE:
        said = f"{over}; the distance {distance:.2g} is within {TOLERANCE}"
        turns = "the two are on different sides of the level .05"
        caveats = [turns] if abs(facts.printed) < LEVEL <= facts.ours else []
        return AGREES, "; but ".join([said, *caveats, *those_that_apply(CAVEATS, facts)])
    causes = those_that_apply(REASONS["p_value"], facts) or [NO_CAUSE]
    return DIFFERS, "; ".join([f"{over}; the distance is {distance:.2g}", *causes])


def _judge_relation(facts: Facts) -> tuple[str, str]:
    """Agrees where both or neither is significantly worse than the best."""
    row = facts.row
    if math.isnan(facts.ours):
        return NOT_OBTAINED, _absent(row)
    if row["relation"] == BEST:
        ours = "it is the best here"
    else:
        ours = f"p {with_sign(small_p(row['t_p']))} over {row['n_queries']:.0f} queries, "
        ours += _change(row["decrease_percent"])
    if row["printed_relation"] == WORSE:
        p_value = "" if row["printed_p_value"] == "none" else f", p {with_sign(row['printed_p_value'])}"
        ours += f" (printed: a decrease of {row['printed_decrease_percent']:.2g} %{p_value})"
    if facts.ours == facts.printed:
        return AGREES, "; but ".join([ours, *those_that_apply(CAVEATS, facts)])
    return DIFFERS, "; ".join([ours, *those_that_apply(REASONS["relation"], facts)])


def _judge_decrease(facts: Facts, best: float) -> tuple[str, str]:
    """Agrees where the values that the two decreases mean are within the tolerance."""
    if math.isnan(facts.ours):
        return NOT_OBTAINED, _absent(facts.row)
    distance = abs(facts.ours - facts.printed) / 100 * best
    if distance <= TOLERANCE:
        first = f"in per cent of the best value; the distance is worth {distance:.2g}, within {TOLERANCE}"
        little = "the printed decrease is itself below the tolerance, so that agreement says little"
        said = [little] if facts.printed / 100 * best <= TOLERANCE else []
        return AGREES, "; but ".join([first, *said, *those_that_apply(CAVEATS, facts)])
    causes = those_that_apply(REASONS["decrease"], facts) or [NO_CAUSE]
    return DIFFERS, "; ".join(
        [f"in per cent of the best value; the distance is worth {distance:.2g}", *causes]
    )


def _value_of_best(table: pd.DataFrame, row: pd.Series, measure: str) -> float:
    same = (table["dataset"] == row["dataset"]) & (table["features"] == row["features"])
    return table.loc[same & (table["relation"] == BEST), f"{measure}_mean"].max()


def _change(decrease: float) -> str:
    return f"a decrease of {decrease:.2g} %" if decrease >= 0 else f"an increase of {-decrease:.2g} %"
