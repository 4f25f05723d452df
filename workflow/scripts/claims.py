"""Rule claims_STUDY: the claims of a study's paper, with a verdict.

Each claim of the paper's record is evaluated on the tables of the study, and becomes a row of
``output.claims``, and of ``output.latex``. Called with ``params.study``, ``params.paper`` ("module:record")
and ``params.settings`` of the study, and its tables, its collected fits and the table of data sets as input.
"""

import sys

from reproduction.comparison.claim_tables import claim_rows
from reproduction.core.atomic_io import atomic_write_text
from reproduction.reporting.latex.run_tables import claims_to_latex
from reproduction.specs.paper import import_object
from reproduction.specs.study_results import Study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, snakemake.output
study = Study(params.study, import_object(params.paper), params.settings, snakemake.input)
evaluated = [claim.evaluate(study) for claim in import_object(study.paper.claims)]
# what is not measured was not asked for, unless data are missing
rows = claim_rows(study.name, [claim for claim in evaluated if study.has_missing_data or claim.is_in_run])
atomic_write_text(output.latex, claims_to_latex(rows))
atomic_write_text(output.claims, rows.to_csv(index=False, lineterminator="\n"))
