# RankSVM with the log penalty, beyond the paper: epsilon is chosen together with the regularisation.


use rule fit as log_ranksvm_tuned with:
    wildcard_constraints:
        method="log_ranksvm_tuned",
    params:
        **methods.params(
            "toprank.RankSVM",
            solver="prox-newton",
            fixed={"penalty": "log", "warm_start": True},
            grid=lambda wildcards: {
                "penalty__epsilon": studies.get_settings(wildcards)["epsilons"],
                "share": studies.get_settings(wildcards)["shares"],
            },
        ),
