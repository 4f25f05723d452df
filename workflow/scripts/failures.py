"""Rule failures: every fit and every data set with a status that is not expected."""

import sys

from toprank.reporting.inputs import read_data
from toprank.reporting.status import failures, read_statuses

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

table = failures(
    [read_statuses(path) for path in snakemake.input.fits],
    read_data(snakemake.input.data),
    overrides=snakemake.params.expected,
    missing_data=snakemake.params.missing_data,
)
table.to_csv(snakemake.output[0], index=False, lineterminator="\n")
