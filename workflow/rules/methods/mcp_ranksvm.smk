# RankSVM with the minimax concave penalty, gamma = 2 (Laporte et al. 2014), by reweighted l1.


use rule fit as mcp_ranksvm with:
    wildcard_constraints:
        method="mcp_ranksvm",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "mcp", "penalty__gamma": 2.0, "warm_start": True},
            grid=lambda wildcards: {"share": studies.get_settings(wildcards)["shares"]},
        ),
