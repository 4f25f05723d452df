# RankSVM with the lp penalty, p = 0.5 (Laporte et al. 2014), by reweighted l1.


use rule fit as lp_ranksvm with:
    wildcard_constraints:
        method="lp_ranksvm",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "lp", "penalty__p": 0.5, "warm_start": True},
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
        ),
