# Random scores: a baseline for all methods.


use rule fit as random_scorer with:
    wildcard_constraints:
        method="random_scorer",
    params:
        **methods.params(
            "reproduction.fitting.baselines.RandomScorer",
        ),
