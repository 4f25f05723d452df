"""Claims of R12, and their judges: top of the list, variables, retrieval, running time, convergence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import pandas as pd
from scipy.stats import ttest_ind

from reproduction.comparison.claims import DATASETS_TEXT, OUTCOMES, Claim
from reproduction.comparison.dataset_outcomes import (
    all_hold,
    cache_by_rows,
    evaluate_by_dataset,
    sort_datasets,
)
from reproduction.papers.rakotomamonjy2012.dual import find_multiplier_range
from reproduction.papers.rakotomamonjy2012.table1 import LEVEL, compare_with_best
from reproduction.papers.rakotomamonjy2012.times import figure as times_figure
from reproduction.papers.rakotomamonjy2012.toy.names import toy_size
from reproduction.specs.labels import method_label
from reproduction.statistics.paired_tests import adjust_holm, wilcoxon_p
from toprank.certificate import SUCCESS_STATUSES

L1_PUSH, L2_PUSH, RANKSVM = "l1_infinite_push", "l2_infinite_push", "l1_ranksvm"
RFE_PUSH, ADMM_PUSH = "rfe_infinite_push", "l1_infinite_push_admm"
NOISE_FEATURES = (20, 100)
"""Noise features of Figure 1, as published."""

EXPONENT_TOL = 0.5
"""How far an exponent that is about 1 may lie from it: what rounds to 1."""

MIN_FACTOR_ALL_VARIABLES, MIN_FACTOR_RANKSVM = 19.5, 7.5
"""What rounds to the factors of the text, 20 and 8."""


def _select_toy_rows(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of Figure 1, with the training rows and the noise features of each."""
    sizes = {name: toy_size(name) or (0, 0) for name in outcomes["dataset"].unique()}
    rows, noise = (outcomes["dataset"].map({name: size[i] for name, size in sizes.items()}) for i in (0, 1))
    return outcomes.assign(rows=rows, noise=noise)[
        noise.isin(NOISE_FEATURES) & outcomes["rate_at_top"].notna()
    ]


def _judge_better_on_toy(outcomes: pd.DataFrame, rivals: tuple[str, ...]) -> dict | None:
    """Count the sizes of the toy problem on which the sparse push is significantly better than each rival."""
    sizes = _select_toy_rows(outcomes).groupby("dataset")
    differences = [
        _significant_differences(block[["split", "method", "rate_at_top"]], rivals) for _, block in sizes
    ]
    differences = pd.DataFrame(differences, columns=list(rivals))
    signs = {"of": differences.notna(), "better": differences > 0, "worse": differences < 0}
    counts = pd.DataFrame({name: is_so.sum() for name, is_so in signs.items()})
    if not counts["of"].all():
        return None
    n_compared, n_better = counts["of"].sum(), counts["better"].sum()
    rival_counts = counts.assign(method=counts.index.map(method_label)).to_dict("records")
    return {"holds": n_better > n_compared / 2, "better": n_better, "of": n_compared, "rivals": rival_counts}


@cache_by_rows
def _significant_differences(block: pd.DataFrame, rivals: tuple[str, ...]) -> dict[str, float]:
    """Return how much better the sparse push is at the top than each rival; 0 where it is not significant."""
    rates = block.pivot_table(index="split", columns="method", values="rate_at_top")
    return {
        rival: (rates[L1_PUSH] - rates[rival]).mean() * (wilcoxon_p(rates[L1_PUSH], rates[rival]) < LEVEL)
        for rival in rivals
        if {L1_PUSH, rival} <= set(rates)
    }


def _judge_falls(outcomes: pd.DataFrame) -> dict | None:
    """Find where more training rows give a significantly lower rate at the top, for both methods."""
    toy = _select_toy_rows(outcomes)
    counts = {}
    for method in (L1_PUSH, RANKSVM):
        falls_of_method, n_pairs = [], 0
        for noise, block in toy[toy["method"] == method].groupby("noise"):
            fallen, pairs = _find_falls(block[["rows", "rate_at_top"]])
            n_pairs += pairs
            falls_of_method += [{"noise": noise} | fall for fall in fallen]
        if not n_pairs:
            return None
        counts[method] = {"falls": falls_of_method, "of": n_pairs}
    holds = bool(counts[RANKSVM]["falls"]) and not counts[L1_PUSH]["falls"]
    return {"holds": holds, "rank": counts[RANKSVM], "push": counts[L1_PUSH]}


