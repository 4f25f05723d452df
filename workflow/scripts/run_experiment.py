"""Rule run_experiment: one part of an experiment of a study, as rows of its tables, one line of JSON each.

The last line says what made the file. Called with ``params.run`` ("module:function" of the experiment), which
gets ``params.settings``, ``params.seed``, ``wildcards.part`` and ``wildcards.study``, the splits to read and
the files of fits to read (``input.fits``). ``params.folds`` are pairs of a data set and a split;
``input.manifests``, ``input.arrays`` and ``input.splits`` are their files. ``params.code`` is the digest of
the experiment's code.
"""

import gc
import json
import sys
from itertools import chain

from reproduction.core.atomic_io import atomic_write
from reproduction.core.provenance import PROVENANCE_ROLE, collect_provenance
from reproduction.specs.paper import import_object
from reproduction.splits.split_data import SplitData

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, files, wildcards = snakemake.params, snakemake.input, snakemake.wildcards
paths = zip(files.get("manifests", []), files.get("arrays", []), files.get("splits", []), strict=True)
# the files of the splits in the order of the data sets and splits that the experiment names
splits = [SplitData(*split, *inputs) for split, inputs in zip(params.folds, paths, strict=True)]
context = {"part": wildcards.part, "splits": splits, "seed": params.seed, "study": wildcards.study}
rows = import_object(params.run)(params.settings, **context, fits=files.get("fits", []))
with atomic_write(snakemake.output[0]) as unfinished, unfinished.open("w", encoding="utf-8") as file:
    # the origin of the rows is a row of its own
    for table, row in chain(
        rows, [(PROVENANCE_ROLE, collect_provenance(params.seed, files.get("arrays", []), params.code))]
    ):
        # JSON does not know the numbers of NumPy
        line = json.dumps({"table": table, "row": row}, default=lambda value: value.item())
        file.write(line + "\n")
        print(line[:200], file=sys.stderr, flush=True)
gc.freeze()  # otherwise the garbage collection at exit visits all that was imported
