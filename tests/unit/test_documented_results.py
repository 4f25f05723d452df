"""Every number that README.md and docs/results.md draw from the last full run, against its tables."""

import re
from collections import Counter

import pandas as pd
import pytest
from documented_pages import SNAPSHOT, WORDS, read_prose, read_text_table

from reproduction.reporting.page.published_values import inflect_verdict

K15, L14, R12 = "kadkhodaie2015", "laporte2014", "rakotomamonjy2012"


def decimal(number, digits=2):
    """A number below 1 as the pages write it: .51."""
    return f"{number:.{digits}f}".removeprefix("0")


@pytest.fixture(scope="module")
def results():
    return read_prose("docs/results.md")


@pytest.fixture(scope="module")
def readme():
    return read_prose("README.md")


@pytest.fixture(scope="module")
def claims():
    return read_text_table("claims.csv").set_index("claim")


@pytest.fixture(scope="module")
def table1():
    numbers = ("pos_at_top_mean", "published_pos_at_top_mean", "zero_optimal_share", "excess_median")
    return read_text_table(f"{K15}/table1.csv", *numbers)


def row(table, **named):
    """The one row with these cells."""
    for name, value in named.items():
        table = table[table[name] == value]
    (record,) = table.to_dict("records")
    return record


@pytest.fixture(scope="module")
def counts():
    """Study and quantity -> its published numbers, by verdict."""
    table = read_text_table("coverage.csv").query("kind == 'result'")
    numbers = table.columns[4:]
    table[numbers] = table[numbers].astype(int)
    return lambda study, quantity: row(table, study=study, quantity=quantity)


def test_the_verdicts_of_all_published_results(readme, counts):
    of_all = counts("all", "all")
    reproduced = of_all["agrees"] + of_all["consistent"]
    words = (
        f"Of {of_all['published_numbers']} published results {reproduced} agree or are consistent, "
        f"{of_all['explained']} are explained by other choices, {of_all['differs']} differ, "
        f"{of_all['below the margin']} are below the margin and {of_all['not obtained']} could not be "
        "obtained."
    )
    assert words in readme


def test_marks_relations_and_p_values(readme):
    table = read_text_table("coverage.csv", "as published", "not as published")
    derived = table[table["kind"].isin(["mark", "relation", "p_value"]) & (table["study"] == "all")]
    matches, other = (int(derived[name].sum()) for name in ("as published", "not as published"))
    neither = int(pd.to_numeric(derived["marked in neither"]).sum())
    words = (
        f"Of {matches + other} marks, relations and p-values {other} are not as published; {neither} further "
        "cells are marked neither in the paper nor here, and are left out."
    )
    assert words in readme


def test_what_explains_each_row(results):
    rows = read_text_table("explanations.csv").query("verdict == 'explained'")
    for row in rows.to_dict("records"):
        stated = f"`{row['dataset']}` by `{row['specification']}` ({row['recovered']} of {row['differs']})"
        assert stated in results, stated
    assert len(results.find_all(r"` by `[^`]+` \(\d of \d\)")) == len(rows)


def test_the_verdicts_of_the_claims(results, claims):
    verdicts = ("holds", "holds under some choices", "does not hold", "cannot tell")
    for study, name in {
        R12: "Rakotomamonjy 2012",
        L14: "Laporte et al. 2014",
        K15: "Kadkhodaie et al. 2015",
    }.items():
        verdict_counts = Counter(claims.loc[claims["study"] == study, "verdict"])
        cells = [f"of {name}", verdict_counts.total(), *(verdict_counts[verdict] for verdict in verdicts)]
        assert f"| {' | '.join(map(str, cells))} |" in results


def test_what_the_features_of_breast_cancer_decide(readme, results, table1):
    raw, scaled = (
        row(table1, dataset=name, feature_scaling="raw", method="toppush")
        for name in ("breast-cancer", "breast-cancer-scaled")
    )
    published, *ours = (raw["published_pos_at_top_mean"], scaled["pos_at_top_mean"], raw["pos_at_top_mean"])
    words = (
        f"{published:.1f} positives above every negative are published for TopPush: we get {ours[0]:.1f} with"
    )
    assert words in readme and f"and {ours[1]:.1f} with the raw file" in readme
    assert (
        f"TopPush has {ours[0]:.1f} on `breast-cancer` ({published:.1f} published; raw {ours[1]:.1f})"
        in results
    )


