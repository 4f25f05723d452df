# Every solver against the conic solver, whether or not a study uses it: one job for each half of the solvers. Metrics,
# splits and statistics against known answers.


rule verify:
    input:
        arrays=expand(
            f"{RESULTS}/data/{{dataset}}/arrays.npz",
            dataset=config["verification"]["datasets"],
        ),
        manifests=expand(
            f"{RESULTS}/data/{{dataset}}/manifest.json",
            dataset=config["verification"]["datasets"],
        ),
    output:
        f"{RESULTS}/verification/{{half}}.csv",
    log:
        f"{LOGS}/verify/{{half}}.log",
    benchmark:
        f"{BENCHMARKS}/verify/{{half}}.tsv"
    wildcard_constraints:
        half="first|second",
    priority: 2
    conda:
        ENVIRONMENT
    params:
        rows=config["verification"]["rows"],
        alphas=config["verification"]["alphas"],
        seed=config["seed"],
        code=code_digest(
            "verify",
            *[f"toprank.estimators.{name}" for name in ("top_push", "infinite_push", "ranksvm")],
            *[f"toprank.estimators.{name}" for name in ("fenchel_rank", "fsm_rank")],
        ),
    script:
        "../scripts/verify.py"


rule known_answers:
    output:
        f"{RESULTS}/verification/known_answers.csv",
    log:
        f"{LOGS}/verify/known_answers.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_digest("known_answers", *[f"toprank.estimators.{name}" for name in ("top_push", "ranksvm")]),
    script:
        "../scripts/known_answers.py"


rule verification:
    input:
        expand(f"{RESULTS}/verification/{{part}}.csv", part=["first", "second", "known_answers"]),
    output:
        mark_for_report(f"{RESULTS}/verification.csv"),
    log:
        f"{LOGS}/verification.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        edits=edits.count_edits(f"{RESULTS}/verification.csv"),
        code=code_digest("concatenate"),
    script:
        "../scripts/concatenate.py"
