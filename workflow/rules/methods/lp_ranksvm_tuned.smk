# RankSVM with the lp penalty, beyond the paper: p is chosen together with the regularisation.


rule lp_ranksvm_tuned:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("lp_ranksvm_tuned"),
    log:
        "logs/fit/{study}.{dataset}.{features}.lp_ranksvm_tuned.{block}.log",
    benchmark:
        "benchmarks/lp_ranksvm_tuned/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("lp_ranksvm_tuned", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed={"penalty": "lp", "warm_start": True},
        grid=lambda wildcards: {
            "p": layout.study(wildcards)["ps"],
            "share": layout.study(wildcards)["shares"],
        },
        code=code_digest(
            "toprank.query_protocol",
            "toprank.estimators.ranksvm",
            "toprank.solvers.prox_newton",
            "toprank.solvers.reweighted",
        ),
    script:
        "../../scripts/fit.py"
