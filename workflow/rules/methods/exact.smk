# The certified optimum of TopPush's objective (beyond the paper), at the regularisation chosen by TopPush's
# cross-validation and at all others of the grid.


use rule fit as exact with:
    input:
        **paths.get_fit_inputs(),
        chosen=paths.get_fit_pattern("toppush"),
    wildcard_constraints:
        method="exact",
    params:
        **methods.params(
            "toprank.TopPush",
            solver="exact",
            fixed={"tol": 1e-8},
            path=lambda wildcards: {"alpha": studies.get_settings(wildcards)["alphas"]},
            inherit=["alpha"],
        ),
