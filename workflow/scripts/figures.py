"""Rules figures_STUDY and print_STUDY: every figure of a study as SVG, or as PDF and PNG.

Which figures there are, and from which tables each is drawn, stands in the paper's record. Its message is the
title of each file. Called with ``params.study``, ``params.paper`` ("module:record"), ``params.settings`` of
the study, and its tables as input. The suffixes of the outputs decide the formats. Of a study with published
values ``comparison.csv`` and ``option_effects.csv`` are inputs too, and what is drawn of them is written as
CSV.
"""

import sys
from pathlib import Path

from reproduction.comparison.table import OPTION_EFFECTS_CSV, read_comparison
from reproduction.core.atomic_io import atomic_write
from reproduction.plotting.messages import state_message
from reproduction.plotting.style import draw_figure, save_figure
from reproduction.reporting.figures.comparison import plot_data
from reproduction.reporting.standard_artefacts import COMPARISON_FIGURES, OPTION_EFFECTS, PUBLISHED_MEASURED
from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.paper import import_object
from reproduction.specs.study_results import Study

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

params, output = snakemake.params, [Path(path) for path in snakemake.output]
study = Study(params.study, import_object(params.paper), params.settings, snakemake.input)
figures = study.paper.figures_of(study.settings)
# the figures of the comparison are the same for all papers
if study.published_file:
    option_effects = OPTION_EFFECTS_CSV.read(study.file("option_effects.csv"))
    study.tables[PUBLISHED_MEASURED.name] = plot_data(
        read_comparison(study.file("comparison.csv")), study.name
    )
    study.tables[OPTION_EFFECTS.name] = option_effects[option_effects["study"] == study.name]
    for file in (path for path in output if path.suffix == ".csv"):
        with atomic_write(file) as unfinished:
            PlainCsv(missing_text="none").write(study.table(file.stem), unfinished)
    figures.extend(COMPARISON_FIGURES)
for figure in figures:
    tables = [study.table(name) for name in figure.tables]
    files = [path for path in output if path.stem == figure.name and path.suffix != ".csv"]
    save_figure(draw_figure(figure, tables), files, state_message(figure, tables))
