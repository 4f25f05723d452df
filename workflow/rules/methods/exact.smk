# The certified optimum of TopPush's objective (beyond the paper), at the regularisation chosen by TopPush's
# cross-validation and at all others of the grid.


use rule fit as exact with:
    input:
        **layout.fold_block(),
        chosen=layout.fits_of("toppush"),
    wildcard_constraints:
        method="exact",
    params:
        **methods.params(
            "toprank.TopPush",
            solver="exact",
            fixed={"tol": 1e-8},
            path=lambda wildcards: {"alpha": layout.study(wildcards)["alphas"]},
            inherit=["alpha"],
        ),
