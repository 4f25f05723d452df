# FenchelRank (Lai et al. 2013): the pairwise squared hinge in an l1 ball, by Frank-Wolfe. The smallest ball is the
# strongest regularisation, so it comes last.


use rule fit as fenchelrank with:
    wildcard_constraints:
        method="fenchelrank",
    params:
        **methods.params(
            "toprank.FenchelRank",
            grid=lambda wildcards: {
                "radius": sorted(studies.get_settings(wildcards)["radii"], reverse=True)
            },
        ),
