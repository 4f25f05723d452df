"""Claims of K15 on Figures 2 and 3, judged on each split, data set and feature scaling that was run."""

from __future__ import annotations

from functools import partial

from reproduction.comparison.claims import Claim
from reproduction.papers.kadkhodaie2015.dirty_model.trace_analysis import ACCELERATED, FAMILY
from reproduction.papers.kadkhodaie2015.trends import claim_checks as trends
from reproduction.papers.kadkhodaie2015.trends.claim_checks import MAX_FEW_HUNDRED, MAX_FEW_THOUSAND
from reproduction.papers.kadkhodaie2015.trends.experiment import TOPPUSH

_CONVERGENCE_TEXT = """
{% set words = "{method} from iteration {iteration:.0f} on" %} On {{ case }}, within
{{ tolerance | to(".1%") }} of the optimum of its own objective: {{ methods | each(words, "{method} not within
{last:.0f} iterations") | join(", ") }}."""
_SETTLED_TEXT = """On {{ case }} the Pos@Top of {{ method }} on the test part changes for the last time at
iteration {{ last_change | to(".0f") }} of {{ last | to(".0f") }}, and is within a tenth of its final value,
{{ final | to(".0f") }}, from iteration {{ near_end | to(".0f") }} on."""
_TOPS_TEXT = """Share of the positives before the first negative after the published stops, on {{ case }}:
{{ methods | each("{method} {top:.1%}") | join(", ") }}."""

TRENDS_CLAIMS = (
    Claim(
        # "A few hundred" is at most 1000: the most that the words can mean.
        "family-few-hundred",
        "section 5.4, Figure 2",
        "“ADMM, A2DM2 and A2DM2+Restart converge in only a few hundred iterations”",
        _CONVERGENCE_TEXT,
        partial(trends.check_convergence, methods=FAMILY, limit=MAX_FEW_HUNDRED),
        ("trends",),
        trends.group_by_case,
        other_readings={
            "percent": partial(
                trends.check_convergence, methods=FAMILY, limit=MAX_FEW_HUNDRED, column="within_percent"
            )
        },
        reading="each stays within .1 % of its own optimum from at most iteration 1000 on; reading percent: "
        "within 1 %; judged on each split, data set and scaling",
    ),
    Claim(
        # Both ends are needed: neither within a few hundred, nor beyond ten thousand.
        "toppush-few-thousand",
        "section 5.4, Figure 2",
        "“TopPush needs to run for a few thousands of iterations to reach the optimal objective value”",
        _CONVERGENCE_TEXT,
        partial(
            trends.check_convergence, methods=(TOPPUSH,), limit=MAX_FEW_THOUSAND, more_than=MAX_FEW_HUNDRED
        ),
        ("trends",),
        trends.group_by_case,
        other_readings={
            "percent": partial(
                trends.check_convergence,
                methods=(TOPPUSH,),
                limit=MAX_FEW_THOUSAND,
                more_than=MAX_FEW_HUNDRED,
                column="within_percent",
            )
        },
        reading="it stays within .1 % of its optimum from an iteration between 1000 and 10 000 on; reading "
        "percent: within 1 %; judged on each split, data set and scaling",
    ),
    Claim(
        # Pos@Top is a small whole number: a last change by one positive is not instability, hence the second
        # reading.
        "top-settles",
        "section 5.4, Figure 2",
        "“A2DM2 converges to its final test top-ranking performance after few hundreds of iteration”",
        _SETTLED_TEXT,
        partial(trends.check_settled_top, method=ACCELERATED, holds=trends.is_early),
        ("trends",),
        trends.group_by_case,
        other_readings={
            "tenth": partial(
                trends.check_settled_top, method=ACCELERATED, holds=trends.is_early, column="near_end"
            )
        },
        reading="its Pos@Top changes for the last time after at most 1000 of 10 000 iterations; reading "
        "tenth: from then on it is within a tenth of its final value; judged on each split, data set and "
        "scaling",
    ),
    Claim(
        "top-of-toppush",
        "section 5.4, Figure 2",
        "“TopPush does not seem to achieve a stable number of Pos@Top”",
        _SETTLED_TEXT,
        partial(trends.check_settled_top, method=TOPPUSH, holds=trends.is_late),
        ("trends",),
        trends.group_by_case,
        other_readings={
            "tenth": partial(
                trends.check_settled_top, method=TOPPUSH, holds=trends.is_late, column="near_end"
            )
        },
        reading="its Pos@Top still changes in the second half of 10 000 iterations; reading tenth: there it "
        "is still more than a tenth away from its final value; judged on each split, data set and scaling",
    ),
    Claim(
        # Faster may mean an earlier stop, or smaller residuals after as many iterations.
        "residuals-faster",
        "section 5.4, Figure 3",
        "“the residuals decay faster for the accelerated variants of ADMM”",
        """Iterations until the residuals meet the published tolerance, on {{ case }}:
        {{ methods | each("{method} {stop:.0f}", "{method} never") | join(", ") }}.""",
        trends.check_residual_decay,
        ("trends",),
        trends.group_by_case,
        other_readings={"smaller": partial(trends.check_residual_decay, column="residual")},
        reading="both accelerated methods meet the published tolerance before ADMM; reading smaller: after "
        "1000 iterations both have smaller residuals; judged on each split, data set and scaling",
    ),
    Claim(
        # Only cases that the figures do not show can support this sentence.
        "same-trends",
        "section 5.4",
        "“we observed same trends as what follows with the other datasets and with different training-test "
        "splits”",
        """In {{ cases }} other cases: {{ sentences | each("{sentence} in {yes} of {of}") | join("; ") }}.""",
        trends.check_same_trends,
        ("trends",),
        other_readings={
            "most": partial(trends.check_same_trends, reading="most"),
            "figure": partial(trends.check_same_trends, reading="figure"),
        },
        reading="each of the five sentences above holds in each case but that of the figures; reading most: "
        "in more than half of them; reading figure: in each of them the outcome is the same as, here, on the "
        "first split of raw spambase",
    ),
    Claim(
        "order-at-the-top",
        "section 5.3, Figure 3",
        "“A2DM2 + Restart achieves slightly higher Pos@Top performance followed by TopPush and A2DM2 and "
        "finally ADMM”",
        _TOPS_TEXT,
        trends.check_roc_order,
        ("trends",),
        trends.group_by_case,
        reading="in this order of the rate at the top, on each split, data set and scaling on which a "
        "method has a positive at the top",
    ),
    Claim(
        # "Similar" has no number: a difference of rates, or a ratio.
        "similar-at-the-top",
        "section 5.3, Figure 3",
        "“one can observe similar top ranking performance for the four approaches”",
        _TOPS_TEXT,
        trends.check_similar_tops,
        ("trends",),
        trends.group_by_case,
        other_readings={"ratio": partial(trends.check_similar_tops, is_relative=True)},
        reading="the rates at the top differ by at most .05, on each split, data set and scaling on which "
        "a method has a positive at the top; reading ratio: the highest is at most twice the lowest",
    ),
)
"""In the order of section 5.4, then the tops of section 5.3."""
