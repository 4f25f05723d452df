# Logistic regression with the l1 norm, of relevant rows against all others (scikit-learn). Beyond the papers.


use rule fit as logistic_l1 with:
    wildcard_constraints:
        method="logistic_l1",
    params:
        **methods.params(
            "reproduction.fitting.baselines.PointwiseLogistic",
            fixed={"l1_ratio": 1.0, "solver": "liblinear", "max_iter": 300, "random_state": 0},
            grid={"C": [10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003]},
        ),
