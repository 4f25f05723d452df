"""Rule split: draw the splits of one data set of a study, and keep them as a file."""

import json
from pathlib import Path

import numpy as np

from toprank.datasets.splits import Splits, random_splits

params, wildcards = snakemake.params, snakemake.wildcards
manifest = json.loads(Path(snakemake.input.manifest).read_text(encoding="utf-8"))
if manifest["status"] == "not obtained":
    splits = Splits(np.empty((0, 0), dtype=np.int8), np.empty(0, dtype=np.int64))
else:
    splits = random_splits(
        manifest["rows"],
        params.splits,
        params.test_fraction,
        params.inner_folds,
        params.seed,
        wildcards.study,
        wildcards.dataset,
    )
splits.save(snakemake.output[0])
