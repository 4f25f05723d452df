# Infinite push with recursive feature elimination (Rakotomamonjy 2012, section 4.1). The ridge is taken from
# l2_infinite_push on the same split; the number of features is searched.


use rule fit as rfe_infinite_push with:
    input:
        **paths.get_fit_inputs(),
        chosen=paths.get_fit_pattern("l2_infinite_push"),
    wildcard_constraints:
        method="rfe_infinite_push",
    params:
        **methods.params(
            "toprank.estimators.rfe.RFEInfinitePush",
            fixed={"warm_start": True},
            grid=lambda wildcards: {"n_features": studies.get_settings(wildcards)["n_features"]},
            inherit=["share"],
        ),
