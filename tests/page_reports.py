"""Reports of studies and the page that is rendered of them, for tests."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from memoize import memoize
from report_rows import PUBLISHED_VALUES, STUDY, build_once, results_of
from studies import compare_study, study_of

from reproduction.comparison.placebo import compare_orders, compare_with_chance
from reproduction.core.results import read_data, read_verification
from reproduction.papers import paper
from reproduction.plotting.style import save_figure
from reproduction.reporting.failures import list_failures
from reproduction.reporting.figures.table1_plot import describe_table1, draw_table1
from reproduction.reporting.page.context import build_page_context
from reproduction.reporting.page.fit_details import FitFiles
from reproduction.reporting.page.render import render_page
from reproduction.reporting.provenance import collect_run_provenance
from reproduction.reporting.study_report import Drawing, StudyReport

HOSTILE = "</script><script>alert(1)</script><!--"


BLOCKS = {name: {"splice": ["0-4", "5-9"], "epsilon": ["0-9"]} for name in (STUDY, "quick")}


COMMAND = "snakemake --cores 1 --configfile a.yaml --force --"


PANELS = paper(STUDY).figures[0].options["panels"]


def build_report(results, name=STUDY, **changes):
    read = results_of(results)
    read["fits"] = read["fits"].assign(study=name)
    read |= changes
    table = build_once(**read).copy()
    words = ("Figure of Table 1", "A <caption>.", "A <message>.", draw_table(table))
    drawing = Drawing(*words, describe_table1(table, PANELS), "figure_table1", f"a,b\n{HOSTILE},1\n")
    tables = {"table1": table}
    published = None if read["published"] is None else PUBLISHED_VALUES
    study = study_of(STUDY, [], published is not None, name)
    study.tables["table1"], study.fits, study.data = table, read["fits"], read["data"]
    arguments = (read["fits"], tables, write_comparison_files(study), [drawing], published)
    return StudyReport(name, paper(STUDY), *arguments)


def write_comparison_files(study):
    """What is published beside ours, with a level of an axis that was tried."""
    comparison = compare_study(study)
    if comparison.measurements is None:  # nothing is published
        return comparison
    names = ["study", "choice", "option", "changes", "compared", "recovered", "lost", "explains"]
    option_effects = pd.DataFrame([(study.name, "stop", "<m_k>", 1, 9, 5, 2, 3)], columns=names)
    return replace(
        comparison,
        option_effects=option_effects,
        placebo=compare_with_chance(comparison.measurements, study.name, 7),
        method_order=compare_orders(comparison.rows, study.name, 7),
    )


@memoize
def draw_table(table):
    """The figure of Table 1 as SVG."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "figure.svg"
        save_figure(draw_table1(table, PANELS), [file])
        return file.read_text(encoding="utf-8")


def render_reports(results, studies, verification=None):
    data, failed = read_data(results / "data.csv"), [study.fits for study in studies]
    if verification is None:
        verification = read_verification(results / "verification.csv")
    made_by = collect_run_provenance({"seed": 7, "note": "</script><b>"})
    fit_files = FitFiles(BLOCKS, "out", COMMAND)
    context = build_page_context(studies, data, verification, list_failures(failed, data), made_by, fit_files)
    return render_page(context)


def cut_section(page, start, end):
    return page[page.index(f'id="{start}"') : page.index(f'id="{end}"')]
