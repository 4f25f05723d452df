"""Rule check: print the summary of the run, and fail with one sentence if the run is not clean."""

import sys
from pathlib import Path

import pandas as pd

from toprank.reporting.comparison.coverage import coverage, not_shown, printed_cells
from toprank.reporting.comparison.verdicts import read_comparison
from toprank.reporting.findings.topics import COLUMNS
from toprank.reporting.inputs import read_data, read_text, read_verification
from toprank.reporting.status import FAILURE_COLUMNS
from toprank.reporting.studies import PROTOCOLS, STATISTICS, read_study
from toprank.reporting.summary import complaint, missing_datasets, summary_text

results = str(Path(snakemake.output[0]).parent)
files, params = snakemake.input, snakemake.params
studies = {
    name: read_study(name, protocol, params.shown[name], params.published[name])
    for name, protocol in params.protocols.items()
}
fits = {name: study.fits for name, study in studies.items()}
data = read_data(files.data)
verification = read_verification(files.verification)
failures = read_text(files.failures, FAILURE_COLUMNS)

comparison = read_comparison(files.comparison)
cells = pd.concat([printed_cells(name, params.published[name]) for name in studies], ignore_index=True)

found = read_text(files.findings, COLUMNS)["title"].tolist()
artefacts = {
    name: tuple(a + b for a, b in zip(PROTOCOLS[protocol].artefacts, STATISTICS, strict=True))
    for name, protocol in params.protocols.items()
}
covered = coverage(cells, comparison)
summary = summary_text(results, fits, data, verification, failures, found, artefacts, covered)
sentence = complaint(
    failures,
    verification,
    missing_datasets(data, fits),
    params.missing_data,
    not_shown(cells, comparison),
)
print(summary, flush=True)
Path(snakemake.log[0]).write_text(f"{summary}\n{sentence}\n", encoding="utf-8")
if sentence:
    sys.exit(sentence)
Path(snakemake.output[0]).write_text(summary, encoding="utf-8")
