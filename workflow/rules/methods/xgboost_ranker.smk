# Gradient-boosted trees for NDCG, by XGBoost's ranker. Beyond the papers.
# needs: xgboost


use rule fit as xgboost_ranker with:
    wildcard_constraints:
        method="xgboost_ranker",
    params:
        **methods.params(
            "reproduction.fitting.baselines.xgboost_ranker",
            fixed={"objective": "rank:ndcg", "ndcg_exp_gain": False, "random_state": 0, "n_jobs": 1},
            grid={"n_estimators": [300, 100], "max_depth": [6, 4, 2]},
        ),
