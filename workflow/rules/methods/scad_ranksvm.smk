# RankSVM with the smoothly clipped absolute deviation, beyond the paper, by reweighted l1.


use rule fit as scad_ranksvm with:
    wildcard_constraints:
        method="scad_ranksvm",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed=lambda wildcards: {
                "penalty": "scad",
                "penalty__gamma": layout.study(wildcards)["scad_gamma"],
                "warm_start": True,
            },
            grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        ),
