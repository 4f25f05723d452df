# RankSVM with the lp penalty, p = 0.5 (Laporte et al. 2014), by reweighted l1.


rule lp_ranksvm:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("lp_ranksvm"),
    log:
        "logs/fit/{study}.{dataset}.{features}.lp_ranksvm.{block}.log",
    benchmark:
        "benchmarks/lp_ranksvm/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("lp_ranksvm", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed={"penalty": "lp", "p": 0.5, "warm_start": True},
        grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        code=code_digest(
            "toprank.query_protocol",
            "toprank.estimators.ranksvm",
            "toprank.solvers.prox_newton",
            "toprank.solvers.reweighted",
        ),
    script:
        "../../scripts/fit.py"
