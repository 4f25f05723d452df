# RankSVM with the minimax concave penalty, gamma = 2 (Laporte et al. 2014), by reweighted l1.


rule mcp_ranksvm:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("mcp_ranksvm"),
    log:
        "logs/fit/{study}.{dataset}.{features}.mcp_ranksvm.{block}.log",
    benchmark:
        "benchmarks/mcp_ranksvm/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("mcp_ranksvm", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed={"penalty": "mcp", "gamma": 2.0, "warm_start": True},
        grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        code=code_digest(
            "toprank.query_protocol",
            "toprank.estimators.ranksvm",
            "toprank.solvers.prox_newton",
            "toprank.solvers.reweighted",
        ),
    script:
        "../../scripts/fit.py"
