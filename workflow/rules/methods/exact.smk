# The certified optimum of the same objective, beyond the paper: at the regularisation that TopPush's cross-validation chose, and at every other.


rule exact:
    input:
        **layout.fold_block(),
        chosen=layout.fits_of("toppush"),
    output:
        layout.fits_of("exact"),
    log:
        "logs/fit/{study}.{dataset}.{features}.exact.{block}.log",
    benchmark:
        "benchmarks/exact/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("exact", copies=4),
        bandwidth=lambda wildcards: layout.bandwidth(wildcards),
    params:
        estimator="toprank.TopPush",
        fixed={"solver": "exact", "tol": 1e-8},
        path=lambda wildcards: {"alpha": layout.study(wildcards)["alphas"]},
        inherit=["alpha"],
        code=code_digest(
            "toprank.protocol",
            "toprank.estimators.top_push",
            "toprank.solvers.row_generation",
        ),
    script:
        "../../scripts/fit.py"
