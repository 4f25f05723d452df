"""What R12 claims of the top of the list, of variables, retrieval, running time and convergence."""

from __future__ import annotations

from functools import partial

from reproduction.comparison.claims import OUTCOMES, Claim, make_outcomes_template
from reproduction.papers.rakotomamonjy2012 import claim_checks
from reproduction.papers.rakotomamonjy2012.times import claim_checks as times_checks
from reproduction.papers.rakotomamonjy2012.toy import claim_checks as toy_checks
from reproduction.papers.rakotomamonjy2012.toy.claim_checks import (
    L1_PUSH,
    L2_PUSH,
    NEAR_F_MEASURE,
    PRECISION_RIVALS,
    RANKSVM,
    RETRIEVAL_RIVALS,
    RFE_PUSH,
)

_BETTER_TEXT = """On the toy problem with 20 and 100 noise features it is significantly better (two-sided
Wilcoxon test at .05, over the trials) in {{ better }} of {{ of }} comparisons: {{ rivals | each("against
{method} better on {better} and worse on {worse} of {of} sizes") | join("; ") }}."""
_RETRIEVAL = """{% set words = "{method} {value:.2f}" %} It is the highest at {{ higher }} of {{ of }} numbers
of noise features: {% for one in means %}{{ one.noise }}: {{ one.methods | each(words) | join(", ") }}
{{- "." if loop.last else "; " }}{% endfor %}"""

TOY_CHOICES = ("ties", "covariance")
"""The choices that the toy problem has; all others concern the data sets of Table 1."""

