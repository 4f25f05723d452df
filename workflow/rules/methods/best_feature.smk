# The best single feature: a baseline for methods with several features.


use rule fit as best_feature with:
    output:
        layout.fits_of("best_feature"),
    log:
        methods.log("best_feature"),
    benchmark:
        methods.benchmark("best_feature")
    params:
        **methods.params(
            "reproduction.peers.BestFeature",
        ),
