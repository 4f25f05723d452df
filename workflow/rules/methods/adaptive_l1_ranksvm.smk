# RankSVM with the adaptive l1 norm, beyond the paper: each weight is divided by its size in a ridge regression.


use rule fit as adaptive_l1_ranksvm with:
    output:
        layout.fits_of("adaptive_l1_ranksvm"),
    log:
        methods.log("adaptive_l1_ranksvm"),
    benchmark:
        methods.benchmark("adaptive_l1_ranksvm")
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "adaptive-l1", "warm_start": True},
            grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        ),
