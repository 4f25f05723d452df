"""The sentences that recommend a method and a depth, on made tables."""

import pandas as pd

from reproduction.papers.across.recommendation import recommend_methods

FACTS = pd.DataFrame(
    {
        "dataset": ["a", "b", "c"],
        "gain_rate_at_top": [0.02, -0.3, -0.005],
        "zero_optimal_share": [0.0, 1.0, 0.5],
    }
)
DECISION = {"situation": "queries", "metric": "rate_at_top", "method": "lambdamart", "n_sets": 3.0}
DECISION |= {"mean": 0.25, "rival_mean": float("nan"), "p_better": float("nan")}
GAINS = pd.DataFrame(
    {"depth_1_average_precision": [0.1, 0.2, -0.02], "logistic_average_precision": [0.0, 0.011, float("nan")]}
)


def test_a_tuned_depth_is_counted_where_it_was_measured():
    tables = {"decisions": pd.DataFrame([DECISION]), "facts": FACTS}
    method, depth = recommend_methods(tables)
    assert "LambdaMART" in method and "too few sets for a test" in method
    assert "on 1 of 3 lists, and fewer on 1 (differences above 0.01)" in depth
    assert "On 1 of them (b) its optimum is w = 0" in depth and "With its depth tuned" not in depth
    _, tuned = recommend_methods(tables | {"depth_gains": GAINS})
    words = (
        "regularisation. With its depth tuned, it has a higher average precision than at depth 1 on 2 of 3 "
        "(a lower one on 1), and than logistic regression on 1 of 2 (a lower one on 0). Tune the depth"
    )
    assert words in tuned
