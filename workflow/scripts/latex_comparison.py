"""Rule latex_comparison: every printed number of a study beside ours, as LaTeX."""

import sys
from pathlib import Path

from toprank.reporting.comparison.verdicts import COLUMNS
from toprank.reporting.inputs import read_text
from toprank.reporting.latex.tables import latex_comparison

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

output = Path(snakemake.output[0])
comparison = read_text(snakemake.input[0], COLUMNS)
output.write_text(latex_comparison(comparison, output.parent.name), encoding="utf-8")
