"""What R12 claims of its measurements: top of the list, variables, retrieval, running time, convergence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import pandas as pd
from scipy.stats import ttest_ind

from reproduction.comparison.claims import (
    DATASETS_TEXT,
    OUTCOMES,
    Claim,
    all_hold,
    cache_by_rows,
    evaluate_by_dataset,
    sort_datasets,
)
from reproduction.papers.rakotomamonjy2012.dual import dual_range
from reproduction.papers.rakotomamonjy2012.table1 import LEVEL, worse_than_best
from reproduction.papers.rakotomamonjy2012.times import figure as times_figure
from reproduction.papers.rakotomamonjy2012.toy.names import toy_size
from reproduction.specs.labels import method_label
from reproduction.statistics.paired_tests import adjust_holm, wilcoxon_p
from toprank.certificate import SUCCESS_STATUSES

SPARSE, RIDGE, RANK = "l1_infinite_push", "l2_infinite_push", "l1_ranksvm"
RFE, LOOPS = "rfe_infinite_push", "l1_infinite_push_admm"
NOISE = (20, 100)
"""Noise features of Figure 1, as printed."""

ABOUT_ONE = 0.5
"""How far an exponent that is about 1 may lie from it: what rounds to 1."""

OF_D, OF_RANK = 19.5, 7.5
"""What rounds to the factors of the text, 20 and 8."""


def on_the_toy(readings: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of Figure 1, with the training rows and the noise features of each."""
    sizes = {name: toy_size(name) or (0, 0) for name in readings["dataset"].unique()}
    rows, noise = (readings["dataset"].map({name: size[i] for name, size in sizes.items()}) for i in (0, 1))
    return readings.assign(rows=rows, noise=noise)[noise.isin(NOISE) & readings["rate_at_top"].notna()]


def beats(readings: pd.DataFrame, rivals: tuple[str, ...]) -> dict | None:
    """Count the sizes of the toy problem on which the sparse push is significantly better than each rival."""
    sizes = on_the_toy(readings).groupby("dataset")
    found = [_differences(block[["split", "method", "rate_at_top"]], rivals) for _, block in sizes]
    found = pd.DataFrame(found, columns=list(rivals))
    signs = {"of": found.notna(), "better": found > 0, "worse": found < 0}
    counts = pd.DataFrame({name: is_so.sum() for name, is_so in signs.items()})
    if not counts["of"].all():
        return None
    of, better = counts["of"].sum(), counts["better"].sum()
    named = counts.assign(method=counts.index.map(method_label)).to_dict("records")
    return {"holds": better > of / 2, "better": better, "of": of, "rivals": named}


@cache_by_rows
def _differences(block: pd.DataFrame, rivals: tuple[str, ...]) -> dict[str, float]:
    """How much better the sparse push is at the top than each rival; 0 where no difference is significant."""
    rates = block.pivot_table(index="split", columns="method", values="rate_at_top")
    return {
        rival: (rates[SPARSE] - rates[rival]).mean() * (wilcoxon_p(rates[SPARSE], rates[rival]) < LEVEL)
        for rival in rivals
        if {SPARSE, rival} <= set(rates)
    }


def falls(readings: pd.DataFrame) -> dict | None:
    """Find where more training rows give a significantly lower rate at the top, for both methods."""
    toy = on_the_toy(readings)
    counts = {}
    for method in (SPARSE, RANK):
        lower, tested = [], 0
        for noise, block in toy[toy["method"] == method].groupby("noise"):
            fallen, pairs = _falls(block[["rows", "rate_at_top"]])
            tested += pairs
            lower += [{"noise": noise} | fall for fall in fallen]
        if not tested:
            return None
        counts[method] = {"falls": lower, "of": tested}
    holds = bool(counts[RANK]["falls"]) and not counts[SPARSE]["falls"]
    return {"holds": holds, "rank": counts[RANK], "push": counts[SPARSE]}


@cache_by_rows
def _falls(block: pd.DataFrame) -> tuple[list[dict], int]:
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


