"""Rule compare: published values beside ours, the effect of each option of a choice, and the coverage.

For each study whose paper has published values the paper's ``compare`` sets them beside the tables of the
run; then come the counts that chance would give. Rows of data sets that the run did not ask for are left out
and listed in ``output.not_requested``. Called with ``params.studies`` (name -> settings), ``params.papers``
(name -> "module:record"), ``params.seed`` of the permutations, ``input.tables`` in folders named after the
study, and ``input.data``. ``output.comparison`` names the folder of all tables of the comparison;
``output.latex`` has a file a study, ``output.coverage`` how many published cells there are of each kind and
what became of them.
"""

import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from reproduction.comparison.coverage import (
    EXCLUDED_KEY,
    count_coverage,
    list_published_cells,
    select_requested_cells,
    split_requested,
)
from reproduction.comparison.placebo import compare_orders, compare_with_chance
from reproduction.comparison.table import COMPARISON_COLUMNS, Comparison, write_comparison_files
from reproduction.core.atomic_io import atomic_write_text
from reproduction.core.results import read_text
from reproduction.reporting.latex.run_tables import comparison_to_latex
from reproduction.specs.paper import import_object
from reproduction.specs.study_results import Study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, snakemake.output
files = {name: [snakemake.input.data] for name in params.studies}
for path in map(Path, snakemake.input.tables):
    files[path.parent.name].append(path)
studies = [
    Study(name, import_object(params.papers[name]), settings, files[name])
    for name, settings in params.studies.items()
]
published = [study for study in studies if study.paper.compare and study.published_values is not None]
comparisons, excluded = [], []
for study in published:
    comparison = import_object(study.paper.compare)(study)
    rows, not_requested = split_requested(comparison.rows)
    excluded.append(not_requested)
    # what a partial run did not ask for is no missing result: it is listed apart
    is_requested = comparison.explanations["dataset"].isin(rows["dataset"])
    comparisons.append(
        replace(
            comparison,
            rows=rows,
            explanations=comparison.explanations[is_requested],
            # the placebo of the published values and the orders of methods, with the seed of the run
            placebo=compare_with_chance(comparison.measurements, study.name, params.seed),
            method_order=compare_orders(rows, study.name, params.seed),
        )
    )
write_comparison_files(comparisons, Path(output.comparison).parent)
comparison = pd.concat([Comparison().rows, *(compared.rows for compared in comparisons)], ignore_index=True)
not_requested = pd.concat([pd.DataFrame(columns=list(EXCLUDED_KEY)), *excluded], ignore_index=True)
for path in map(Path, output.latex):
    rows = read_text(output.comparison, COMPARISON_COLUMNS)
    atomic_write_text(path, comparison_to_latex(rows, path.parent.name))
atomic_write_text(output.not_requested, not_requested.to_csv(index=False, lineterminator="\n"))
# coverage: each published cell, and whether the run has a number beside it
cells = pd.concat(
    [list_published_cells(study.name, study.published_file) for study in studies], ignore_index=True
)
cells = select_requested_cells(cells, not_requested)
atomic_write_text(output.coverage, count_coverage(cells, comparison).to_csv(index=False, lineterminator="\n"))
