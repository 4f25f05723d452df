# Nearest active: the largest Tanimoto similarity to a positive, for fingerprints alone. Beyond the papers.


use rule fit as nearest_active with:
    wildcard_constraints:
        method="nearest_active",
    params:
        **methods.params("reproduction.fitting.nearest_active.NearestActive", lists_only=True),
