# Infinite push with a ridge (Agarwal 2011), by the exact solver of the same problem.


use rule fit as l2_infinite_push with:
    wildcard_constraints:
        method="l2_infinite_push",
    params:
        **methods.params(
            "toprank.InfinitePush",
            solver="exact",
            fixed={"penalty": "l2", "warm_start": True},
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
        ),
