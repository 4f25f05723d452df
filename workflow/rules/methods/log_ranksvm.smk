# RankSVM with the log penalty, epsilon = 0.1 (Laporte et al. 2014), by reweighted l1.


use rule fit as log_ranksvm with:
    wildcard_constraints:
        method="log_ranksvm",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "log", "penalty__epsilon": 0.1, "warm_start": True},
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
        ),
