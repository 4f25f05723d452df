# Every solver against the conic solver, whatever the studies use: one job a solver.


# solver of toprank.verification.CHECKS -> the estimator and the solver that it runs, so that an edit of one solver
# verifies one again
SOLVER_MODULES = {
    "exact": ("estimators.top_push", "solvers.row_generation"),
    "toppush_gap": ("estimators.top_push", "solvers.dual_gradient"),
    "toppush": ("estimators.top_push", "solvers.dual_gradient"),
    "admm": ("estimators.top_push", "solvers.admm"),
    "a2dm2": ("estimators.top_push", "solvers.admm"),
    "a2dm2_restart": ("estimators.top_push", "solvers.admm"),
    "l1_infinite_push": ("estimators.infinite_push", "solvers.push_exact"),
    "l2_infinite_push": ("estimators.infinite_push", "solvers.push_exact"),
    "l2_infinite_push_dual": ("estimators.infinite_push", "solvers.push_dual"),
    "l1_infinite_push_admm": ("estimators.infinite_push", "solvers.push_admm"),
    "l1_ranksvm": ("estimators.ranksvm", "solvers.prox_newton"),
    "l2_ranksvm": ("estimators.ranksvm", "solvers.prox_newton"),
    "adaptive_l1_ranksvm": ("estimators.ranksvm", "solvers.prox_newton"),
    "l1_ranksvm_fista": ("estimators.ranksvm", "solvers.fista"),
    "fenchelrank": ("estimators.fenchel_rank", "solvers.frank_wolfe"),
    "fsmrank": ("estimators.fsm_rank", "solvers.nesterov"),
    "two_block_admm": ("solvers.dirty_model", "solvers.two_block"),
    "two_block_a2dm2": ("solvers.dirty_model", "solvers.two_block"),
    "two_block_a2dm2_restart": ("solvers.dirty_model", "solvers.two_block"),
}


localrules:
    verification,


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
    benchmark:
        "benchmarks/verify/{solver}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        **needs.of("verify"),
    params:
        rows=config["verification"]["rows"],
        alphas=config["verification"]["alphas"],
        seed=config["seed"],
        code=lambda wildcards: code_digest(
            "toprank.verification",
            *(f"toprank.{module}" for module in SOLVER_MODULES[wildcards.solver]),
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
    conda:
        "../../envs/environment.yaml"
    script:
        "../scripts/concatenate.py"
