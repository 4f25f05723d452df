"""Numbers of the pages that are settings, constants of the comparison, or counts of files and methods."""

import re

import documented_across
import numpy as np
import pytest
import yaml
from documented_pages import ROOT, SNAPSHOT, WORDS, read_prose, read_table

from reproduction.comparison import measurements, placebo, row_explanations
from reproduction.datasets import registry
from reproduction.fitting import ranking_metrics
from reproduction.papers import paper
from reproduction.papers.across import decisions
from reproduction.splits.letor_folds import LETOR_FOLDS
from toprank.metrics import ndcg

K15, L14, R12 = "kadkhodaie2015", "laporte2014", "rakotomamonjy2012"
STUDIES = (R12, L14, K15)


@pytest.fixture(scope="module")
def readme():
    return read_prose("README.md")


@pytest.fixture(scope="module")
def results():
    return read_prose("docs/results.md")


@pytest.fixture(scope="module")
def multiverse():
    return read_prose("docs/multiverse.md")


@pytest.fixture(scope="module")
def which_method():
    return read_prose("docs/which_method.md")


@pytest.fixture(scope="module")
def settings():
    return yaml.safe_load((SNAPSHOT / "config.yaml").read_text(encoding="utf-8"))["studies"]


def test_how_many_papers_and_methods(readme, results, which_method):
    papers = WORDS[len(STUDIES)]
    assert f"a Snakemake workflow that reproduces {papers} papers" in readme
    assert f"In none of the {papers} papers does any count" in results
    assert f"with one thread per job, the {papers} papers take" in results
    n_methods = [len(paper(name).methods) for name in STUDIES]
    words = f"The {papers} papers compare {WORDS[min(n_methods)]} to {WORDS[max(n_methods)]} methods each"
    assert words in which_method
    assert f"The data sets come from {papers} papers and three collections" in which_method


