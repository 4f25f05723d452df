# Sparse RankSVM of a single list or of queries: l1 norm, squared hinge on every pair (Chapelle and Keerthi 2010;
# Laporte et al. 2014).


use rule fit as l1_ranksvm with:
    wildcard_constraints:
        method="l1_ranksvm",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "l1", "warm_start": True},
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
            path=studies.get_extra_shares,
        ),
