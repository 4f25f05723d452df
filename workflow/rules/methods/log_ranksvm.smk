# RankSVM with the log penalty, epsilon = 0.1 (Laporte et al. 2014), by reweighted l1.


rule log_ranksvm:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("log_ranksvm"),
    log:
        "logs/fit/{study}.{dataset}.{features}.log_ranksvm.{block}.log",
    benchmark:
        "benchmarks/log_ranksvm/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("log_ranksvm", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed={"penalty": "log", "epsilon": 0.1, "warm_start": True},
        grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        code=code_digest(
            "toprank.query_protocol",
            "toprank.estimators.ranksvm",
            "toprank.solvers.prox_newton",
            "toprank.solvers.reweighted",
        ),
    script:
        "../../scripts/fit.py"
