"""Rule errata: the slips of K15, each printed form run beside the corrected one, as CSV."""

import sys

import pandas as pd

from toprank.errata import demonstrations

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

pd.DataFrame(demonstrations()).to_csv(snakemake.output[0], index=False)
