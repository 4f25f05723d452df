"""Rule latex_table: a result file as LaTeX."""

import sys
from pathlib import Path

from toprank.reporting.inputs import read_text
from toprank.reporting.latex.tables import NEEDED, WRITERS

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

table, output = Path(snakemake.input[0]), Path(snakemake.output[0])
rows = read_text(table, NEEDED[table.stem])
output.write_text(WRITERS[table.stem](rows), encoding="utf-8")
