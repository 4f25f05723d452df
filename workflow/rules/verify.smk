# Every solver against the conic solver, whatever the studies use: one job a solver.


# solver of toprank.verification.CHECKS -> the module that it runs, so that an edit of one solver verifies one again
SOLVER_MODULES = {
    "exact": "row_generation",
    "toppush_gap": "dual_gradient",
    "toppush": "dual_gradient",
    "admm": "admm",
    "a2dm2": "admm",
    "a2dm2_restart": "admm",
}


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
        f"{RESULTS}/verification/{{solver}}.csv",
    log:
        "logs/verify/{solver}.log",
    params:
        rows=config["verification"]["rows"],
        alphas=config["verification"]["alphas"],
        seed=config["seed"],
        code=lambda wildcards: code_digest(
            "toprank.verification",
            "toprank.estimators.top_push",
            f"toprank.solvers.{SOLVER_MODULES[wildcards.solver]}",
        ),
    script:
        "../scripts/verify.py"


rule verification:
    input:
        expand(f"{RESULTS}/verification/{{solver}}.csv", solver=SOLVER_MODULES),
    output:
        report(
            f"{RESULTS}/verification.csv",
            caption="../../reports/captions/verification.rst",
            category="All studies",
            labels={"item": "Verification", "kind": "table"},
        ),
    log:
        "logs/verification.log",
    script:
        "../scripts/concatenate.py"