def test_the_versions_of_python(readme):
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    first, end = map(int, re.search(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', text).groups())
    versions = [f"3.{minor}" for minor in range(first, end)]
    assert f"Python {', '.join(versions[:-1])} or {versions[-1]}, Linux or macOS" in readme


def test_the_rules_of_the_comparison(results):
    splits = {paper(name).published_splits for name in (R12, K15)}
    assert f"the paper's {WORDS[splits.pop()]} splits are too few to decide" in results and not splits
    assert f"one combination of at most {WORDS[measurements.MAX_CHANGES]} other choices" in results
    assert f"it recovers {WORDS[row_explanations.MIN_RECOVERED]} of the row's numbers or all" in results
    assert f"are permuted in both ways {placebo.N_PERMUTATIONS} times" in results
    assert f"{WORDS[paper(K15).published_splits]} splits with such a spread decide little" in results


def test_the_settings_of_the_figures_of_kadkhodaie(results, settings):
    trends = settings[K15]["trends"]
    names = ", ".join(f"`{name}`" for name in trends["datasets"][:-1])
    words = (
        f"{WORDS[trends['splits']]} splits of {names} and `{trends['datasets'][-1]}`, raw and standardised"
    )
    assert words in results
    assert "within_permille" in read_table(f"{K15}/trends.csv")
    assert "ADMM, A2DM2 and the restart stay within .1 % of their own optimum after at most" in results
    admm = settings[K15]["admm"]
    assert admm["lambda1"] == admm["lambda2"]
    assert f"λ₁ = λ₂ = {admm['lambda1']:g} change".replace("0.", ".") in results
    lowest = min(settings[K15]["perturbation"]["alphas"])
    assert f" % at λ = {lowest:g} above its own optimum".replace("0.", ".") in results


def test_the_caps_and_splits_of_top_push(results):
    table = read_table(f"{K15}/table1.csv").set_index(["dataset", "method"])
    stopped = table.loc[("covtype", "toppush")]
    assert stopped["statuses"].startswith("max_iterations")
    cap = int(float(stopped["n_iter_median"]))
    assert f"it ends at its cap of {cap:,} iterations".replace(",", " ") in results
    zero = table[table["zero_optimal_share"].astype(float) == 1]
    (splits,) = set(zero["splits_used"].astype(int))
    assert f"at every regularisation of its grid**, on all {WORDS[splits]} splits" in results


def test_what_is_missing_or_wrong(results):
    files = [str(file) for file in registry.get("cod-rna").files]
    reason = read_table("data.csv").set_index("dataset").loc["cod-rna", "reason"]
    assert re.search(r"lacks (\S+):", reason).group(1) == "cod-rna.r", "one file"
    assert f"of `cod-rna` one file of {WORDS[len(files)]} is missing" in results
    assert "Two published counts are wrong: `a9a` has" in results, "and diabetes, as compared elsewhere"


def test_by_what_factors_cod_rna_misses_the_claim(results):
    evidence = read_table("claims.csv").set_index("claim").loc["cod-rna", "evidence"]
    ours, admm, times = map(
        float, re.search(r"is (\d+) ± .* ADMM (\d+) ± .* takes ([\d.]+) times", evidence).groups()
    )
    assert ours < 2 * admm and times < 100
    assert "A2DM2 is neither twice as good as ADMM nor a hundred times faster" in results


def test_which_lists_are_too_short_for_ndcg(results):
    def measure(n_documents):
        grades = np.arange(n_documents) % 2
        return ndcg(grades, grades.astype(float), np.zeros(n_documents), k=10, convention="letor")

    assert measure(9) == 0 < measure(10)
    assert "LETOR's script, which gives 0 to queries with fewer than ten documents" in results


def test_the_best_combinations_in_words(results, multiverse):
    # over all numbers, also those that have nothing to be exchanged with in the placebo
    effects = read_table("option_effects.csv")
    largest = effects.assign(net=effects["recovered"] - effects["lost"]).groupby("study")["net"].idxmax()
    best = {}
    for study, choice, option in effects.loc[largest, ["study", "choice", "option"]].itertuples(index=False):
        pairs = zip(choice.split("; "), option.split("; "), strict=True)
        best[study] = "; ".join(map("=".join, pairs))
    effects = effects.set_index("study")

    def find_effects(study):
        names = dict(pair.split("=") for pair in best[study].split("; "))
        rows = effects.loc[study]
        is_best = (rows["choice"] == "; ".join(names)) & (rows["option"] == "; ".join(names.values()))
        return names, rows[is_best].iloc[0]

    names, row = find_effects(R12)
    assert names["positive"] == "other"
    share = names["share"].replace("e-0", "e-")
    words = (
        f"with λ at {share} of λ_max and no search: {WORDS[row['recovered']]} numbers of the paper are "
        f"recovered and {WORDS[row['lost']]} is lost"
    )
    assert words in results
    names, row = find_effects(L14)
    pairs = " and ".join(f"`{name}={option}`" for name, option in names.items())
    words = f"The best combination, {pairs}, recovers {row['recovered']} and loses {row['lost']}."
    assert words in multiverse
    explained = read_table("explanations.csv").query("dataset == 'mq2007' and verdict == 'explained'")
    best[L14] = explained["specification"].item()
    names, row = find_effects(L14)
    radius, epsilon = names["largest_radius"], names["epsilon"]
    short = epsilon.removeprefix("0")
    assert f"FenchelRank's radius of at most {radius} with ε = {short} of the log penalty" in results
    words = (
        f"`largest_radius={radius}` and `epsilon={epsilon}` together, {WORDS[row['recovered']]} numbers are "
        f"recovered and {WORDS[row['lost']]} is lost"
    )
    assert words in multiverse


def test_whether_the_optimum_is_unique(results, settings):
    table = read_table(f"{R12}/optimal_face.csv").query("share < 1")
    assert (table["unique"] == table["splits"]).all(), "also where a fit ended early"
    assert (table["fewest_mean"] == table["most_mean"]).all()
    assert set(settings[R12]["datasets"]) - set(table["dataset"]) == {"colon", "colon-normal", "p300"}
    (splits,) = set(table["splits"])
    n_sets = table["dataset"].nunique()
    assert n_sets == 13
    words = (
        "(thirteen variants of the data sets, by the positive class; all sets but `colon` and `p300`; on "
        f"{WORDS[splits]} splits)"
    )
    assert words in results and "Below λ_max, every certified optimum" in results


def test_the_absolute_grid_of_c_explains_no_row(results, multiverse):
    options = read_table("option_effects.csv").query("choice == 'largest_C'")
    assert len(options) == 5 and not options["explains"].any()
    assert "No end point of the grid of C explains a row, and neither does an absolute grid." in results
    effects = options.set_index("option")
    effects.index = [f"{float(option):g}" for option in effects.index]
    for option in ("1", "0.01"):
        row = effects.loc[option]
        words = f"`largest_C={option}` recovers {row['recovered']} and loses {row['lost']}"
        assert words in multiverse


def test_the_settings_of_the_multiverse(multiverse, settings):
    table = read_table(f"{K15}/multiverse.csv").query("quantity == 'pos_at_top'")
    default = table.query("specification == 'default'").groupby("dataset")["splits"].max()
    other = table.query("specification == 'stop=combined'").groupby("dataset")["splits"].max()
    (n_fewer,) = {other[name] for name in ("ijcnn1", "w8a")}
    words = (
        f"over {WORDS[default['diabetes']]} splits; the rows of `ijcnn1` and `w8a` with another stop are of "
        f"{WORDS[n_fewer]}, also for TopPush"
    )
    assert words in multiverse and default["ijcnn1"] == other["diabetes"] == default["diabetes"]
    noise = settings[R12]["toy"]["noise"][0]
    assert f"mean over all sizes and trials with {noise} noise features" in multiverse
    lines = (ROOT / "docs/multiverse.md").read_text(encoding="utf-8").splitlines()
    fewest = [line for line in lines if line.startswith("|") and "| fewest |" in line]
    for line in fewest:
        rates = [float(cell) for cell in line.split("|")[3:7]]
        assert max(rates) == rates[0]
    assert f"and the ℓ₁ push is best on all {WORDS[len(fewest)]}." in multiverse


def test_the_settings_of_which_method(which_method, settings):
    folds = settings[L14]["splits"]
    assert f"fewer where a fit takes seconds), or the {WORDS[folds]} folds of LETOR" in which_method
    metrics = set(read_table("across/agreement.csv")["reported"])
    assert {"precision_at_10", "precision_at_percent"} <= metrics
    assert ranking_metrics.TOP_ROWS == 10 and ranking_metrics.TOP_PERCENT == 1
    words = (
        "precision at 10 and precision in the first 1 % (the shares of positives among the first ten rows "
        "and among the first hundredth of the rows, rounded up)"
    )
    assert words in which_method
    assert metrics <= set(documented_across.METRIC_NAMES)


def test_the_limits_of_the_decisions(which_method):
    rope = f"{decisions.ROPE:g}".removeprefix("0")
    assert f"the probability that the method is better than it by more than {rope}," in which_method
    assert f"Probabilities are those of being better by more than {rope}." in which_method
    words = f"than the runner-up by more than {rope}, and that the difference is at most {rope}."
    assert words in which_method and 'The column "better, the same" has two posterior' in which_method
    least = WORDS[decisions.MIN_DATASETS]
    assert f"Bold: recommended; below {least} data sets there is no recommendation." in which_method
    assert "and the same two probabilities against it" in which_method
    assert (
        f"A row of the decisions with fewer than {least} sets has no test and gives no recommendation"
        in which_method
    )
    table = read_table("across/decisions.csv")
    undecided = set(table.loc[table["recommended"] == "not enough data", "situation"])
    assert undecided == {"queries"} and '("not enough data"): this applies to queries' in which_method


def test_the_further_lists_and_metrics(which_method):
    text = (ROOT / "config/config.yaml").read_text(encoding="utf-8")
    study = yaml.safe_load(text)["studies"]["across"]
    added = [name for name in study["datasets"] if name.startswith(("adbench-", "muv-", "dud-"))]
    assert len(added) == 20 and "Twenty of the lists have few positives" in which_method
    assert len(study["further_metrics"]) == 5 and "With `further_metrics` five more metrics" in which_method
    assert f"All {WORDS[LETOR_FOLDS]} folds of each LETOR set" in which_method
    percent, decay = f"{100 * ranking_metrics.MAX_FPR:g} %", f"{ranking_metrics.DECAY:g}"
    words = f"a false positive rate of {percent}, the enrichment in the first {ranking_metrics.TOP_PERCENT} %"
    assert f"{words} and BEDROC (α = {decay})" in which_method
