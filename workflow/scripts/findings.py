"""Rule findings: what one can learn from the run, as a table."""

import sys

from toprank.reporting.findings.topics import as_table, topics
from toprank.reporting.inputs import read_data
from toprank.reporting.studies import read_study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, params = snakemake.input, snakemake.params
studies = [
    read_study(name, protocol, params.shown[name], params.published[name])
    for name, protocol in params.protocols.items()
]
table = as_table(topics(studies, read_data(files.data)), "report.html")
table.to_csv(snakemake.output[0], index=False, lineterminator="\n")
