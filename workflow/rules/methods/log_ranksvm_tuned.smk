# RankSVM with the log penalty, beyond the paper: epsilon is chosen together with the regularisation.


rule log_ranksvm_tuned:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("log_ranksvm_tuned"),
    log:
        "logs/fit/{study}.{dataset}.{features}.log_ranksvm_tuned.{block}.log",
    benchmark:
        "benchmarks/log_ranksvm_tuned/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("log_ranksvm_tuned", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed={"penalty": "log", "warm_start": True},
        grid=lambda wildcards: {
            "epsilon": layout.study(wildcards)["epsilons"],
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
