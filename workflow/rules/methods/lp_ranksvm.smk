# RankSVM with the lp penalty, p = 0.5 (Laporte et al. 2014), by reweighted l1.


use rule fit as lp_ranksvm with:
    output:
        layout.fits_of("lp_ranksvm"),
    log:
        methods.log("lp_ranksvm"),
    benchmark:
        methods.benchmark("lp_ranksvm")
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "lp", "penalty__p": 0.5, "warm_start": True},
            grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        ),
