"""Rule paper_source: the LaTeX document with every table and figure of the run."""

import json
import sys
from pathlib import Path

from toprank.reporting.inputs import read_text
from toprank.reporting.latex.paper import source
from toprank.reporting.studies import read_study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, params, output = snakemake.input, snakemake.params, Path(snakemake.output[0])
studies = [
    read_study(name, protocol, params.shown[name], params.published[name])
    for name, protocol in params.protocols.items()
]
text = source(
    studies,
    files.tables,
    json.loads(Path(files.provenance).read_text(encoding="utf-8")),
    output.parent,
    read_text(files.findings, ("title", "paragraph")),
)
output.write_text(text, encoding="utf-8")
