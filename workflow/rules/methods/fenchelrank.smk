# FenchelRank (Lai et al. 2013): the pairwise squared hinge in an l1 ball, by Frank-Wolfe. The smallest ball is the
# strongest regularisation, so it comes last.


rule fenchelrank:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("fenchelrank"),
    log:
        "logs/fit/{study}.{dataset}.{features}.fenchelrank.{block}.log",
    benchmark:
        "benchmarks/fenchelrank/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("fenchelrank", copies=4),
    params:
        estimator="toprank.FenchelRank",
        grid=lambda wildcards: {"radius": sorted(layout.study(wildcards)["radii"], reverse=True)},
        code=code_digest(
            "toprank.query_protocol",
            "toprank.estimators.fenchel_rank",
            "toprank.solvers.frank_wolfe",
        ),
    script:
        "../../scripts/fit.py"
