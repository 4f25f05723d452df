"""Rule compare: every printed number beside ours, and which feature block comes nearer to it."""

import sys

import pandas as pd

from toprank.reporting.comparison import compare, to_csv
from toprank.reporting.findings import nearer_features
from toprank.reporting.tables import read_table1

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

tables = [read_table1(path) for path in snakemake.input]
to_csv(pd.concat([compare(table) for table in tables], ignore_index=True), snakemake.output.comparison)
nearer = pd.concat([nearer_features(table) for table in tables], ignore_index=True)
nearer.to_csv(
    snakemake.output.features, index=False, float_format="%.10g", na_rep="not run", lineterminator="\n"
)
