# A2DM2 for top ranking (Kadkhodaie et al. 2015, Algorithms 2 and 3), at the regularisation chosen by TopPush's
# cross-validation.


use rule fit as a2dm2 with:
    input:
        **paths.get_fit_inputs(),
        chosen=paths.get_fit_pattern("toppush"),
    wildcard_constraints:
        method="a2dm2",
    params:
        **methods.params(
            "toprank.TopPush",
            solver="a2dm2",
            fixed=methods.admm("lambda1", "lambda2"),
            grid=lambda wildcards: {"solver__rho": studies.get_settings(wildcards)["rhos"]["a2dm2"]},
            inherit=["alpha"],
        ),
