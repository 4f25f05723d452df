"""Rule check: print the summary of the run, and fail with one sentence if the run is not clean."""

import sys
from pathlib import Path

from toprank.reporting.findings import findings
from toprank.reporting.inputs import read_data, read_fits, read_published, read_text, read_verification
from toprank.reporting.status import FAILURE_COLUMNS
from toprank.reporting.summary import complaint, missing_datasets, summary_text
from toprank.reporting.tables import read_table1

results = str(Path(snakemake.output[0]).parent)
files, params = snakemake.input, snakemake.params
fits = {name: read_fits(path) for name, path in zip(params.published, files.fits, strict=True)}
tables = {name: read_table1(path) for name, path in zip(params.published, files.tables, strict=True)}
data = read_data(files.data)
verification = read_verification(files.verification)
failures = read_text(files.failures, FAILURE_COLUMNS)

found = {name: findings(fits[name], tables[name], read_published(params.published[name])) for name in fits}
summary = summary_text(results, fits, data, verification, failures, found)
sentence = complaint(failures, verification, missing_datasets(data, fits), params.missing_data)
print(summary, flush=True)
Path(snakemake.log[0]).write_text(f"{summary}\n{sentence}\n", encoding="utf-8")
if sentence:
    sys.exit(sentence)
Path(snakemake.output[0]).write_text(summary, encoding="utf-8")
