"""Rule compare: every printed number beside ours, the effect of each level of an axis, and the coverage."""

import sys
from pathlib import Path

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.comparison.coverage import asked_cells, coverage, printed_cells, split_off
from reproduction.comparison.table import COLUMNS, FACTORS_FORM, LEVELS_FORM, Comparison, to_csv
from reproduction.core.atomic_io import atomic_write, atomic_write_text
from reproduction.core.results import read_text
from reproduction.reporting.latex.run_tables import latex_comparison
from reproduction.specs.paper import import_object

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, snakemake.output
files = {name: [snakemake.input.data] for name in params.studies}
for path in map(Path, snakemake.input.tables):
    files[path.parent.name].append(path)
studies = [
    Study(name, import_object(params.papers[name]), settings, files[name])
    for name, settings in params.studies.items()
]
printed = [study for study in studies if study.paper.compare and study.published_values is not None]
found = [import_object(study.paper.compare)(study) for study in printed] or [Comparison()]
comparison, left_out = split_off(pd.concat([one.rows for one in found], ignore_index=True))
with atomic_write(output.comparison) as unfinished:
    to_csv(comparison, unfinished)
for form, name in ((LEVELS_FORM, "levels"), (FACTORS_FORM, "factors")):
    with atomic_write(getattr(output, name)) as unfinished:
        form.write(pd.concat([getattr(one, name) for one in found], ignore_index=True), unfinished)
for path in map(Path, output.latex):
    written = read_text(output.comparison, COLUMNS)
    atomic_write_text(path, latex_comparison(written, path.parent.name))
atomic_write_text(output.left_out, left_out.to_csv(index=False, lineterminator="\n"))
cells = pd.concat([printed_cells(study.name, study.published_file) for study in studies], ignore_index=True)
cells = asked_cells(cells, left_out)
atomic_write_text(output.coverage, coverage(cells, comparison).to_csv(index=False, lineterminator="\n"))
