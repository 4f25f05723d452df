# Sparse infinite push (Rakotomamonjy 2012, eq. 2 with the l1 norm), by the exact solver.


use rule fit as l1_infinite_push with:
    wildcard_constraints:
        method="l1_infinite_push",
    params:
        **methods.params(
            "toprank.InfinitePush",
            solver="exact",
            fixed={"penalty": "l1", "warm_start": True},
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
            path=studies.get_extra_shares,
        ),
