# Infinite push with a ridge (Agarwal 2011), by the exact solver of the same problem.


rule l2_infinite_push:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("l2_infinite_push"),
    log:
        "logs/fit/{study}.{dataset}.{features}.l2_infinite_push.{block}.log",
    benchmark:
        "benchmarks/l2_infinite_push/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("l2_infinite_push", copies=4),
    params:
        estimator="toprank.InfinitePush",
        fixed={"penalty": "l2", "warm_start": True},
        grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        code=code_digest(
            "toprank.protocol",
            "toprank.estimators.infinite_push",
            "toprank.solvers.push_exact",
            "toprank.solvers.zero_optimum",
        ),
    script:
        "../../scripts/fit.py"
