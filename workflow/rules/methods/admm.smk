# ADMM for top ranking (Kadkhodaie et al. 2015, Algorithm 1), at the regularisation chosen by TopPush's
# cross-validation.


use rule fit as admm with:
    input:
        **layout.fold_block(),
        chosen=layout.fits_of("toppush"),
    wildcard_constraints:
        method="admm",
    params:
        **methods.params(
            "toprank.TopPush",
            solver="admm",
            fixed=methods.admm(),
            grid=lambda wildcards: {"solver__rho": layout.study(wildcards)["rhos"]["admm"]},
            inherit=["alpha"],
        ),