@cache_by_rows
def _find_falls(block: pd.DataFrame) -> tuple[list[dict], int]:
    """Find the pairs of sizes of which the larger has a significantly lower rate, and count all pairs."""
    rates = {rows: trials["rate_at_top"] for rows, trials in block.groupby("rows") if len(trials) > 1}
    pairs = list(combinations(sorted(rates), 2))
    # trials of two sizes are independent draws: Welch's test, corrected for multiple tests
    tests = [ttest_ind(rates[n], rates[m], equal_var=False, alternative="less") for m, n in pairs]
    p_values = adjust_holm([test.pvalue for test in tests])
    fallen = [
        {"few": m, "many": n, "before": rates[m].mean(), "after": rates[n].mean()}
        for (m, n), p in zip(pairs, p_values, strict=True)
        if p < LEVEL
    ]
    return fallen, len(pairs)


def _judge_retrieval(table: pd.DataFrame, metric: str, best: str, rivals: tuple[str, ...]) -> dict | None:
    """Compare how well methods retrieve the relevant features, at each number of noise features."""
    wide = table.pivot_table(index="noise", columns="method", values=f"{metric}_mean")
    rivals = [rival for rival in rivals if rival in wide]
    if best not in wide or not rivals:
        return None
    is_higher = wide[best] > wide[rivals].max(axis=1)
    means = [
        {"noise": noise, "methods": [{"method": method_label(m), "value": row[m]} for m in (best, *rivals)]}
        for noise, row in wide.iterrows()
    ]
    return {"holds": bool(is_higher.all()), "higher": int(is_higher.sum()), "of": len(wide), "means": means}


def _judge_exponents(table: pd.DataFrame) -> dict | None:
    """Fit the exponent of the time in the pairs, of Algorithm 1 and of our RankSVM."""
    fits = times_figure.list_exponents(table)
    push_fits, rank_fits = (
        [fit for fit in fits if fit["solver"] == solver] for solver in (ADMM_PUSH, RANKSVM)
    )
    if not push_fits:
        return None
    is_push_linear, is_rank_linear = (
        [abs(fit["exponent"] - 1) <= EXPONENT_TOL for fit in solver_fits]
        for solver_fits in (push_fits, rank_fits)
    )
    # our RankSVM forms no pair: an exponent of about 1 would confirm, another one says nothing of theirs
    holds = False if not all(is_push_linear) else True if rank_fits and all(is_rank_linear) else None
    return {"holds": holds, "near": EXPONENT_TOL, "push": push_fits, "rank": rank_fits}


def _judge_admm_convergence(table: pd.DataFrame) -> dict | None:
    """Count how the runs of Algorithm 1, with inner loops of a fixed tolerance, ended."""
    runs = table[table["solver"] == ADMM_PUSH]
    # a run that the time limit stopped does not tell
    ended = runs[runs["status"] != "time_limit"]
    if ended.empty:
        return None
    is_met = ended["status"].isin(SUCCESS_STATUSES)
    facts = {"met": int(is_met.sum()), "of": len(ended), "gap": ended["relative_gap"].max()}
    return facts | {"holds": bool(is_met.all()), "limit": len(runs) - len(ended)}


def _read_feature_counts(published: pd.DataFrame) -> pd.Series:
    """Return the published number of features of each data set."""
    return published[published["quantity"] == "features_count"].set_index("dataset")["number"]


@cache_by_rows
def _is_equivalent(rows: pd.DataFrame) -> bool | None:
    """Return whether no method is significantly worse at the top than the best one; None where one lacks."""
    p_values = compare_with_best(rows)
    return min(p_values.values()) >= LEVEL if {L1_PUSH, L2_PUSH, RANKSVM} <= set(p_values) else None


@cache_by_rows
def _is_sparser(rows: pd.DataFrame) -> bool | None:
    """Return whether the sparse push uses significantly fewer variables than RankSVM."""
    wide = rows.pivot_table(index="split", columns="method", values="variables")
    if not {L1_PUSH, RANKSVM} <= set(wide):
        return None
    fewer = wide[L1_PUSH].mean() < wide[RANKSVM].mean()
    return bool(fewer and wilcoxon_p(wide[L1_PUSH], wide[RANKSVM]) < LEVEL)


