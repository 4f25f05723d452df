# Gradient-boosted trees under the logistic loss, of relevant rows against all others (scikit-learn). Beyond the papers.


use rule fit as boosted_trees with:
    wildcard_constraints:
        method="boosted_trees",
    params:
        **methods.params(
            "reproduction.fitting.baselines.boosted_trees",
            fixed={"max_iter": 100, "learning_rate": 0.1, "early_stopping": False, "random_state": 0},
            grid={"max_leaf_nodes": [31, 10, 4]},
        ),
