# A2DM2 with restart for top ranking (Kadkhodaie et al. 2015, section 2.1), at the regularisation chosen by TopPush's
# cross-validation.


use rule fit as a2dm2_restart with:
    input:
        **paths.get_fit_inputs(),
        chosen=paths.get_fit_pattern("toppush"),
    wildcard_constraints:
        method="a2dm2_restart",
    params:
        **methods.params(
            "toprank.TopPush",
            solver="a2dm2-restart",
            fixed=methods.admm("lambda1", "lambda2", "eta"),
            grid=lambda wildcards: {"solver__rho": studies.get_settings(wildcards)["rhos"]["a2dm2_restart"]},
            inherit=["alpha"],
        ),
