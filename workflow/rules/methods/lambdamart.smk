# LambdaMART (Burges 2010), by LightGBM's ranker. Beyond the papers.
# needs: lightgbm


use rule fit as lambdamart with:
    wildcard_constraints:
        method="lambdamart",
    params:
        **methods.params(
            "reproduction.fitting.baselines.lambdamart",
            fixed={"random_state": 0, "n_jobs": 1, "verbosity": -1, "deterministic": True},
            # LightGBM's own level, 30, sees little of a list of thousands
            grid={
                "lambdarank_truncation_level": [1000, 30],
                "n_estimators": [300, 100],
                "num_leaves": [31, 15, 7],
            },
        ),
