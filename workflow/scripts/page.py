"""Rule page: one self-contained HTML file of the whole run."""

import json
import sys
from pathlib import Path

from toprank.reporting.comparison.verdicts import read_comparison
from toprank.reporting.findings.topics import topics
from toprank.reporting.inputs import read_data, read_text, read_verification
from toprank.reporting.page.render import render_page
from toprank.reporting.status import FAILURE_COLUMNS
from toprank.reporting.studies import read_study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, params = snakemake.input, snakemake.params
comparison = read_comparison(files.comparison)
studies = [
    read_study(name, protocol, params.shown[name], params.published[name], comparison)
    for name, protocol in params.protocols.items()
]
data = read_data(files.data)
page = render_page(
    studies,
    data=data,
    verification=read_verification(files.verification),
    failures=read_text(files.failures, FAILURE_COLUMNS),
    provenance=json.loads(Path(files.provenance).read_text(encoding="utf-8")),
    blocks=params.blocks,
    results=Path(snakemake.output[0]).parent.as_posix(),
    command=params.command,
    findings=topics(studies, data),
)
Path(snakemake.output[0]).write_text(page, encoding="utf-8")
