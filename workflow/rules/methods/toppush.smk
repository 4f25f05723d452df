# TopPush (Li, Jin and Zhou 2014): accelerated projected gradient on the dual, with the stopping rule of the authors' program.
# Its cross-validation chooses the regularisation for every method of the study (Kadkhodaie et al. 2015, section 5.1).


rule toppush:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("toppush"),
    log:
        "logs/fit/{study}.{dataset}.{features}.toppush.{block}.log",
    benchmark:
        "benchmarks/toppush/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("toppush", copies=4),
        bandwidth=lambda wildcards: layout.bandwidth(wildcards),
    params:
        estimator="toprank.TopPush",
        fixed={"solver": "dual", "stop": "published", "tol": 1e-4, "max_iter": 10_000},
        grid=lambda wildcards: {"alpha": layout.study(wildcards)["alphas"]},
        code=code_digest(
            "toprank.protocol",
            "toprank.estimators.top_push",
            "toprank.solvers.dual_gradient",
        ),
    script:
        "../../scripts/fit.py"
