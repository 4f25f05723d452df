# Sparse infinite push with the depth searched: the mean of the highest negatives. Beyond the papers.


use rule fit as l1_infinite_push_depth with:
    wildcard_constraints:
        method="l1_infinite_push_depth",
    params:
        **methods.params(
            "toprank.InfinitePush",
            solver="exact",
            fixed={"penalty": "l1", "warm_start": True},
            # shares of the negatives (0: the highest one alone), and of the strongest regularisation at that depth
            grid=lambda wildcards: {
                "depth_share": [0.0, 0.01, 0.05, 0.2, 0.5],
                "share": studies.get_settings(wildcards)["shares"],
            },
        ),
