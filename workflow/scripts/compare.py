"""Rule compare: every printed number beside ours, and how many agree."""

import sys
from pathlib import Path

import pandas as pd

from reproduction.artefact import load
from reproduction.comparison.coverage import coverage, printed_cells
from reproduction.comparison.verdicts import COLUMNS, to_csv
from reproduction.report.latex.tables import latex_comparison
from reproduction.results import read_text
from reproduction.study import Study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, snakemake.output
files = {name: [snakemake.input.data] for name in params.studies}
for path in map(Path, snakemake.input.tables):
    files[path.parent.name].append(path)
studies = [
    Study(name, load(params.papers[name]), settings, files[name]) for name, settings in params.studies.items()
]
comparison = pd.concat([load(study.paper.compare)(study) for study in studies], ignore_index=True)
to_csv(comparison, output.comparison)
for path in map(Path, output.latex):
    written = read_text(output.comparison, COLUMNS)
    path.write_text(latex_comparison(written, path.parent.name), encoding="utf-8")
cells = pd.concat([printed_cells(study.name, study.published) for study in studies], ignore_index=True)
coverage(cells, comparison).to_csv(output.coverage, index=False, lineterminator="\n")
