# RankSVM with the smoothly clipped absolute deviation, beyond the paper, by reweighted l1.


rule scad_ranksvm:
    input:
        **layout.fold_block(),
    output:
        layout.fits_of("scad_ranksvm"),
    log:
        "logs/fit/{study}.{dataset}.{features}.scad_ranksvm.{block}.log",
    benchmark:
        "benchmarks/scad_ranksvm/{study}.{dataset}.{features}.{block}.tsv"
    conda:
        "../../../envs/environment.yaml"
    resources:
        **needs.of("scad_ranksvm", copies=4),
    params:
        estimator="toprank.RankSVM",
        fixed=lambda wildcards: {
            "penalty": "scad",
            "gamma": layout.study(wildcards)["scad_gamma"],
            "warm_start": True,
        },
        grid=lambda wildcards: {"share": layout.study(wildcards)["shares"]},
        code=code_digest(
            "toprank.query_protocol",
            "toprank.estimators.ranksvm",
            "toprank.solvers.prox_newton",
            "toprank.solvers.reweighted",
        ),
    script:
        "../../scripts/fit.py"
