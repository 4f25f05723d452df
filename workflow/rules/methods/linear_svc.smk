# The linear support vector machine, of relevant rows against all others (scikit-learn). Beyond the papers.


use rule fit as linear_svc with:
    output:
        layout.fits_of("linear_svc"),
    log:
        methods.log("linear_svc"),
    benchmark:
        methods.benchmark("linear_svc")
    params:
        **methods.params(
            "reproduction.peers.PointwiseSVC",
            fixed={"max_iter": 10_000, "random_state": 0},
            grid={"C": [10.0, 1.0, 0.1, 0.01, 0.001, 0.0001]},
        ),