def test_what_the_features_of_covtype_decide(results):
    table = read_text_table(f"{K15}/table1.csv", "pos_at_top_mean", "pos_at_top_std", "n_iter_median")

    def measure(dataset, method):
        record = row(table, dataset=dataset, feature_scaling="raw", method=method)
        return f"{record['pos_at_top_mean']:.0f} ± {record['pos_at_top_std']:.0f}"

    scaled, raw = "covtype-scaled", "covtype"
    iterations = row(table, dataset=scaled, method="toppush")["n_iter_median"]
    top = f"TopPush stops after {iterations:.0f} iterations with {measure(scaled, 'toppush')} positives"
    assert top in results and f"of w = 0, and has {measure(raw, 'toppush')}." in results
    assert f"A2DM2 has {measure(scaled, 'a2dm2')} scaled and {measure(raw, 'a2dm2')} raw" in results
    assert f"{measure(scaled, 'exact')} and {measure(raw, 'exact')} positives at the top" in results
    assert f"but TopPush's, {measure('w8a', 'toppush')} where" in results


def test_where_w_is_0(readme, results, table1):
    of_paper = table1[(table1["feature_scaling"] == "raw") & table1["published_pos_at_top_mean"].notna()]
    zero = list(dict.fromkeys(of_paper.loc[of_paper["zero_optimal_share"] == 1, "dataset"]))
    nonzero_sets = of_paper[~of_paper["dataset"].isin(zero)]
    assert not (nonzero_sets["zero_optimal_share"] > 0).any(), "on all ten splits or on none"
    named = " and ".join((", ".join(f"`{name}`" for name in zero[:-1]), f"`{zero[-1]}`"))
    assert f"**On {named} w = 0 is the exact optimum" in results
    counts = row(read_text_table("coverage.csv"), study=K15, quantity="positives_count")
    n_obtained = int(counts["published_numbers"]) - int(counts["not obtained"])
    partial = read_text_table("data.csv").query("status == 'partial'")["dataset"]
    assert set(partial) & set(zero) == {"cod-rna"}
    words = (
        f"On {WORDS[len(zero)]} of the {WORDS[n_obtained]} data sets of Kadkhodaie et al. that we obtained "
        "(`cod-rna` in part), the certified optimum"
    )
    assert words in readme


def test_how_far_the_published_stop_of_toppush_is_from_the_optimum(results, table1):
    stopped = table1[(table1["method"] == "toppush") & (table1["zero_optimal_share"] == 0)]
    excess = stopped["excess_median"]
    lowest, middle = decimal(100 * excess.min(), 1), f"{100 * excess.median():.0f}"
    words = f"Over the {WORDS[len(excess)]} data sets and feature scalings whose optimum is not w = 0, its"
    assert words in results and f"and {middle} % in the median" in results
    assert f"leaves it {lowest} % to {excess.max():.0f} times above the certified optimum" in results


def test_which_script_gives_the_published_ndcg(results):
    table = read_text_table(f"{L14}/table6.csv", "ndcg10_mean", "ndcg10_standard_mean", "published_value")
    best = table[(table["published_relation"] == "best") & table["ndcg10_mean"].notna()]
    by_script, by_formula = (
        (best[name] - best["published_value"]).abs() for name in ("ndcg10_mean", "ndcg10_standard_mean")
    )
    assert by_script.mean() < by_formula.mean()
    best_row = row(best, dataset="mq2008")
    formula, published = decimal(best_row["ndcg10_standard_mean"]), decimal(best_row["published_value"])
    assert f"it would be {formula} on `mq2008`, where {published} is" in results


def test_the_verdicts_of_each_quantity(results, counts):
    for study, quantity, words in (
        (R12, "rate_at_top", "rates at the top"),
        (R12, "variables", "numbers of variables"),
        (L14, "sparsity_ratio", "sparsity ratios"),
        (K15, "pos_at_top", "values of Pos@Top"),
    ):
        of_quantity = counts(study, quantity)
        measured = of_quantity["published_numbers"] - of_quantity["not obtained"]
        parts = [
            f"{of_quantity[name]} {inflect_verdict(name, of_quantity[name])}".removesuffix(
                " by other choices"
            )
            for name in ("agrees", "consistent", "explained", "differs", "below the margin")
            if of_quantity[name]
        ]
        sentence = f"Of {measured} measured {words}, {', '.join(parts[:-1])} and {parts[-1]}"
        assert sentence in results, sentence


