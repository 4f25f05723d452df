"""Rule collect_STUDY: the rows of all jobs of a study in one file, and those of its splits or queries.

First each file of a job is checked against what the study expects of it (`collection.job_checks`). Called
with ``input.fits``, with ``input.manifests`` of the data set of each of them, and with ``input.diagnosis`` of
the splits. ``params.expected`` holds the ``plans`` of the jobs, and ``of``, the number of the plan of each
file; ``params.study`` and ``params.seed`` must be the job's. ``params.columns`` are those of the fits; with
``params.queries`` the second output has the rows of the queries, without it the splits of ``params.cases``
(pairs of a data set and a feature scaling, in the order of the rows). The third output says what made the
files.
"""

import sys

import pandas as pd

from reproduction.collection.collect import collect_fits, collect_queries, join_provenance
from reproduction.collection.job_checks import ExpectedJob, check_job
from reproduction.core.atomic_io import atomic_write, read_manifest
from reproduction.core.results import DIAGNOSIS_COLUMNS, read_text

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, params, (fits, further_file, provenance) = snakemake.input, snakemake.params, snakemake.output
data = {manifest: read_manifest(manifest)["arrays_sha256"] for manifest in set(files.manifests)}
# each file is checked against the plan of the present configuration before its rows are read
for file, manifest, number in zip(files.fits, files.manifests, params.expected["of"], strict=True):
    plan = params.expected["plans"][number]
    check_job(file, ExpectedJob(params.study, params.seed, data[manifest], **plan))
# a study without a table has only experiments
rows = collect_fits(files.fits, params.columns) if files.fits else pd.DataFrame(columns=params.columns)
if params.queries:
    further_rows = collect_queries(files.fits)
else:
    diagnoses = [read_text(file, DIAGNOSIS_COLUMNS) for file in files.diagnosis]
    diagnosis = pd.concat(diagnoses or [pd.DataFrame(columns=DIAGNOSIS_COLUMNS)])
    further_rows = pd.DataFrame(params.cases, columns=["dataset", "feature_scaling"]).merge(
        diagnosis
    )  # in this order
for table, path in ((rows, fits), (further_rows, further_file), (join_provenance(files.fits), provenance)):
    with atomic_write(path) as unfinished:
        table.to_csv(unfinished, index=False, lineterminator="\n")
