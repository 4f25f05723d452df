# FSMRank (Lai et al. 2013b), reconstructed: the pairwise squared hinge with the importance and the similarity of the
# features, by Nesterov's method.


use rule fit as fsmrank with:
    wildcard_constraints:
        method="fsmrank",
    params:
        **methods.params(
            "toprank.FSMRank",
            fixed={"warm_start": True},
            grid=lambda wildcards: {
                "alpha_share": studies.get_settings(wildcards)["alpha_shares"],
                "share": studies.get_settings(wildcards)["shares"],
            },
        ),
