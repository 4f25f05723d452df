# TopPush (Li, Jin and Zhou 2014): accelerated projected gradient on the dual, with the published stopping rule.


use rule fit as toppush with:
    wildcard_constraints:
        method="toppush",
    params:
        **methods.params(
            "toprank.TopPush",
            solver="dual",
            fixed={"solver__stop": "published", "tol": 1e-4, "max_iter": 10_000},
            grid=lambda wildcards: {"alpha": studies.get_settings(wildcards)["alphas"]},
        ),
