"""Rule errata: the slips of a study's paper, each printed form run beside the corrected one."""

import sys

import pandas as pd

from toprank.errata import demonstrations

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

rows = demonstrations(snakemake.params.protocol, snakemake.params.published)
pd.DataFrame(rows).to_csv(snakemake.output[0], index=False)
