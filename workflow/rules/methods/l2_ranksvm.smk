# RankSVM with the l2 norm: squared hinge on every pair, of a single list or within queries.


use rule fit as l2_ranksvm with:
    wildcard_constraints:
        method="l2_ranksvm",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "l2", "warm_start": True},
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
        ),
