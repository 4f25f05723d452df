"""Numbers in the sentences of README.md and docs/results.md that stand in no table of these pages."""

import json
import re
import tarfile

import documented_across
import documented_readme
import pandas as pd
import pytest
import yaml
from documented_pages import SNAPSHOT, WORDS, read_prose, read_table

K15, L14 = "kadkhodaie2015", "laporte2014"
COVTYPE = ("covtype", "covtype-scaled")


@pytest.fixture(scope="module")
def results():
    return read_prose("docs/results.md")


@pytest.fixture(scope="module")
def readme():
    return read_prose("README.md")


@pytest.fixture(scope="module")
def pos_at_top():
    """Data set, specification and method -> the numbers of Table 1 of Kadkhodaie et al."""
    table = read_table(f"{K15}/multiverse.csv").query("quantity == 'pos_at_top'")
    return table.set_index(["dataset", "specification", "method"])


@pytest.fixture(scope="module")
def suboptimality():
    """The distances from the optimum on covtype, raw and scaled, at the ρ of each method that is best."""
    rows = []
    with tarfile.open(SNAPSHOT / f"fits/{K15}.tar.xz") as archive:
        for dataset in COVTYPE:
            lines = archive.extractfile(f"{K15}/experiments/suboptimality.{dataset}.jsonl")
            rows += [json.loads(line)["row"] for line in lines]
    table = pd.DataFrame(rows)
    return table[table["best_rho"].eq(True)].set_index(["dataset", "method", "alpha", "level"])


@pytest.fixture(scope="module")
def claims():
    return pd.read_csv(SNAPSHOT / "claims.csv").set_index("claim")


def decimal(number, digits=2):
    return f"{number:.{digits}f}".removeprefix("0")


def power(number, digits=0):
    """Write a small number as 3e-7, or 1.5e-4 with a digit more."""
    mantissa, exponent = f"{number:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def test_what_the_stop_by_m_k_gives(results, pos_at_top):
    def describe(dataset):
        stopped = pos_at_top.loc[(dataset, "stop=combined", "a2dm2")]
        default = pos_at_top.loc[(dataset, "default", "a2dm2"), "ours_mean"]
        return stopped["ours_mean"], stopped["published"], default

    ours, published, default = describe("breast-cancer")
    words = f"A2DM2 has {ours:.1f} there ({published:.1f} published; {default:.1f} by default)"
    assert words in results
    ours, published, default = describe("ijcnn1")
    assert f"On `ijcnn1` it has {ours:.1f} ({published:.1f}; {default:.1f})" in results
    published = pos_at_top.loc[("ijcnn1", "default", "admm"), "published"]
    assert f"No option recovers the {published:.0f} of ADMM on `ijcnn1`" in results


def test_the_published_numbers_of_covtype_and_w8a(results, pos_at_top):
    raw, scaled = (pos_at_top.loc[("covtype", name, "toppush")] for name in ("default", "features=scaled"))
    assert f"the published {raw['published']:.0f} ± {raw['published_std']:.0f} of TopPush" in results
    closed = (scaled["ours_mean"] - raw["ours_mean"]) / (raw["published"] - raw["ours_mean"])
    words = f"on {WORDS[scaled['splits']]} splits: this closes {WORDS[round(5 * closed)]} fifths of the gap"
    assert words in results
    a2dm2 = pos_at_top.loc[("covtype", "default", "a2dm2")]
    assert f"raw ({a2dm2['published']:.1f} ± {a2dm2['published_std']} published)" in results
    default, other = (pos_at_top.loc[("w8a", name, "toppush")] for name in ("default", "ties=weakest"))
    assert f"where {default['published']:.0f} ± {default['published_std']} is published" in results
    means = f"{other['ours_mean']:.0f} ± {other['ours_std']:.0f}"
    assert f"({means} on the same {WORDS[other['splits']]} splits)" in results


def test_how_far_each_method_is_from_the_optimum_on_covtype(results, suboptimality):
    table = read_table(f"{K15}/table1.csv").set_index(["dataset", "method"])
    chosen = [table.loc[(name, "toppush"), "chosen"] for name in COVTYPE]
    assert {text.split(": ")[0] for text in chosen} == {"alpha=1"}, "the λ of its search"
    raw, scaled = (table.loc[name, "excess_median"] for name in COVTYPE)
    words = (
        f"with the λ = 1 of its search, it is {100 * raw['toppush']:.0f} % above the certified optimum raw "
        f"and {100 * scaled['toppush']:.1f} % scaled. ADMM is {power(raw['admm'])} and "
        f"{power(scaled['admm'])} above, A2DM2 {power(raw['a2dm2'])} and {power(scaled['a2dm2'])}, the "
        f"restart {power(raw['a2dm2_restart'])} and {power(scaled['a2dm2_restart'], 1)}"
    )
    assert words in results
    (zero,) = {power(number) for number in suboptimality["zero_suboptimality"].xs(1.0, level="alpha")}
    assert f"and w = 0 itself {zero}." in results and f"is only {zero} below w = 0" in results


