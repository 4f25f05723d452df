# Infinite push with recursive feature elimination (Rakotomamonjy 2012, section 4.1): the ridge is the one that
# l2_infinite_push chose on the split, the number of features is searched.


rule rfe_infinite_push:
    input:
        **layout.fold_block(),
        chosen=layout.fits_of("l2_infinite_push"),
    output:
        layout.fits_of("rfe_infinite_push"),
    log:
        "logs/fit/{study}.{dataset}.{features}.rfe_infinite_push.{block}.log",
    benchmark:
        "benchmarks/rfe_infinite_push/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("rfe_infinite_push", copies=4),
    params:
        estimator="toprank.estimators.rfe.RFEInfinitePush",
        fixed={"warm_start": True},
        grid=lambda wildcards: {"n_features": layout.study(wildcards)["n_features"]},
        inherit=["share"],
        code=code_digest(
            "toprank.protocol",
            "toprank.estimators.rfe",
            "toprank.solvers.push_exact",
            "toprank.solvers.zero_optimum",
        ),
    script:
        "../../scripts/fit.py"
