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
                "penalty__gamma": studies.get_settings(wildcards)["scad_gamma"],
                "warm_start": True,
            },
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
        ),
