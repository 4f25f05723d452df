"""What explains a number over data sets: on made data with a cause, and with none."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from reproduction.statistics.held_out_halves import CHOSEN_FACT, explain_on_halves


def explain(facts, numbers, seed=0):
    return explain_on_halves(facts, numbers, np.random.default_rng(seed)).set_index("fact")


def make_facts(n=17, seed=1):
    random = np.random.default_rng(seed)
    return pd.DataFrame(random.normal(size=(n, 5)), columns=list("abcde")), random


def test_a_cause_is_found_on_the_halves_that_did_not_choose_it():
    facts, random = make_facts()
    numbers = -np.exp(facts["c"].to_numpy()) + 0.05 * random.normal(size=17)
    table = explain(facts, numbers)
    assert table.index[-1] == CHOSEN_FACT and list(table.index[:-1]) == list("abcde")
    assert table.loc["c", "spearman"] == pytest.approx(spearmanr(facts["c"], numbers).statistic)
    assert table.loc["c", "held_out"] > 0.9 and table.loc["c", "p_value"] == 0.001
    assert table.loc[CHOSEN_FACT, "held_out"] > 0.9 and np.isnan(table.loc[CHOSEN_FACT, "spearman"])
    assert table.loc["c", "placebo_upper"] < 0.5 and table.loc[CHOSEN_FACT, "p_value"] == 0.001


def test_without_a_cause_the_p_values_are_spread_and_the_placebo_is_not_beaten():
    p_values, held_out = [], []
    for seed in range(12):
        facts, random = make_facts(seed=seed)
        table = explain(facts, random.normal(size=17))
        p_values.append(table.loc[CHOSEN_FACT, "p_value"])
        held_out.append(table.loc[CHOSEN_FACT, "held_out"])
        # on all data sets some fact always correlates
        assert table["spearman"].abs().max() > 0.15
    assert np.mean(held_out) < 0.2 and min(p_values) > 0.001 and np.mean(p_values) > 0.25


def test_the_halves_do_not_see_each_other():
    """A number that only three data sets of one half explain has no sign on the other: it counts little."""
    facts = pd.DataFrame({"alone": [1.0] + [0.0] * 11, "size": np.arange(12.0)})
    numbers = np.array([9.0] + [0.0] * 11)
    table = explain(facts, numbers)
    # in one half the fact is constant, and so is the number: no correlation
    assert table.loc["alone", "spearman"] == pytest.approx(1.0) and table.loc["alone", "held_out"] == 0.0


def test_too_few_data_sets_have_no_halves():
    facts, random = make_facts(n=9)
    assert explain_on_halves(facts, random.normal(size=9), random).empty
    facts, random = make_facts(n=10)
    assert len(explain_on_halves(facts, random.normal(size=10), random)) == 6
