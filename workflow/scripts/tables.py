"""Rule tables: every table of a study as CSV, those for print also as LaTeX."""

import sys
from pathlib import Path

from reproduction.collection.study_results import Study
from reproduction.core.atomic_io import whole, write_whole
from reproduction.reporting.latex.tabular import latex_table
from reproduction.specs.paper import import_object

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, {Path(path).name: Path(path) for path in snakemake.output}
study = Study(params.study, import_object(params.paper), params.settings, snakemake.input)
for table in study.paper.tables_of(study.settings):
    rows, file = study.table(table.name), output[f"{table.name}.csv"]
    with whole(file) as unfinished:
        table.form.write(rows, unfinished)
    if table.has_latex:
        write_whole(output[f"{table.name}.tex"], latex_table(table, rows, file))
