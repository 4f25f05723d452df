# RankSVM with the minimax concave penalty, beyond the paper: gamma is chosen together with the regularisation.


rule mcp_ranksvm_tuned:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("mcp_ranksvm_tuned"),
    log:
        "logs/fit/{study}.{dataset}.{features}.mcp_ranksvm_tuned.{block}.log",
    benchmark:
        "benchmarks/mcp_ranksvm_tuned/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("mcp_ranksvm_tuned", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed={"penalty": "mcp", "warm_start": True},
        grid=lambda wildcards: {
            "gamma": layout.study(wildcards)["gammas"],
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
