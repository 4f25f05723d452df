# Logistic regression of relevant rows against all others (scikit-learn), without a ranking loss. Beyond the papers.


use rule fit as logistic_regression with:
    wildcard_constraints:
        method="logistic_regression",
    params:
        **methods.params(
            "reproduction.fitting.baselines.PointwiseLogistic",
            fixed={"max_iter": 1000},
            grid={"C": [100.0, 10.0, 1.0, 0.1, 0.01, 0.001]},
        ),
