# RankSVM with the lp penalty, beyond the paper: p is chosen together with the regularisation.


use rule fit as lp_ranksvm_tuned with:
    wildcard_constraints:
        method="lp_ranksvm_tuned",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "lp", "warm_start": True},
            grid=lambda wildcards: {
                "penalty__p": studies.get_settings(wildcards)["ps"],
                "share": studies.get_settings(wildcards)["shares"],
            },
        ),
