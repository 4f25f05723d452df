# A random forest of relevant rows against all others (scikit-learn). Beyond the papers.


use rule fit as random_forest with:
    wildcard_constraints:
        method="random_forest",
    params:
        **methods.params(
            "reproduction.fitting.baselines.random_forest",
            fixed={"n_estimators": 200, "random_state": 0, "n_jobs": 1},
            grid={"max_features": ["sqrt", 0.3], "min_samples_leaf": [1, 5]},
        ),