def retrieves(table: pd.DataFrame, measure: str, best: str, rivals: tuple[str, ...]) -> dict | None:
    """Compare how well methods retrieve the relevant features, at each number of noise features."""
    wide = table.pivot_table(index="noise", columns="method", values=f"{measure}_mean")
    rivals = [rival for rival in rivals if rival in wide]
    if best not in wide or not rivals:
        return None
    higher = wide[best] > wide[rivals].max(axis=1)
    means = [
        {"noise": noise, "methods": [{"method": method_label(m), "value": row[m]} for m in (best, *rivals)]}
        for noise, row in wide.iterrows()
    ]
    return {"holds": bool(higher.all()), "higher": int(higher.sum()), "of": len(wide), "means": means}


def exponents(table: pd.DataFrame) -> dict | None:
    """Fit the exponent of the time in the pairs, of Algorithm 1 and of our RankSVM."""
    found = times_figure.exponents(table)
    push, rank = ([one for one in found if one["solver"] == solver] for solver in (LOOPS, RANK))
    if not push:
        return None
    alike, as_ours = ([abs(one["exponent"] - 1) <= ABOUT_ONE for one in of] for of in (push, rank))
    # our RankSVM forms no pair: an exponent of about 1 would confirm, another one says nothing of theirs
    holds = False if not all(alike) else True if rank and all(as_ours) else None
    return {"holds": holds, "near": ABOUT_ONE, "push": push, "rank": rank}


def loops_converge(table: pd.DataFrame) -> dict | None:
    """Ask how Algorithm 1, with inner loops of a fixed tolerance, ended."""
    runs = table[table["solver"] == LOOPS]
    ended = runs[runs["status"] != "time_limit"]
    if ended.empty:
        return None
    met = ended["status"].isin(SUCCESS_STATUSES)
    facts = {"met": int(met.sum()), "of": len(ended), "gap": ended["relative_gap"].max()}
    return facts | {"holds": bool(met.all()), "limit": len(runs) - len(ended)}


def _features(printed: pd.DataFrame) -> pd.Series:
    return printed[printed["quantity"] == "features_count"].set_index("dataset")["number"]


@cache_by_rows
def _is_equivalent(rows: pd.DataFrame) -> bool | None:
    """Whether no method is significantly worse at the top than the best one."""
    p_values = worse_than_best(rows)
    return min(p_values.values()) >= LEVEL if {SPARSE, RIDGE, RANK} <= set(p_values) else None


@cache_by_rows
def _is_sparser(rows: pd.DataFrame) -> bool | None:
    """Whether the sparse push uses significantly fewer variables than RankSVM."""
    wide = rows.pivot_table(index="split", columns="method", values="variables")
    if not {SPARSE, RANK} <= set(wide):
        return None
    fewer = wide[SPARSE].mean() < wide[RANK].mean()
    return bool(fewer and wilcoxon_p(wide[SPARSE], wide[RANK]) < LEVEL)


def on_sets(ask: Callable[[pd.DataFrame], bool | None], measure: str, wanted: str):
    """Make the judge of a claim: `ask` on the printed data sets; `wanted` is an answer of `Sets`."""

    def judge(readings: pd.DataFrame, printed: pd.DataFrame) -> dict:
        known = readings.loc[readings["rate_at_top"].notna(), ["dataset", "split", "method", measure]]
        sets = evaluate_by_dataset(known, _features(printed).index, ask)
        return {"sets": sets, "holds": getattr(sets, wanted)}

    return judge


def reduced(readings: pd.DataFrame, printed: pd.DataFrame) -> dict | None:
    """Find the largest reductions of the number of variables, from all and from RankSVM's."""
    features = _features(printed)
    known = readings[readings["variables"].notna() & readings["dataset"].isin(features.index)]
    means = known.groupby(["dataset", "method"])["variables"].mean().unstack()
    means = means.reindex(columns=[SPARSE, RANK]).dropna()
    factors = features.reindex(means.index) / means[SPARSE], means[RANK] / means[SPARSE]
    answers = [
        sort_datasets(features.index, (factor >= least).to_dict()).holds_on_any
        for factor, least in zip(factors, (OF_D, OF_RANK), strict=True)
    ]
    largest = [{"dataset": one.idxmax(), "factor": one.max()} if len(one) else None for one in factors]
    if not any(largest):
        return None
    missing = [name for name in features.index if name not in means.index]
    return {"holds": all_hold(answers), "largest": largest, "missing": missing, "of": len(features)}


