"""Rule collect: the rows of all jobs of a study, sorted by identity, in one file."""

import sys

from toprank.reporting import collected, inputs

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

columns = collected.FITS_COLUMNS if snakemake.params.protocol == "query_ranking" else inputs.FITS_COLUMNS
fits = inputs.collect_fits(snakemake.input, columns)
fits.to_csv(snakemake.output[0], index=False, lineterminator="\n")