def test_what_ten_seconds_bring_on_covtype(results, suboptimality):
    at_level = suboptimality.xs((0.01, 1e-6), level=("alpha", "level"))
    (zero,) = {power(number, 1) for number in at_level["zero_suboptimality"]}
    settings = yaml.safe_load((SNAPSHOT / "config.yaml").read_text(encoding="utf-8"))
    seconds = WORDS[settings["studies"][K15]["suboptimality"]["time_limit"]]
    raw, scaled = (at_level.loc[name] for name in COVTYPE)
    words = (
        f"At λ = .01, where w = 0 is {zero} above, {seconds} seconds bring TopPush to "
        f"{100 * raw.loc['toppush', 'smallest']:.0f} % above the optimum raw and "
        f"{100 * scaled.loc['toppush', 'smallest']:.0f} % scaled"
    )
    assert words in results
    admm, exact = raw.loc["admm"], raw.loc["exact"]
    (distance,) = {
        power(at_level.loc[(n, m), "smallest"], 1) for n in COVTYPE for m in ("a2dm2", "a2dm2_restart")
    }
    words = (
        f"ADMM comes within 1e-6 after {admm['iterations']:.0f} iterations and {admm['seconds']:.1f} s, the "
        f"exact solver after {exact['iterations']:.0f} and {decimal(exact['seconds'], 1)} s; A2DM2 and its "
        f"restart stay {distance} above"
    )
    assert words in results


def test_the_restart_on_diabetes(results, pos_at_top):
    restart = pos_at_top.loc[("diabetes", "default", "a2dm2_restart")]
    words = f"Pos@Top is {restart['ours_mean']:.1f} with AVX2 and FMA, to which the workflow restricts x86"
    assert f"{words} processors ({restart['published']:.1f} published)" in results


def test_how_many_sets_were_obtained(results):
    data = read_table("data.csv")
    published = data[
        data["rows_published"].notna() & data["variant_of"].isna() & data["substitute_for"].isna()
    ]
    missing = published["status"].isna()  # "not obtained" is read as no value
    counts = missing.groupby(published["papers"]).agg(["size", "sum"])
    total, lost = counts.loc[L14]
    assert f"{WORDS[total - lost].capitalize()} of {WORDS[total]} data sets were obtained; the " in results
    assert f"the {WORDS[lost]} of the Gov corpus were not" in results
    total, lost = counts.loc[K15]
    assert f"{WORDS[total - lost].capitalize()} of the {WORDS[total]} data sets were obtained" in results


def test_the_claims_of_laporte(results, claims):
    verdicts = claims.loc[claims["study"] == L14, "verdict"]
    words = (
        f"So {WORDS[(verdicts == 'cannot tell').sum()]} of the {WORDS[len(verdicts)]} claims cannot be "
        f"decided (*cannot tell*), and {WORDS[(verdicts == 'holds under some choices').sum()]} hold under"
    )
    assert words in results
    measured = {}
    for claim in ("twelve-times-fewer", "lp-on-mq2007"):
        cells = re.findall(r"in (\d+) of (\d+) with ([\d.]+\d)", claims.loc[claim, "robustness"])
        measured[claim] = {float(share): (int(holds), int(total)) for holds, total, share in cells}
    assert f"the end of the grid decides {WORDS[len(measured)]} claims**: that ℓ₀.₅ needs twelve" in results
    for counts in measured.values():
        in_all = [share for share, (holds, total) in counts.items() if holds == total]
        assert f"if the grid ends at {decimal(min(in_all))} of λ_max or above" in results
    twelve, lp = measured.values()
    share, (holds, total) = next((s, c) for s, c in twelve.items() if 0 < c[0] < c[1])
    words = f"at {decimal(share, 3)} the first does in {WORDS[holds]} of {WORDS[total]} specifications"
    assert words in results and lp[share][0] == 0
    assert not any(holds for smaller, (holds, _) in twelve.items() if smaller < share)


def test_which_best_values_of_laporte_come_back(results):
    table = pd.read_csv(SNAPSHOT / "comparison.csv").query("study == @L14 and kind == 'result'")
    agree = table[table["verdict"] == "agrees"].groupby("quantity").size()
    map_sets, ndcg_sets = (WORDS[agree[name]] for name in ("map", "ndcg10"))
    measured = WORDS[(table.query("quantity == 'map'")["verdict"] != "not obtained").sum()]
    words = f"The best MAP is reproduced on {map_sets} of the {measured} sets, and NDCG@10 on {ndcg_sets}"
    assert words in results


def test_what_explains_mq2007(results):
    rows = pd.read_csv(SNAPSHOT / "explanations.csv").query("dataset == 'mq2007' and verdict == 'explained'")
    (values,) = rows["values"]
    pattern = r": ([\d.]+) published, [\d.]+ by default, ([\d.]+) with it"
    numbers = [
        re.search(name + pattern, values).groups()
        for name in ("FenchelRank, sparsity ratio", "log, sparsity ratio")
    ]
    (first, ours), (second, log) = [[decimal(float(number)) for number in pair] for pair in numbers]
    assert f"({ours} and {log} on `mq2007`, {first} and {second} published)" in results