def many_duals() -> Mapping:
    """Show that the dual may have many solutions where the primal has one."""
    found = dual_range()
    return found | {"holds": found["most"] - found["least"] > 1e-3}


_BEATS = """On the toy problem with 20 and 100 noise features it is significantly better (two-sided
Wilcoxon test at .05, over the trials) in {{ better }} of {{ of }} comparisons: {{ rivals | each("against
{method} better on {better} and worse on {worse} of {of} sizes") | join("; ") }}."""
_RETRIEVES = """{% set words = "{method} {value:.2f}" %} It is the highest at {{ higher }} of {{ of }} numbers
of noise features: {% for one in means %}{{ one.noise }}: {{ one.methods | each(words) | join(", ") }}
{{- "." if loop.last else "; " }}{% endfor %}"""

CLAIMS = (
    Claim(
        "toy-better",
        "section 4.1, Figure 1",
        "“our ℓ1 support vector infinite push significantly outperforms other competitors, in most cases "
        "with a p-value of a Wilcoxon signed rank test lower than 0.05”",
        _BEATS,
        lambda readings: beats(readings, (RIDGE, RANK, RFE)),
        (OUTCOMES,),
    ),
    Claim(
        "better-than-elimination",
        "section 4",
        "“compared to … recursive feature elimination (RFE) in an infinite push context, our embedded "
        "approach … provides better accuracy on top of the list”",
        _BEATS,
        lambda readings: beats(readings, (RFE,)),
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
        falls,
        (OUTCOMES,),
    ),
    Claim(
        "elimination-f-measure",
        "section 4.1, Figure 2",
        "“the RFE infinite push performs very good with respects to the F-measure”",
        "Read as: its F-measure is the highest. " + _RETRIEVES,
        lambda table: retrieves(table, "f_measure", RFE, (SPARSE, RANK, RIDGE)),
        ("figure2",),
    ),
    Claim(
        "sparse-precision",
        "section 4.1, Figure 2",
        "“the use of the ℓ1 norm yields to a better precision”",
        "Read as: its precision is above RFE's. " + _RETRIEVES,
        lambda table: retrieves(table, "precision", SPARSE, (RFE,)),
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
        exponents,
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
        loops_converge,
        ("figure3",),
    ),
    Claim(
        "dual-not-unique",
        "section 2.2",
        "“when considering the dual problem (3) … this property [uniqueness] may be lost”",
        """For {{ m }} + {{ n }} Gaussian rows in {{ d }} dimensions the Hessian of (3) has rank {{ rank }} of
        {{ pairs }}. Among the solutions of (3), which all give the same w, one multiplier takes values from
        {{ least | to(".3f") }} to {{ most | to(".3f") }}.""",
        many_duals,
    ),
    Claim(
        "equivalent-at-the-top",
        "section 4.2, Table 1",
        "“for all datasets, performances on top are statistically equivalent”",
        "Does the Wilcoxon test at .05 find no method worse than the best? " + DATASETS_TEXT,
        on_sets(_is_equivalent, "rate_at_top", "holds_on_all"),
        (OUTCOMES, "published_values"),
    ),
    Claim(
        "fewer-variables",
        "section 4.2, Table 1",
        "“sparse infinite push uses significantly fewer variables in most of the cases”",
        "Are they significantly fewer than ℓ₁ RankSVM uses, by the Wilcoxon test at .05? " + DATASETS_TEXT,
        on_sets(_is_sparser, "variables", "holds_on_most"),
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
        reduced,
        (OUTCOMES, "published_values"),
    ),
)
"""In the order of the paper's sections on what is measured."""
