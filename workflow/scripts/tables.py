"""Rule tables_STUDY: every table of a study as CSV, and as LaTeX where the table has that form.

Which tables there are, and how each is made, stands in the paper's record. Called with ``params.study``,
``params.paper`` ("module:record"), ``params.settings`` of the study, and all its files as input: collected
fits, rows of experiments, manifests, the table of data sets and the published values.
"""

import sys
from pathlib import Path

from reproduction.core.atomic_io import atomic_write, atomic_write_text
from reproduction.reporting.latex.tabular import table_to_latex
from reproduction.specs.paper import import_object
from reproduction.specs.study_results import Study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, {Path(path).name: Path(path) for path in snakemake.output}
study = Study(params.study, import_object(params.paper), params.settings, snakemake.input)
for table in study.paper.tables_of(study.settings):
    rows, file = study.table(table.name), output[f"{table.name}.csv"]
    with atomic_write(file) as unfinished:
        table.form.write(rows, unfinished)
    if table.has_latex:
        atomic_write_text(output[f"{table.name}.tex"], table_to_latex(table, rows, file))
