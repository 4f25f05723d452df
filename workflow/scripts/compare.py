"""Rule compare: published values beside ours, the effect of each option of a choice, and the coverage."""

import sys
from pathlib import Path

import pandas as pd

from reproduction.collection.study_results import Study
from reproduction.comparison.coverage import (
    count_coverage,
    list_published_cells,
    select_requested_cells,
    split_requested,
)
from reproduction.comparison.placebo import compare_orders, compare_with_chance
from reproduction.comparison.table import (
    COMPARISON_COLUMNS,
    FACTORS_CSV,
    METHOD_ORDER_CSV,
    OPTION_EFFECTS_CSV,
    PLACEBO_CSV,
    Comparison,
    write_comparison,
)
from reproduction.core.atomic_io import atomic_write, atomic_write_text
from reproduction.core.results import read_text
from reproduction.reporting.latex.run_tables import comparison_to_latex
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
published = [study for study in studies if study.paper.compare and study.published_values is not None]
comparisons = [import_object(study.paper.compare)(study) for study in published] or [Comparison()]
comparison, not_requested = split_requested(
    pd.concat([comparison.rows for comparison in comparisons], ignore_index=True)
)
with atomic_write(output.comparison) as unfinished:
    write_comparison(comparison, unfinished)
option_effects = pd.concat([comparison.option_effects for comparison in comparisons], ignore_index=True)
with atomic_write(output.option_effects) as unfinished:
    OPTION_EFFECTS_CSV.write(option_effects, unfinished)
factors = pd.concat([comparison.factors for comparison in comparisons], ignore_index=True)
with atomic_write(output.factors) as unfinished:
    FACTORS_CSV.write(factors, unfinished)
rows_of_study = {study.name: comparison[comparison["study"] == study.name] for study in published}
placebo = [
    compare_with_chance(rows_of_study[study.name], study.name, study.paper.published_splits, params.seed)
    for study in published
]
orders = [compare_orders(rows, name, params.seed) for name, rows in rows_of_study.items()]
for form, file, tables in (
    (PLACEBO_CSV, output.placebo, placebo or [Comparison().placebo]),
    (METHOD_ORDER_CSV, output.method_order, orders or [Comparison().method_order]),
):
    with atomic_write(file) as unfinished:
        form.write(pd.concat(tables, ignore_index=True), unfinished)
for path in map(Path, output.latex):
    rows = read_text(output.comparison, COMPARISON_COLUMNS)
    atomic_write_text(path, comparison_to_latex(rows, path.parent.name))
atomic_write_text(output.not_requested, not_requested.to_csv(index=False, lineterminator="\n"))
cells = pd.concat(
    [list_published_cells(study.name, study.published_file) for study in studies], ignore_index=True
)
cells = select_requested_cells(cells, not_requested)
atomic_write_text(output.coverage, count_coverage(cells, comparison).to_csv(index=False, lineterminator="\n"))
