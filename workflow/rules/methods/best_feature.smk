# The best single feature: a baseline for methods with several features.


use rule fit as best_feature with:
    wildcard_constraints:
        method="best_feature",
    params:
        **methods.params(
            "reproduction.fitting.baselines.BestFeature",
        ),
