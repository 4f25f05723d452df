# A2DM2 for top ranking (Kadkhodaie et al. 2015, Algorithms 2 and 3); the regularisation is the one that TopPush's cross-validation chose.


rule a2dm2:
    input:
        **layout.fold_block(),
        chosen=layout.fits_of("toppush"),
    output:
        layout.fits_of("a2dm2"),
    log:
        "logs/fit/{study}.{dataset}.{features}.a2dm2.{block}.log",
    benchmark:
        "benchmarks/a2dm2/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("a2dm2", copies=4),
        bandwidth=lambda wildcards: layout.bandwidth(wildcards),
    params:
        estimator="toprank.TopPush",
        fixed=lambda wildcards: {"solver": "a2dm2", **layout.study(wildcards)["admm"]},
        grid=lambda wildcards: {"rho": layout.study(wildcards)["rhos"]["a2dm2"]},
        inherit=["alpha"],
        code=code_digest("toprank.protocol", "toprank.estimators.top_push", "toprank.solvers.admm"),
    script:
        "../../scripts/fit.py"