def test_what_the_claims_measured(results, claims):
    """Numbers of the evidence, in the order in which it has them."""
    for claim, pattern, words in (
        ("dual-rate", r"holds at all (\d+)", "holds at all {} recorded iterations"),
        ("cod-rna", r"A2DM2 is (\d+ ± \d+)", "its Pos@Top is {}, that of ADMM"),
        (
            "cod-rna",
            r"of ADMM (\d+ ± \d+)\. ADMM takes ([\d.]+)",
            "that of ADMM {} (standard errors), and it is {} times",
        ),
        ("cost", r"to the power 0(\.\d\d)\.", "the number of rows to the power {}"),
        ("same-rate", r"On (\d+) pairs .* to the power (1)\.0", "on {} pairs that need a feature each"),
    ):
        match = re.search(pattern, claims.loc[claim, "evidence"])
        assert match and words.format(*match.groups()) in results, claim
    for claim, words in (
        ("below-admm", "with the default choices and in {} of {} specifications"),
        ("restart-best", "The restart is best in {} of {}, but not by default"),
    ):
        match = re.search(r"holds in (\d+) of (\d+) specifications", claims.loc[claim, "robustness"])
        assert words.format(*match.groups()) in results, claim


def test_what_the_published_lipschitz_constant_costs(results):
    rows = read_text_table(f"{L14}/constant.csv", "ratio", "iterations", "level")
    assert set(rows["reached"]) == {"True"} and set(rows["level"]) == {1e-6}
    published, exact, newton = (
        rows.loc[rows["solver"] == name] for name in ("fista_trace", "fista_exact", "prox_newton")
    )
    assert "With it, FISTA comes within 1e-6 of the certified optimum" in results
    ratio = published["ratio"].agg(["min", "max"])
    assert f"is {ratio['min']:.1f} to {ratio['max']:.1f} times the largest eigenvalue" in results
    first, second, third = (
        f"{block['iterations'].min():.0f} to {block['iterations'].max():.0f}"
        for block in (published, exact, newton)
    )
    words = (
        f"after {first} iterations, with the eigenvalue after {second}; proximal Newton takes {third} steps"
    )
    assert words in results


def test_what_the_early_stop_of_fenchelrank_removes(results):
    rows = read_text_table(f"{L14}/early_stop.csv", "variables", "optimum_variables", "radius", "excess")
    saved = rows["optimum_variables"] - rows["variables"]
    assert f"in {(saved > 0).sum()} of {len(rows)} balls, and more in {(saved < 0).sum()}." in results
    largest_saving = rows.loc[saved.idxmax()]
    ours, optimum = (f"{largest_saving[name]:.0f}" for name in ("variables", "optimum_variables"))
    assert (
        f"most on `{largest_saving['dataset']}` at radius {largest_saving['radius']:.0f}: "
        f"{ours} variables instead of" in results
    )
    assert f"instead of {optimum}, {decimal(100 * largest_saving['excess'])} % above the optimum" in results


def test_published_counts_that_the_files_do_not_have(results):
    data = read_text_table("data.csv").set_index("dataset")
    differing = data[(data["features_published"] != "") & (data["features_published"] != data["features"])]
    differing = differing[(differing["status"] == "obtained") & (differing["variant_of"] == "")]
    differing = differing[differing["substitute_for"] == ""]
    assert set(differing.index) == {"a9a", "diabetes", "ionosphere"}
    counts = {
        name: (row["features"], row["features_published"]) for name, row in differing.to_dict("index").items()
    }
    assert "`ionosphere` has {} features ({} are published)".format(*counts["ionosphere"]) in results
    assert "`a9a` has {} features ({} are published)".format(*counts["a9a"]) in results
    assert "`diabetes` {} ({})".format(*counts["diabetes"]) in results


def test_the_memory_of_the_largest_fits(results):
    rows = read_text_table(f"{K15}/scale.csv", "rows", "peak_resident_mb").query("kind == 'measured'")
    gibibytes = rows.groupby("rows")["peak_resident_mb"].max() / 1024
    largest, next_one = gibibytes.iloc[-1], gibibytes.iloc[-2]
    words = f"takes {largest:.1f} GiB for 500 000 × 2000 and {next_one:.1f} GiB for the next smaller size"
    notes = (SNAPSHOT / "README.md").read_text(encoding="utf-8")
    (further,) = re.search(r"the searched depth of TopPush on `w8a` ([\d.]+ GiB)", notes).groups()
    assert f"{words}, everything else at most {further}." in results
