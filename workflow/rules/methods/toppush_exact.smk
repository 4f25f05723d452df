# TopPush (Li, Jin and Zhou 2014) by the certified solver, with a search of its own.


use rule fit as toppush_exact with:
    wildcard_constraints:
        method="toppush_exact",
    params:
        **methods.params(
            "toprank.TopPush",
            solver="exact",
            grid=lambda wildcards: {"alpha": sorted(studies.get_settings(wildcards)["alphas"])},
        ),
