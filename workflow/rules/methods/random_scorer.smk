# Random scores: a baseline for all methods.


use rule fit as random_scorer with:
    output:
        layout.fits_of("random_scorer"),
    log:
        methods.log("random_scorer"),
    benchmark:
        methods.benchmark("random_scorer")
    params:
        **methods.params(
            "reproduction.peers.RandomScorer",
        ),
