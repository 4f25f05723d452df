# FSMRank (Lai et al. 2013b), reconstructed: the pairwise squared hinge with the importance and the similarity of the
# features, by Nesterov's method.


rule fsmrank:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("fsmrank"),
    log:
        "logs/fit/{study}.{dataset}.{features}.fsmrank.{block}.log",
    benchmark:
        "benchmarks/fsmrank/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("fsmrank", copies=4),
    params:
        estimator="toprank.FSMRank",
        fixed={"warm_start": True},
        grid=lambda wildcards: {
            "alpha_share": layout.study(wildcards)["alpha_shares"],
            "share": layout.study(wildcards)["shares"],
        },
        code=code_digest(
            "toprank.query_protocol",
            "toprank.estimators.fsm_rank",
            "toprank.solvers.nesterov",
        ),
    script:
        "../../scripts/fit.py"