CLAIMS = (
    Claim(
        # "In most cases" is read as more than half of the comparisons over sizes and rivals.
        "toy-better",
        "section 4.1, Figure 1",
        "“our ℓ1 support vector infinite push significantly outperforms other competitors, in most cases "
        "with a p-value of a Wilcoxon signed rank test lower than 0.05”",
        _BETTER_TEXT,
        lambda outcomes: claim_checks.judge_better_on_toy(outcomes, (L2_PUSH, RANKSVM, RFE_PUSH)),
        (OUTCOMES,),
        choices=TOY_CHOICES,
        reading="it is significantly better (two-sided Wilcoxon test at .05, over the trials) in more "
        "than half of the comparisons",
    ),
    Claim(
        # The same judge with one rival: the sentence names recursive elimination alone.
        "better-than-elimination",
        "section 4",
        "“compared to … recursive feature elimination (RFE) in an infinite push context, our embedded "
        "approach … provides better accuracy on top of the list”",
        _BETTER_TEXT,
        lambda outcomes: claim_checks.judge_better_on_toy(outcomes, (RFE_PUSH,)),
        (OUTCOMES,),
        choices=TOY_CHOICES,
        reading="it is significantly better than recursive elimination in more than half of the comparisons",
    ),
    Claim(
        # "Does not necessarily improve" is not refuted by the lack of a significant decrease.
        "rank-and-size",
        "section 4.1, Figure 1",
        "“unlike the infinite push approach, SVM Rank does not necessarily improve its performances on the "
        "top as the number of examples increases”",
        """{% set words = "{few} to {many} rows with {noise} noise features ({before:.3f} to {after:.3f})" %}
        Of {{ rank.of }} pairs of sizes, more rows lower the rate at the top of RankSVM significantly in
        {{ rank.falls | length }}{% if rank.falls %}: {{ rank.falls | each(words) | joined }}{% endif %}.
        The rate of the ℓ₁ infinite push falls in {{ push.falls | length }} of {{ push.of }}.
        {% set rise = "p = {p:.2g} with {noise} noise features" %}That the rate is higher with
        {{ rank.rises[0].most }} rows than with {{ rank.rises[0].few }}: RankSVM {{ rank.rises | each(rise) |
        joined }}; ℓ₁ infinite push {{ push.rises | each(rise) | joined }}.""",
        claim_checks.judge_growth,
        (OUTCOMES,),
        choices=TOY_CHOICES,
        other_readings={"falls": partial(claim_checks.judge_growth, must_fall=True)},
        reading="for some number of noise features, four times as many rows do not raise the rate of RankSVM "
        "significantly (one-sided Welch test at .05), but that of the ℓ₁ infinite push; reading falls: for "
        "some pair of sizes the larger one has a significantly lower rate of RankSVM (Welch test with Holm's "
        "correction), for none of the ℓ₁ infinite push",
    ),
    Claim(
        # "Very good" is not "the highest": a small distance counts, and the strict reading stands beside it.
        "elimination-f-measure",
        "section 4.1, Figure 2",
        "“the RFE infinite push performs very good with respects to the F-measure”",
        _RETRIEVAL,
        partial(
            toy_checks.judge_retrieval,
            metric="f_measure",
            best=RFE_PUSH,
            rivals=RETRIEVAL_RIVALS,
            tol=NEAR_F_MEASURE,
        ),
        ("retrieval",),
        toy_checks.group_by_ties,
        other_readings={
            "highest": partial(
                toy_checks.judge_retrieval, metric="f_measure", best=RFE_PUSH, rivals=RETRIEVAL_RIVALS
            )
        },
        reading="its F-measure is at most .05 below the highest at most numbers of noise features; "
        "reading highest: it is the highest at each; under each rule for tied candidates",
    ),
    Claim(
        # The sentence compares with elimination; the reading of all rivals asks for more than it says.
        "sparse-precision",
        "section 4.1, Figure 2",
        "“the use of the ℓ1 norm yields to a better precision”",
        _RETRIEVAL,
        partial(toy_checks.judge_retrieval, metric="precision", best=L1_PUSH, rivals=(RFE_PUSH,)),
        ("retrieval",),
        toy_checks.group_by_ties,
        other_readings={
            "most": partial(
                toy_checks.judge_retrieval, metric="precision", best=L1_PUSH, rivals=(RFE_PUSH,), tol=0.0
            ),
            "all rivals": partial(
                toy_checks.judge_retrieval, metric="precision", best=L1_PUSH, rivals=PRECISION_RIVALS
            ),
        },
        reading="the ℓ₁ push has the higher precision than recursive elimination at each number of noise "
        "features; reading most: at more than half of them; reading all rivals: than each other method; "
        "under each rule for tied candidates",
    ),
    Claim(
        # "About 1": within .5. RankSVM here forms no pair, so its exponent is not that of the paper's
        # program.
        "exponents",
        "section 4.1, Figure 3",
        "“both algorithms have an empirical exponent complexity of about 1 with respects to the number of "
        "pairwise training examples”",
        """{% set words = "{exponent:.2f} with {noise} noise features" %} Algorithm 1 has exponent {{ push |
        each(words) | joined }}.
        {% if rank %}Our RankSVM, which forms no pair, has {{ rank | each(words) | joined }}, which says
        nothing about an implementation on pairs.{% endif %}""",
        times_checks.judge_exponents,
        ("figure3",),
        reading="both exponents are within .5 of 1",
    ),
    Claim(
        "loops-converge",
        "section 3.4",
        "“these stopping criteria have been kept fixed but still no empirical problem of convergence has "
        "been noticed”",
        """Algorithm 1, with a fixed tolerance of its inner loops, reached its own in {{ met }} of
        {{ of }} runs, with a relative duality gap of at most {{ gap | to(".1e") }}.
        {% if limit %}{{ limit }} more reached the time limit.{% endif %}""",
        times_checks.judge_admm_convergence,
        ("figure3",),
        reading="each run of Figure 3 that the time limit did not end reaches its tolerance",
    ),
    Claim(
        # "May be lost" needs one example.
        "dual-not-unique",
        "section 2.2",
        "“when considering the dual problem (3) … this property [uniqueness] may be lost”",
        """For {{ m }} + {{ n }} Gaussian rows in {{ d }} dimensions the Hessian of (3) has rank {{ rank }} of
        {{ pairs }}. Among the solutions of (3), which all give the same w, one multiplier takes values from
        {{ least | to(".3f") }} to {{ most | to(".3f") }}.""",
        claim_checks.judge_dual_uniqueness,
        reading="on a small problem one multiplier takes different values among the solutions",
    ),
    Claim(
        # "For all datasets" is read as it stands: one significant difference refutes it.
        "equivalent-at-the-top",
        "section 4.2, Table 1",
        "“for all datasets, performances on top are statistically equivalent”",
        make_outcomes_template("No method is significantly worse than the best (Wilcoxon test at .05)"),
        claim_checks.make_dataset_judge(claim_checks.is_equivalent, "rate_at_top", "holds_on_all"),
        (OUTCOMES, "published_values"),
        reading="no method is significantly worse than the best (Wilcoxon test at .05) on any data set",
    ),
    Claim(
        # "Most of the cases": more than half of the data sets.
        "fewer-variables",
        "section 4.2, Table 1",
        "“sparse infinite push uses significantly fewer variables in most of the cases”",
        make_outcomes_template(
            "The ℓ₁ infinite push uses significantly fewer variables than ℓ₁ RankSVM (Wilcoxon test at .05)"
        ),
        claim_checks.make_dataset_judge(claim_checks.is_sparser, "variables", "holds_on_most"),
        (OUTCOMES, "published_values"),
        reading="significantly fewer than ℓ₁ RankSVM (Wilcoxon test at .05) on more than half of the data "
        "sets",
    ),
    Claim(
        # "Can be achieved" needs one data set for each factor.
        "factors",
        "section 4.2, Table 1",
        "“A reduction of a factor 20 or 8 can respectively be achieved with respects to the original number "
        "of variables or the number of variables selected by SVM Rank”",
        """{% set names = ["all variables", "the variables of ℓ₁ RankSVM"] %}The largest factors are:
        {% for one in largest if one %}{{ one.factor | to(".1f") }} on {{ one.dataset }}, of
        {{ names[loop.index0] }}{{ "." if loop.last else "; " }}{% endfor %}
        {% if missing %} Not measured: {{ missing | joined }} ({{ missing | length }} of {{ of }} data
        sets).{% endif %}""",
        claim_checks.judge_reduction,
        (OUTCOMES, "published_values"),
        reading="factors that round to 20 and to 8 are each reached on some data set",
    ),
    Claim(
        "bold-on-bci",
        "section 4.2, Table 1",
        "“71.1 ± 16” variables on BCI is the one bold number of Table 1",
        """On {{ dataset }} the ℓ₁ infinite push uses {{ ours | to(".1f") }} variables and ℓ₁ RankSVM
        {{ theirs | to(".1f") }}.{% if is_substitute %} But BCI was not obtained: {{ dataset }}
        is a substitute, which does not decide the claim.{% endif %}{% if other_sets %} Significantly
        fewer on other sets: {{ other_sets | join(", ") }}.{% endif %}""",
        claim_checks.judge_bold_count,
        (OUTCOMES, "published_values"),
        other_readings={
            "lower": partial(claim_checks.judge_bold_count, reading="lower"),
            "only": partial(claim_checks.judge_bold_count, reading="only"),
        },
        reading="the caption does not explain bold: significantly fewer variables than ℓ₁ RankSVM uses "
        "(Wilcoxon test at .05); reading lower: fewer in the mean; reading only: significantly fewer on BCI "
        "and on no other data set",
    ),
)
"""In the order of the paper's sections on what is measured."""
