"""Rule collect: the rows of all jobs of a study, sorted by identity, in one file."""

import sys

from toprank.reporting.inputs import collect_fits

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

collect_fits(snakemake.input).to_csv(snakemake.output[0], index=False, lineterminator="\n")
