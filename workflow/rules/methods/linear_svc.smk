# The linear support vector machine, of relevant rows against all others (scikit-learn). Beyond the papers.


use rule fit as linear_svc with:
    wildcard_constraints:
        method="linear_svc",
    params:
        **methods.params(
            "reproduction.fitting.baselines.PointwiseSVC",
            fixed={"max_iter": 10_000, "random_state": 0},
            grid={"C": [10.0, 1.0, 0.1, 0.01, 0.001, 0.0001]},
        ),
