"""Rule claims: the claims of each paper, with a verdict.

Each claim of a paper's record is evaluated on the tables of its study, and becomes a row of
``output.claims``; ``output.latex`` has the claims of one study each. Called with ``params.studies`` (name ->
settings) and ``params.papers`` (name -> "module:record") of the studies that have claims, with their
``input.tables`` and ``input.fits``, which stand in folders named after the study, and with ``input.data``,
the table of data sets.
"""

import sys
from pathlib import Path

import pandas as pd

from reproduction.comparison.claim_tables import CLAIM_COLUMNS, claim_rows
from reproduction.core.atomic_io import atomic_write_text
from reproduction.reporting.latex.run_tables import claims_to_latex
from reproduction.specs.paper import import_object
from reproduction.specs.study_results import Study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, snakemake.output
files = {name: [snakemake.input.data] for name in params.studies}
# the folder of a file is the name of its study
for path in map(Path, [*snakemake.input.tables, *snakemake.input.fits]):
    files[path.parent.name].append(path)
tables = [pd.DataFrame(columns=list(CLAIM_COLUMNS))]
for (name, settings), latex in zip(params.studies.items(), output.latex, strict=True):
    study = Study(name, import_object(params.papers[name]), settings, files[name])
    evaluated = [claim.evaluate(study) for claim in import_object(study.paper.claims)]
    # what is not measured was not asked for, unless data are missing
    tables.append(
        claim_rows(name, [claim for claim in evaluated if study.has_missing_data or claim.is_in_run])
    )
    atomic_write_text(latex, claims_to_latex(tables[-1]))
atomic_write_text(output.claims, pd.concat(tables).to_csv(index=False, lineterminator="\n"))
