"""Rule latex_comparison: every printed number of a study beside ours, as LaTeX."""

import sys
from pathlib import Path

from toprank.reporting.comparison import COLUMNS
from toprank.reporting.inputs import read_text
from toprank.reporting.latex_tables import latex_comparison

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

comparison = read_text(snakemake.input[0], COLUMNS)
text = latex_comparison(comparison, snakemake.wildcards.study)
Path(snakemake.output[0]).write_text(text, encoding="utf-8")
