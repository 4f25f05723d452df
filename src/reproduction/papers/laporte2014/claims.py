"""What L14 claims of sparsity and of MAP and NDCG@10, and of how fast its algorithm converges."""

from __future__ import annotations

from functools import partial

from reproduction.comparison.claims import OUTCOMES, Claim, make_outcomes_template
from reproduction.papers.laporte2014 import claim_checks, sparsity_checks
from reproduction.papers.laporte2014.convergence_rate import judge_convergence_rate

_DECREASES_TEXT = """On {{ dataset }} it is {{ map.decrease | to(".1f") }} % below the best method in MAP
(p = {{ map.p | to(".2g") }}) and {{ ndcg10.decrease | to(".1f") }} % in NDCG@10
(p = {{ ndcg10.p | to(".2g") }})."""
# The paper's test is Student's on pairs; the folds share training parts, hence the correction.
_TEST_TEXT = """  Significant: at .05, by Student's one-sided test against the best method on the folds, with
the correction of Nadeau and Bengio."""
_FOLDS_TEST_TEXT = """  Significant: at .05, by Student's one-sided test on the folds, with the correction of
Nadeau and Bengio."""
_FACTOR_TEXT = """{% if most %}The largest factor is {{ most.factor | to(".3g") }}, of {{ most.method }} on
{{ most.dataset }}.{% endif %} """
_PLACES_TEXT = """{% set words = "{method} is best or equivalent on {yes}, and significantly worse on {no}" %}
{{ each | each(words) | join("; ") }}.
{% if missing %}Not measured: {{ missing | joined }} ({{ missing | length }} of {{ of }} data
sets).{% endif %}"""

