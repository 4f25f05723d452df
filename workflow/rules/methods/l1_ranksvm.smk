# Sparse RankSVM of a single list or of queries: l1 norm, squared hinge on every pair (Chapelle and Keerthi 2010;
# Laporte et al. 2014).


use rule fit as l1_ranksvm with:
    output:
        layout.fits_of("l1_ranksvm"),
    log:
        methods.log("l1_ranksvm"),
    benchmark:
        methods.benchmark("l1_ranksvm")
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "l1", "warm_start": True},
            grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
            path=layout.looked_at,
        ),
