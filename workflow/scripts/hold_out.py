"""Rule hold_out: draw stratified splits of a given training size, with a validation part, and keep them."""

from pathlib import Path

import numpy as np

from toprank.datasets import load_prepared
from toprank.datasets.splits import Splits, hold_out_splits

params, wildcards = snakemake.params, snakemake.wildcards
prepared = load_prepared(Path(snakemake.input.arrays).parent)
if prepared.manifest["status"] == "not obtained":
    splits = Splits(np.empty((0, 0), dtype=np.int8), np.empty(0, dtype=np.int64))
else:
    splits = hold_out_splits(
        prepared.y,
        params.train_rows,
        params.splits,
        params.validation_fraction,
        params.seed,
        wildcards.study,
        wildcards.dataset,
    )
splits.save(snakemake.output[0])
