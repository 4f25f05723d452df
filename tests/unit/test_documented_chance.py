"""What README.md and docs/results.md say of chance, against the placebo and the order of the methods."""

import pytest
from documented_chance import (
    LABELS,
    STATISTICS,
    describe_chance_among_methods,
    format_chance_row,
    read_placebo,
)
from documented_pages import WORDS, read_prose, read_text_table

K15, L14, R12 = "kadkhodaie2015", "laporte2014", "rakotomamonjy2012"


def decimal(number):
    """A number below 1 as the pages write it: .51."""
    return f"{number:.2f}".removeprefix("0")


@pytest.fixture(scope="module")
def results():
    return read_prose("docs/results.md")


@pytest.fixture(scope="module")
def readme():
    return read_prose("README.md")


@pytest.fixture(scope="module")
def placebo():
    return read_placebo()


@pytest.mark.parametrize("study", LABELS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_what_chance_would_give(results, placebo, statistic, study):
    assert format_chance_row(statistic, study, placebo) in results
    assert placebo.loc[(statistic, study, "methods"), "p_holm"] > 0.05, (
        "no more than chance among the methods"
    )


def test_chance_among_methods_in_the_readme(readme, placebo):
    assert describe_chance_among_methods(placebo) in readme


def test_where_more_than_chance_comes_back(readme, results, placebo):
    datasets = placebo.xs("data sets", level="permuted")
    k15 = datasets.loc[("numbers reproduced", K15)]
    words = f"({k15['observed']:.0f} of {k15['total']:.0f}; {k15['chance_mean']:.1f} with rows permuted)"
    assert words in readme
    is_level_reproduced = datasets.loc["numbers reproduced", "p_holm"] <= 0.05
    n_papers, n_reproduced = (WORDS[count] for count in (len(LABELS), is_level_reproduced.sum()))
    words = f"(which of them have high values) is reproduced in {n_reproduced} of the {n_papers} papers.**"
    assert words in readme
    for name in ("p_value", "p_holm"):
        significant = datasets[datasets["p_value"] <= 0.05]
        words = "p = " if name == "p_value" else "corrected "
        stated = results.find_all(rf"{words}(\.\d+) among data sets")
        p_values = [f"{p_value:.1g}".removeprefix("0") for p_value in significant[name]]
        assert sorted(p_values) == sorted(stated), "each has its p-values on the page"


def test_whether_the_order_of_the_methods_comes_back(results):
    numbers = ("tau", "p_value", "datasets", "datasets_with_tau")
    orders = read_text_table("method_order.csv", *numbers).query("dataset == 'all'").set_index("study")
    r12, l14, k15 = (orders.loc[study] for study in (R12, L14, K15))
    assert f"Laporte et al. (Kendall's τ {decimal(l14['tau'])}, p = {decimal(l14['p_value'])})" in results
    counted = (
        f"{WORDS[r12['datasets_with_tau']]} of {WORDS[r12['datasets']]} data sets where our means differ"
    )
    assert f"2012 ({decimal(r12['tau'])}, {decimal(r12['p_value'])}; on the {counted})" in results
    assert l14["p_value"] < 0.05 < min(r12["p_value"], k15["p_value"])
    assert f"(−{decimal(-k15['tau'])}, {decimal(k15['p_value'])})" in results
