"""Rule queries: what each query is worth under the chosen fits, of all jobs of a study, in one file."""

import sys

from toprank.reporting.collected import collect_queries

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

collect_queries(snakemake.input).to_csv(snakemake.output[0], index=False, lineterminator="\n")
