"""Rule table1: Table 1 of a study, as CSV and as LaTeX."""

import sys

from toprank.reporting.inputs import read_data, read_diagnosis, read_fits, read_published
from toprank.reporting.latex import write_latex
from toprank.reporting.tables import table1, write_table1

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

table = table1(
    read_fits(snakemake.input.fits),
    data=read_data(snakemake.input.data),
    diagnosis=read_diagnosis(snakemake.input.diagnosis),
    published=read_published(snakemake.input.published or None),
)
write_table1(table, snakemake.output.csv)
write_latex(table, snakemake.output.tex)
