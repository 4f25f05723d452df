"""Rule toy: draw a batch of trials of R12's toy problem, as a data set with one split per trial."""

import numpy as np

from reproduction.core.atomic_io import atomic_write, write_manifest
from reproduction.datasets.toy_names import toy_covariance, toy_name, toy_size
from reproduction.papers.rakotomamonjy2012.toy.generate import MEAN_VARIANCES, make_toy_trials

params, wildcards, output = snakemake.params, snakemake.wildcards, snakemake.output
n_train, n_noise = toy_size(wildcards.dataset)
first, last = map(int, wildcards.block.split("-"))
X, y, splits = make_toy_trials(
    n_train,
    n_noise,
    range(first, last + 1),
    params.validation_fraction,
    params.test_rows,
    params.relevant,
    params.seed,
    wildcards.study,
    toy_name(n_train, n_noise),  # the draws do not depend on the covariance
    variance=MEAN_VARIANCES[toy_covariance(wildcards.dataset)],
)
with atomic_write(output.arrays) as unfinished:
    np.savez(unfinished, X=X, y=y)
manifest = {
    "dataset": wildcards.dataset,
    "status": "obtained",
    "reason": "",
    "rows": X.shape[0],
    "features": X.shape[1],
    "relevant_features": params.relevant,  # the first ones
}
write_manifest(output.manifest, manifest, output.arrays)
splits.save(output.splits)