def _make_dataset_judge(
    condition: Callable[[pd.DataFrame], bool | None], metric: str, quantifier: str
) -> Callable[[pd.DataFrame, pd.DataFrame], dict]:
    """Make the judge of a claim that a condition holds on the published data sets.

    Parameters
    ----------
    condition : callable
        Rows of one data set -> whether it holds; None where they do not tell.
    metric : str
        Column that the condition reads beside dataset, split and method.
    quantifier : str
        Property of `DatasetOutcomes`, as ``holds_on_all``.

    Returns
    -------
    callable
        Outcomes of one specification and published values -> facts.
    """

    def judge(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict:
        """Judge the claim on all data sets."""
        measured = outcomes.loc[outcomes["rate_at_top"].notna(), ["dataset", "split", "method", metric]]
        sets = evaluate_by_dataset(measured, _read_feature_counts(published).index, condition)
        return {"sets": sets, "holds": getattr(sets, quantifier)}

    return judge


def _judge_reduction(outcomes: pd.DataFrame, published: pd.DataFrame) -> dict | None:
    """Find the largest reductions of the number of variables, from all and from RankSVM's."""
    features = _read_feature_counts(published)
    measured = outcomes[outcomes["variables"].notna() & outcomes["dataset"].isin(features.index)]
    means = measured.groupby(["dataset", "method"])["variables"].mean().unstack()
    means = means.reindex(columns=[L1_PUSH, RANKSVM]).dropna()
    factors = features.reindex(means.index) / means[L1_PUSH], means[RANKSVM] / means[L1_PUSH]
    holds_on_any = [
        sort_datasets(features.index, (factor >= min_factor).to_dict()).holds_on_any
        for factor, min_factor in zip(factors, (MIN_FACTOR_ALL_VARIABLES, MIN_FACTOR_RANKSVM), strict=True)
    ]
    largest = [
        {"dataset": factor.idxmax(), "factor": factor.max()} if len(factor) else None for factor in factors
    ]
    if not any(largest):
        return None
    missing = [name for name in features.index if name not in means.index]
    return {"holds": all_hold(holds_on_any), "largest": largest, "missing": missing, "of": len(features)}


def _judge_dual_uniqueness() -> Mapping:
    """Show that the dual may have many solutions where the primal has one."""
    multiplier_range = find_multiplier_range()
    # far more than the tolerance of the conic solver and of the linear programs
    return multiplier_range | {"holds": multiplier_range["most"] - multiplier_range["least"] > 1e-3}


_BETTER_TEXT = """On the toy problem with 20 and 100 noise features it is significantly better (two-sided
Wilcoxon test at .05, over the trials) in {{ better }} of {{ of }} comparisons: {{ rivals | each("against
{method} better on {better} and worse on {worse} of {of} sizes") | join("; ") }}."""
_RETRIEVAL = """{% set words = "{method} {value:.2f}" %} It is the highest at {{ higher }} of {{ of }} numbers
of noise features: {% for one in means %}{{ one.noise }}: {{ one.methods | each(words) | join(", ") }}
{{- "." if loop.last else "; " }}{% endfor %}"""

CLAIMS = (
    Claim(
        "toy-better",
        "section 4.1, Figure 1",
        "“our ℓ1 support vector infinite push significantly outperforms other competitors, in most cases "
        "with a p-value of a Wilcoxon signed rank test lower than 0.05”",
        _BETTER_TEXT,
        lambda outcomes: _judge_better_on_toy(outcomes, (L2_PUSH, RANKSVM, RFE_PUSH)),
        (OUTCOMES,),
    ),
    Claim(
        "better-than-elimination",
        "section 4",
        "“compared to … recursive feature elimination (RFE) in an infinite push context, our embedded "
        "approach … provides better accuracy on top of the list”",
        _BETTER_TEXT,
        lambda outcomes: _judge_better_on_toy(outcomes, (RFE_PUSH,)),
        (OUTCOMES,),
    ),
    Claim(
        "rank-and-size",
        "section 4.1, Figure 1",
        "“unlike the infinite push approach, SVM Rank does not necessarily improve its performances on the "
        "top as the number of examples increases”",
        """{% set words = "{few} to {many} rows with {noise} noise features ({before:.3f} to {after:.3f})" %}
        Of {{ rank.of }} pairs of sizes, more rows lower the rate at the top of RankSVM significantly in
        {{ rank.falls | length }}{% if rank.falls %}: {{ rank.falls | each(words) | joined }}{% endif %}.
        The rate of the ℓ₁ infinite push falls in {{ push.falls | length }} of {{ push.of }}. The test is
        Welch's at .05, with Holm's correction.""",
        _judge_falls,
        (OUTCOMES,),
    ),
    Claim(
        "elimination-f-measure",
        "section 4.1, Figure 2",
        "“the RFE infinite push performs very good with respects to the F-measure”",
        "Read as: its F-measure is the highest. " + _RETRIEVAL,
        lambda table: _judge_retrieval(table, "f_measure", RFE_PUSH, (L1_PUSH, RANKSVM, L2_PUSH)),
        ("figure2",),
    ),
    Claim(
        "sparse-precision",
        "section 4.1, Figure 2",
        "“the use of the ℓ1 norm yields to a better precision”",
        "Read as: its precision is above RFE's. " + _RETRIEVAL,
        lambda table: _judge_retrieval(table, "precision", L1_PUSH, (RFE_PUSH,)),
        ("figure2",),
    ),
    Claim(
        "exponents",
        "section 4.1, Figure 3",
        "“both algorithms have an empirical exponent complexity of about 1 with respects to the number of "
        "pairwise training examples”",
        """{% set words = "{exponent:.2f} with {noise} noise features" %} About 1 is read as within {{ near
        }} of 1. Algorithm 1 has exponent {{ push | each(words) | joined }}.
        {% if rank %}Our RankSVM, which forms no pair, has {{ rank | each(words) | joined }}, which says
        nothing about an implementation on pairs.{% endif %}""",
        _judge_exponents,
        ("figure3",),
    ),
    Claim(
        "loops-converge",
        "section 3.4",
        "“these stopping criteria have been kept fixed but still no empirical problem of convergence has "
        "been noticed”",
        """Algorithm 1, with a fixed tolerance of its inner loops, reached its own in {{ met }} of
        {{ of }} runs, with a relative duality gap of at most {{ gap | to(".1e") }}.
        {% if limit %}{{ limit }} more reached the time limit.{% endif %}""",
        _judge_admm_convergence,
        ("figure3",),
    ),
    Claim(
        "dual-not-unique",
        "section 2.2",
        "“when considering the dual problem (3) … this property [uniqueness] may be lost”",
        """For {{ m }} + {{ n }} Gaussian rows in {{ d }} dimensions the Hessian of (3) has rank {{ rank }} of
        {{ pairs }}. Among the solutions of (3), which all give the same w, one multiplier takes values from
        {{ least | to(".3f") }} to {{ most | to(".3f") }}.""",
        _judge_dual_uniqueness,
    ),
    Claim(
        "equivalent-at-the-top",
        "section 4.2, Table 1",
        "“for all datasets, performances on top are statistically equivalent”",
        "Does the Wilcoxon test at .05 find no method worse than the best? " + DATASETS_TEXT,
        _make_dataset_judge(_is_equivalent, "rate_at_top", "holds_on_all"),
        (OUTCOMES, "published_values"),
    ),
    Claim(
        "fewer-variables",
        "section 4.2, Table 1",
        "“sparse infinite push uses significantly fewer variables in most of the cases”",
        "Are they significantly fewer than ℓ₁ RankSVM uses, by the Wilcoxon test at .05? " + DATASETS_TEXT,
        _make_dataset_judge(_is_sparser, "variables", "holds_on_most"),
        (OUTCOMES, "published_values"),
    ),
    Claim(
        "factors",
        "section 4.2, Table 1",
        "“A reduction of a factor 20 or 8 can respectively be achieved with respects to the original number "
        "of variables or the number of variables selected by SVM Rank”",
        """{% set names = ["all variables", "the variables of ℓ₁ RankSVM"] %}The largest factors are:
        {% for one in largest if one %}{{ one.factor | to(".1f") }} on {{ one.dataset }}, of
        {{ names[loop.index0] }}{{ "." if loop.last else "; " }}{% endfor %}
        {% if missing %} Not measured: {{ missing | joined }} ({{ missing | length }} of {{ of }} data
        sets).{% endif %}""",
        _judge_reduction,
        (OUTCOMES, "published_values"),
    ),
)
"""In the order of the paper's sections on what is measured."""
