"""Rule data_table: one row per data set, with obtained, expected and published values.

The inputs are the manifests of all data sets of the run (rule prepare), in the order of the rows.
"""

import sys

from reproduction.core.atomic_io import atomic_write, read_manifest
from reproduction.datasets.summary import make_data_table

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

manifests = [read_manifest(path) for path in snakemake.input]
with atomic_write(snakemake.output[0]) as unfinished:
    make_data_table(manifests).to_csv(unfinished, index=False, lineterminator="\n")