CLAIMS = (
    Claim(
        # "Half in average" is a mean over all nine data sets, so it cannot be told from some of them.
        "half-as-many",
        "sections I and VI-A, Table IV",
        "“similar values of evaluation measures while using half as many features in average”",
        """{% if share is not none %}The share is {{ share | to(".2f") }} on the data sets
        measured.{% endif %}
        {% if missing %}The mean over nine sets is unknown: {{ missing | length }} of {{ of }} were not
        measured ({{ missing | joined }}).{% endif %}""",
        sparsity_checks.judge_half_as_many,
        (OUTCOMES, "published_values"),
        reading="the mean sparsity ratio of log and ℓ₀.₅ is .4 to .6 of the mean ratio of the three "
        "convex methods",
    ),
    Claim(
        # "Most" is read as more than half of the nine data sets.
        "sparsest-on-most",
        "section VI-C, Table IV",
        "“On most datasets, the log and ℓp penalties are the methods that select the smaller number of "
        "features”",
        make_outcomes_template("log or ℓ₀.₅ has the smallest sparsity ratio"),
        sparsity_checks.judge_sparsest,
        (OUTCOMES, "published_values"),
        reading="one of the two has the smallest sparsity ratio on more than half of the data sets",
    ),
    Claim(
        # Vague: FSMRank alone, or each convex method above each nonconvex one.
        "convex-least-sparse",
        "section VI-A, Table IV",
        "“Methods that use the ℓ1 penalty are the less sparse. In particular, FSMRank leads to higher "
        "sparsity ratio on most of the datasets”",
        make_outcomes_template("FSMRank has the largest sparsity ratio"),
        sparsity_checks.make_largest_ratio_judge(
            "fsmrank", "fenchelrank", "l1_ranksvm", *sparsity_checks.NONCONVEX_METHODS
        ),
        (OUTCOMES, "published_values"),
        other_readings={"each": sparsity_checks.judge_convex_least_sparse},
        reading="FSMRank has the largest sparsity ratio on more than half of the data sets; reading each: "
        "each convex method has a larger one than each nonconvex one there",
    ),
    Claim(
        "mcp-least-sparse",
        "section VI-A, Table IV",
        "“The MCP penalty appears to be the less sparse of the non-convex penalties”",
        make_outcomes_template("MCP has a larger sparsity ratio than log and ℓ₀.₅"),
        sparsity_checks.make_largest_ratio_judge("mcp_ranksvm", *sparsity_checks.SPARSEST_METHODS),
        (OUTCOMES, "published_values"),
        reading="MCP has a larger sparsity ratio than log and ℓ₀.₅ on more than half of the data sets",
    ),
    Claim(
        # "Up to" needs one data set; "without degradation" needs equivalence in both metrics there.
        "six-times-fewer",
        "abstract, section VI-C",
        "“up to six times fewer features than the other convex algorithms, without any significant "
        "degradation of evaluation measures”",
        _FACTOR_TEXT
        + make_outcomes_template("A factor rounds to six without a significant loss")
        + _TEST_TEXT,
        lambda outcomes, published: sparsity_checks.judge_fewer_features(
            outcomes,
            claim_checks.list_table4_datasets(published),
            sparsity_checks.SIXFOLD_MIN_FACTOR,
            must_be_equivalent=True,
        ),
        (OUTCOMES, "published_values"),
        reading="a factor that rounds to six against the convex method with most features, on some data "
        "set where neither MAP nor NDCG@10 is significantly below the best",
    ),
    Claim(
        # Here the text asks for no equivalence, so none is required.
        "twelve-times-fewer",
        "sections VI-A and VI-C",
        "“On the same dataset [MQ2007] … the algorithm selects up to twelve times less features than the "
        "convex approaches”",
        _FACTOR_TEXT,
        lambda outcomes: sparsity_checks.judge_fewer_features(
            outcomes, ("mq2007",), sparsity_checks.TWELVEFOLD_MIN_FACTOR, must_be_equivalent=False
        ),
        (OUTCOMES,),
        reading="a factor that rounds to twelve against the convex method with most features",
    ),
    Claim(
        # "All the algorithms" on named data sets: one significant loss refutes it.
        "map-alike",
        "section VI-B, Table V",
        "“on four datasets including Ohsumed, MQ2008, NP2004 and TD2003, all the algorithms provide similar "
        "results than the best algorithm” (MAP)",
        make_outcomes_template("No method is significantly worse than the best") + _TEST_TEXT,
        claim_checks.make_equivalence_judge(claim_checks.MAP_EQUIVALENT_DATASETS, "map"),
        (OUTCOMES,),
        reading="no method is significantly worse than the best on any of the four",
    ),
    Claim(
        "ndcg-alike",
        "section VI-B, Table VI",
        "“all the algorithms provide similar results compared to the best algorithm on seven datasets” "
        "(NDCG@10)",
        make_outcomes_template("No method is significantly worse than the best") + _TEST_TEXT,
        claim_checks.make_equivalence_judge(claim_checks.NDCG_EQUIVALENT_DATASETS, "ndcg10"),
        (OUTCOMES,),
        reading="no method is significantly worse than the best on any of the seven",
    ),
    Claim(
        # The direction and the significance are judged; the printed per cent are results of their own.
        "log-on-hp2004",
        "sections VI-B and VI-C, Tables V and VI",
        "“On HP2004, we observe a degradation of 11% of the MAP and of 4% of the NDCG when using the log "
        "penalty”",
        _DECREASES_TEXT + _TEST_TEXT,
        claim_checks.make_decrease_judge("hp2004", "log_ranksvm"),
        (OUTCOMES,),
        reading="both decreases are significant",
    ),
    Claim(
        "lp-on-mq2007",
        "section VI-C, Tables V and VI",
        "“we observe a 3% decrease of the MAP and a 5.6% decrease of the NDCG@10 when using the ℓp penalty” "
        "(MQ2007)",
        _DECREASES_TEXT + _TEST_TEXT,
        claim_checks.make_decrease_judge("mq2007", "lp_ranksvm"),
        (OUTCOMES,),
        reading="both decreases are significant",
    ),
    Claim(
        # "On all other datasets": one counterexample refutes it.
        "l1-alike",
        "section VI-B, Table V",
        "“The ℓ1 algorithm is the best on one dataset and provides equivalent results on all other datasets” "
        "(MAP)",
        make_outcomes_template("ℓ₁ RankSVM is not significantly worse than the best") + _TEST_TEXT,
        claim_checks.make_equivalence_judge(None, "map", ("l1_ranksvm",)),
        (OUTCOMES, "published_values"),
        reading="it is not significantly worse than the best on any data set",
    ),
    Claim(
        "mcp-best-or-alike",
        "section VI-B, Table V",
        "“The MCP regularization leads to the best MAP values on two datasets and is equivalent to the best "
        "method on five datasets”",
        _PLACES_TEXT + _TEST_TEXT,
        claim_checks.make_seven_datasets_judge("mcp_ranksvm"),
        (OUTCOMES, "published_values"),
        reading="it is the best or not significantly worse on at least seven of the nine data sets",
    ),
    Claim(
        "log-and-lp-alike",
        "section VI-B, Table V",
        "“The log and ℓp penalties provides results similar to the best algorithm on seven datasets”",
        _PLACES_TEXT + _TEST_TEXT,
        claim_checks.make_seven_datasets_judge(*sparsity_checks.SPARSEST_METHODS),
        (OUTCOMES, "published_values"),
        reading="each is the best or not significantly worse on at least seven data sets",
    ),
    Claim(
        "fsmrank-on-mq2007",
        "section VI-B, Tables V and VI",
        "“FSMRank provides the higher value of MAP on the MQ2007 dataset”, and of NDCG@10",
        """On {{ dataset }} the highest MAP is {{ map.value | to(".4f") }} ({{ map.best }}; FSMRank
        {{ own_map | to(".4f") }}), the highest NDCG@10 {{ ndcg10.value | to(".4f") }} ({{ ndcg10.best }};
        FSMRank {{ own_ndcg10 | to(".4f") }}). Our FSMRank is a reconstruction.""",
        claim_checks.make_best_method_judge("mq2007", "fsmrank"),
        (OUTCOMES,),
        reading="its means over the folds are the highest of the six methods",
    ),
    Claim(
        # Two parts: an increase somewhere, and a significant one nowhere.
        "increase-not-significant",
        "section VI-B, Tables V and VI",
        "“They can lead to higher MAP or NDCG values, althought the increase is not statistically "
        "significant”",
        """{% set words = "{method} on {dataset} in {metric} (p = {p:.2g}, over {rival})" %}
        {% if increases %}Higher means: {{ increases | each(words) | join("; ") }}.
        {% else %}It is higher on no data set.{% endif %} """
        + make_outcomes_template("No increase is significant")
        + _FOLDS_TEST_TEXT,
        claim_checks.judge_increases,
        (OUTCOMES, "published_values"),
        other_readings={
            "either": partial(claim_checks.judge_increases, is_better_rival=False),
            "uncorrected": partial(claim_checks.judge_increases, test_to_train=0.0),
        },
        reading="the best of the four own methods is higher than the better of FenchelRank and FSMRank on "
        "some data set, in MAP or NDCG@10, and on none significantly; reading either: higher than the worse "
        "of the two; reading uncorrected: by Student's test without the correction",
    ),
    Claim(
        # Judged cell by cell: the sign of equivalence is a claim about each pair of methods.
        "equivalent-cells",
        "Tables V and VI",
        "“If no significant variation is observed, the two algorithms are considered as equivalent and the ∼ "
        "symbol is used”: 76 cells",
        """Of {{ of }} cells {{ measured }} were measured. In {{ yes }} of them the method is not
        significantly worse than the best{% if sets.no %}, but it is for {{ sets.no | joined }}{% endif %}."""
        + _TEST_TEXT,
        claim_checks.judge_equivalent_cells,
        (OUTCOMES, "published_values"),
        other_readings={
            "most": partial(claim_checks.judge_equivalent_cells, reading="most"),
            "published": partial(claim_checks.judge_equivalent_cells, reading="published"),
        },
        reading="the method is not significantly worse than the best on the data set, in each cell; reading "
        "most: in more than half of the cells; reading published: than the published best method",
    ),
    Claim(
        # A theoretical claim, for which one hard instance of FenchelRank's problem is a counterexample.
        "same-rate",
        "section VII",
        "“This algorithm has the same theoretical convergence rate than the state-of-the-art FenchelRank and "
        "FSMrank algorithm”",
        """Algorithm 1 is within O(1/k²) of the optimum after k iterations, and so is FSMRank, which uses
        Nesterov's method. FenchelRank is not: it adds at most one feature a step. On {{ d }} pairs that need
        a feature each, its distance to the optimum falls as 1/k to the power {{ power | to(".2f") }}
        from step {{ least }} to step {{ most }}. So Algorithm 1 has the better rate.""",
        judge_convergence_rate,
        reading="the distance to the optimum falls as fast for all three algorithms",
    ),
)
"""In the order of the paper's sections on what is measured."""
