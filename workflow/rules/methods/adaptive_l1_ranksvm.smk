# RankSVM with the adaptive l1 norm, beyond the paper: each weight divided by its size under the l1 norm.


rule adaptive_l1_ranksvm:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("adaptive_l1_ranksvm"),
    log:
        "logs/fit/{study}.{dataset}.{features}.adaptive_l1_ranksvm.{block}.log",
    benchmark:
        "benchmarks/adaptive_l1_ranksvm/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("adaptive_l1_ranksvm", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed={"penalty": "weighted-l1", "weights": "adaptive", "warm_start": True},
        grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        code=code_digest(
            "toprank.query_protocol",
            "toprank.estimators.ranksvm",
            "toprank.solvers.prox_newton",
        ),
    script:
        "../../scripts/fit.py"
