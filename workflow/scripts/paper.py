"""Rule paper: the paper as PDF, or one sentence about the error."""

import sys
from pathlib import Path

from reproduction.report.latex.typeset import TypesettingError, overfull, typeset

log = Path(snakemake.log[0])
try:
    made = typeset(snakemake.input.source)
except TypesettingError as error:
    log.write_text(f"{error}\n", encoding="utf-8")
    sys.exit(str(error))
wide = overfull(made.with_suffix(".log").read_text(encoding="latin-1"))
said = [f"{points} pt too wide {where}" for points, where in wide] or ["nothing is too wide"]
log.write_text("\n".join([*said, ""]), encoding="utf-8")
