# Sparse infinite push (Rakotomamonjy 2012, eq. 2 with the l1 norm), by the exact solver.


rule l1_infinite_push:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("l1_infinite_push"),
    log:
        "logs/fit/{study}.{dataset}.{features}.l1_infinite_push.{block}.log",
    benchmark:
        "benchmarks/l1_infinite_push/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("l1_infinite_push", copies=4),
    params:
        estimator="toprank.InfinitePush",
        fixed={"penalty": "l1", "warm_start": True},
        grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        path=lambda wildcards: layout.looked_at(wildcards),
        code=code_digest(
            "toprank.protocol",
            "toprank.estimators.infinite_push",
            "toprank.solvers.push_exact",
            "toprank.solvers.zero_optimum",
        ),
    script:
        "../../scripts/fit.py"
