# Every solver against the conic solver, whatever the studies use: one job a solver.


# solver of toprank.verification.CHECKS -> the estimator and the solver that it runs, so that an edit of one solver
# verifies one again
SOLVER_MODULES = {
    "exact": ("top_push", "row_generation"),
    "toppush_gap": ("top_push", "dual_gradient"),
    "toppush": ("top_push", "dual_gradient"),
    "admm": ("top_push", "admm"),
    "a2dm2": ("top_push", "admm"),
    "a2dm2_restart": ("top_push", "admm"),
    "l1_infinite_push": ("infinite_push", "push_exact"),
    "l2_infinite_push": ("infinite_push", "push_exact"),
    "l2_infinite_push_dual": ("infinite_push", "push_dual"),
    "l1_infinite_push_admm": ("infinite_push", "push_admm"),
    "l1_ranksvm": ("ranksvm", "prox_newton"),
    "l2_ranksvm": ("ranksvm", "prox_newton"),
    "adaptive_l1_ranksvm": ("ranksvm", "prox_newton"),
    "l1_ranksvm_fista": ("ranksvm", "fista"),
    "fenchelrank": ("fenchel_rank", "frank_wolfe"),
    "fsmrank": ("fsm_rank", "nesterov"),
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
            f"toprank.estimators.{SOLVER_MODULES[wildcards.solver][0]}",
            f"toprank.solvers.{SOLVER_MODULES[wildcards.solver][1]}",
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
