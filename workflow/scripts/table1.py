"""Rule table1: Table 1 of a study, as CSV and as LaTeX."""

import sys
from pathlib import Path

from toprank.reporting.infinite_push.toy import is_toy
from toprank.reporting.inputs import read_data, read_diagnosis, read_fits
from toprank.reporting.studies import PROTOCOLS

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

kind = PROTOCOLS[snakemake.params.protocol]
fits = read_fits(snakemake.input.fits)
table = kind.table1(
    fits[~is_toy(fits)],
    data=read_data(snakemake.input.data),
    diagnosis=read_diagnosis(snakemake.input.diagnosis),
    published=kind.published(snakemake.input.published or None),
)
kind.form.write(table, snakemake.output.csv)
Path(snakemake.output.tex).write_text(kind.latex(table), encoding="utf-8")
