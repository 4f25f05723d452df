# RankSVM with the minimax concave penalty, beyond the paper: gamma is chosen together with the regularisation.


use rule fit as mcp_ranksvm_tuned with:
    wildcard_constraints:
        method="mcp_ranksvm_tuned",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "mcp", "warm_start": True},
            grid=lambda wildcards: {
                "penalty__gamma": studies.get_settings(wildcards)["gammas"],
                "share": studies.get_settings(wildcards)["shares"],
            },
        ),
