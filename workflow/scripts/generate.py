"""Rules of synthetic data sets: draw a batch of splits of one of them, each with rows of its own.

A rule a family, of the same name. Called with ``params.generate`` ("module:function" of the family),
``params.settings`` of the generator, ``params.seed``, and ``wildcards.study``, ``wildcards.dataset`` and
``wildcards.split_batch`` (first and last split, as in "0-9"). The outputs are those of the rules prepare and
splits: ``output.arrays``, ``output.manifest`` and ``output.splits``, the rows of each split.
"""

import numpy as np

from reproduction.core.atomic_io import atomic_write, write_manifest
from reproduction.specs.paper import import_object

params, wildcards, output = snakemake.params, snakemake.wildcards, snakemake.output
# X holds the rows of all splits of the batch; `splits` says which belong to each.
first, last = map(int, wildcards.split_batch.split("-"))
X, y, splits, facts = import_object(params.generate)(
    params.settings,
    wildcards.dataset,
    range(first, last + 1),
    params.seed,
    wildcards.study,
)
with atomic_write(output.arrays) as unfinished:
    np.savez(unfinished, X=X, y=y)
manifest = {
    "dataset": wildcards.dataset,
    "status": "obtained",
    "reason": "",
    "rows": X.shape[0],
    "features": X.shape[1],
    **facts,
}
write_manifest(output.manifest, manifest, output.arrays)
splits.save(output.splits)
