"""Rule letor_folds: keep LETOR's folds as splits."""

import sys
from pathlib import Path

import numpy as np

from toprank.datasets import load_prepared
from toprank.datasets.splits import Splits, fold_splits

prepared = load_prepared(Path(snakemake.input.arrays).parent)
if prepared.manifest["status"] == "not obtained":
    splits = Splits(np.empty((0, 0), dtype=np.int8), np.empty(0, dtype=np.int64))
else:
    try:
        splits = fold_splits(prepared.part)
    except ValueError as error:
        sys.exit(f"{snakemake.wildcards.dataset}: {error}")
splits.save(snakemake.output[0])
