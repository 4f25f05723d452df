# ADMM for top ranking (Kadkhodaie et al. 2015, Algorithm 1), at the regularisation chosen by TopPush's
# cross-validation.


use rule fit as admm with:
    input:
        **paths.get_fit_inputs(),
        chosen=paths.get_fit_pattern("toppush"),
    wildcard_constraints:
        method="admm",
    params:
        **methods.params(
            "toprank.TopPush",
            solver="admm",
            fixed=methods.admm(),
            grid=lambda wildcards: {"solver__rho": studies.get_settings(wildcards)["rhos"]["admm"]},
            inherit=["alpha"],
        ),