def test_the_rule_for_ties_on_the_toy_problem(results, claims):
    text = claims.loc["toy-better", "robustness"]
    cells = re.findall(r"in (\d+) of (\d+) with (\w+)", text)
    counts = {name: (int(holds), int(total)) for holds, total, name in cells}
    assert all(counts[name][0] == counts[name][1] for name in ("strongest", "fewest"))
    assert counts["default"][0] == 0, "in none with the middle one"
    holds, total = (sum(counts[name][i] for name in ("weakest", "most")) for i in (0, 1))
    assert f"in {WORDS[holds]} of {total} with the weakest or the one with the most variables" in results


def test_the_minutes_of_the_studies(results):
    text = (SNAPSHOT / "README.md").read_text(encoding="utf-8")
    pattern = r"^\| (?:`(\w+)`|data and verification) \| (\d+)(?:, of which (\d+) for the choices [\w ]+)? \|"
    rows = re.findall(pattern, text, flags=re.MULTILINE)
    minutes = {name or "data": (int(total), int(choices or 0)) for name, total, choices in rows}
    assert len(minutes) == 6
    minutes_across, minutes_scaffolds = (minutes.pop(name)[0] for name in ("across", "across_scaffolds"))
    papers, choices = (sum(pair[i] for pair in minutes.values()) for i in (0, 1))
    total, schedule = re.search(
        r"That is ([\d.]+) hours.* (Scheduled longest job first, they take [^.]*\.)", text
    ).groups()
    assert float(total) == pytest.approx((papers + minutes_across + minutes_scaffolds) / 60, abs=0.05)
    assert (
        f"{papers} processor minutes, {choices} of them for the choices that they leave open, and "
        f"[which method, when?](which_method.md) {minutes_across}, {minutes_scaffolds} more with whole "
        f"scaffolds: {total} hours in all. {schedule}"
    ) in results


def test_which_numbers_of_australian_come_back(results):
    table = pd.read_csv(SNAPSHOT / "comparison.csv").query("study == @K15 and quantity == 'pos_at_top'")
    verdicts = table[table["verdict"].isin(["agrees", "consistent"])].groupby("dataset")["method"].agg(set)
    n_methods = len(verdicts["australian"])
    assert f"On `australian` all {WORDS[n_methods]} numbers agree or are consistent" in results
    assert verdicts["australian"] - verdicts["w8a"] == {"toppush"}


def test_what_comes_back_of_laporte_in_the_readme(readme, results):
    table = read_table(f"{L14}/table4.csv").dropna(subset=["sparsity_ratio_mean", "published_sparsity_ratio"])
    table = table[table["dataset"] != "mean"]
    ratios = table.pivot(index="dataset", columns="method", values="sparsity_ratio_mean")
    assert set(ratios.idxmin(axis=1)) <= {"log_ranksvm", "lp_ranksvm"}
    assert f"log or ℓ₀.₅ is the sparsest on each of the {WORDS[len(ratios)]} sets" in results
    n_published = len(read_table(f"{L14}/table3.csv")["dataset"].unique())
    words = (
        f"On the {WORDS[len(ratios)]} of {WORDS[n_published]} LETOR sets that we could obtain, log or ℓ₀.₅"
    )
    assert words in readme
    claims = pd.read_csv(SNAPSHOT / "claims.csv").set_index("claim")
    assert claims.loc["sparsest-on-most", "verdict"] == "cannot tell"
    assert f"Its claim about most of the {WORDS[n_published]} sets cannot be decided." in readme
    best = pd.read_csv(SNAPSHOT / "comparison.csv").query("quantity == 'map' and kind == 'result'")
    agree = (best["verdict"] == "agrees").sum()
    assert f"The best published MAP is reproduced on {WORDS[agree]} of the {WORDS[len(ratios)]}." in readme


@pytest.mark.parametrize("describe", documented_readme.SENTENCES)
def test_a_sentence_on_the_choice_of_a_method(readme, describe):
    assert describe() in readme


def test_what_the_readme_says_in_words_on_the_choice(readme):
    bayes = documented_across.read("bayes").set_index(["metric", "method"])
    at_top = bayes.loc[("rate_at_top", "toppush_exact")]
    over_list = bayes.loc[("average_precision", "toppush_exact")]
    claims = pd.read_csv(SNAPSHOT / "claims.csv").set_index("claim")
    assert claims.loc["top-pays", "verdict"] == "does not hold" and at_top["p_better"] < 0.5
    assert over_list["p_worse"] > 0.95
    words = (
        "**At its default depth of 1, TopPush is no better than logistic regression at the top of a list, "
        "and worse below it.**"
    )
    assert words in readme
    tuned = bayes.loc[("average_precision", "toppush_depth")]
    assert abs(tuned["mean_difference"]) < abs(over_list["mean_difference"]) / 2 and tuned["p_better"] < 0.05


def test_the_size_of_the_report(readme):
    megabytes = (SNAPSHOT / "report/report.zip").stat().st_size / 1e6
    assert f"[all of it as one page](reports/snapshot/report/report.zip) ({megabytes:.1f} MB)" in readme
