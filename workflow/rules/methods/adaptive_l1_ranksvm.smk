# RankSVM with the adaptive l1 norm, beyond the paper: each weight is divided by its size in a ridge regression.


use rule fit as adaptive_l1_ranksvm with:
    wildcard_constraints:
        method="adaptive_l1_ranksvm",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "adaptive-l1", "warm_start": True},
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
        ),
