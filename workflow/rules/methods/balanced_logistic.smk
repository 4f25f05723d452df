# Logistic regression with both classes of equal total weight (scikit-learn). Beyond the papers.


use rule fit as balanced_logistic with:
    wildcard_constraints:
        method="balanced_logistic",
    params:
        **methods.params(
            "reproduction.fitting.baselines.PointwiseLogistic",
            fixed={"max_iter": 1000, "class_weight": "balanced"},
            grid={"C": [100.0, 10.0, 1.0, 0.1, 0.01, 0.001]},
        ),
