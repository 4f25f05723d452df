# ADMM for top ranking (Kadkhodaie et al. 2015, Algorithm 1); the regularisation is the one that TopPush's cross-validation chose.


rule admm:
    input:
        **layout.fold_block(),
        chosen=layout.fits_of("toppush"),
    output:
        layout.fits_of("admm"),
    log:
        "logs/fit/{study}.{dataset}.{features}.admm.{block}.log",
    benchmark:
        "benchmarks/admm/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("admm", copies=4),
        bandwidth=lambda wildcards: layout.bandwidth(wildcards),
    params:
        estimator="toprank.TopPush",
        fixed=lambda wildcards: {"solver": "admm", **layout.study(wildcards)["admm"]},
        grid=lambda wildcards: {"rho": layout.study(wildcards)["rhos"]["admm"]},
        inherit=["alpha"],
        code=code_digest("toprank.protocol", "toprank.estimators.top_push", "toprank.solvers.admm"),
    script:
        "../../scripts/fit.py"
