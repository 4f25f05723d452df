# Sparse RankSVM of a single list or of queries: l1 norm, squared hinge on every pair (Chapelle and Keerthi 2010;
# Laporte et al. 2014).


rule l1_ranksvm:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("l1_ranksvm"),
    log:
        "logs/fit/{study}.{dataset}.{features}.l1_ranksvm.{block}.log",
    benchmark:
        "benchmarks/l1_ranksvm/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("l1_ranksvm", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed={"penalty": "l1", "warm_start": True},
        grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        path=lambda wildcards: layout.looked_at(wildcards),
        code=lambda wildcards: code_digest(
            layout.protocol_module(wildcards),
            "toprank.estimators.ranksvm",
            "toprank.solvers.prox_newton",
        ),
    script:
        "../../scripts/fit.py"
