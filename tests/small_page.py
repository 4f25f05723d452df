"""A page with a study of each paper, from the rows of the tests: what the pipeline writes, in seconds."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import query_rows
import report_rows
from studies import compare_study, read_study, study_of

from reproduction.comparison.table import Comparison
from reproduction.core.result_columns import LIST_FIT_COLUMNS
from reproduction.core.results import read_data, read_verification
from reproduction.papers.laporte2014 import figures as query_figures
from reproduction.papers.laporte2014 import significance as query_tests
from reproduction.papers.laporte2014 import tables as query_ranking
from reproduction.plotting.style import save_figure
from reproduction.reporting.failures import list_failures
from reproduction.reporting.page.context import build_page_context
from reproduction.reporting.page.fit_details import FitFiles
from reproduction.reporting.page.render import render_page
from reproduction.reporting.page.site import render_site, write_site
from reproduction.reporting.provenance import collect_run_provenance
from reproduction.reporting.study_report import StudyReport
from reproduction.specs.paper import import_object

PUSH_STUDY = "rakotomamonjy2012"
PUSH_METHODS = {"l1_infinite_push": 0.45, "l2_infinite_push": 0.2, "l1_ranksvm": 0.44}


def write_page(folder: Path) -> Path:
    """Render the page of three studies and write it, with its site in the folder report."""
    report_rows.write_results(folder)
    studies = [_push(folder), _query(folder), _top_ranking(folder)]
    data = read_data(folder / "data.csv")
    verified, failed = (
        read_verification(folder / "verification.csv"),
        list_failures([s.fits for s in studies], data),
    )
    made_by = collect_run_provenance({"seed": 7, "run": [study.name for study in studies]})
    blocks = {study.name: {name: ["0-0"] for name in set(study.fits["dataset"])} for study in studies}
    context = build_page_context(studies, data, verified, failed, made_by, FitFiles(blocks))
    file, page = folder / "report.html", render_page(context)
    file.write_text(page, encoding="utf-8")
    write_site(render_site(context, page), folder / "report")
    return file


def _push_fits(splits: int = 4) -> pd.DataFrame:
    """Rows of fits.csv of R12, as text: two data sets with published numbers."""
    rows = []
    for dataset in ("sonar", "ionosphere"):
        for method, rate in PUSH_METHODS.items():
            for split in range(splits):
                row = {
                    "study": PUSH_STUDY,
                    "dataset": dataset,
                    "feature_scaling": "standardised",
                    "method": method,
                }
                row |= {"split": split, "role": "chosen", "params": json.dumps({"share": 0.1})}
                row |= {"status": "certified", "n_iter": 3 + split, "seconds": 0.01 * (1 + split)}
                row |= {"objective": 0.5, "lower_bound": 0.5, "gap": 0.0, "relative_gap": 1e-12}
                row |= {"positives_at_top": 4, "rate_at_top": rate + 0.01 * split, "n_test_positives": 10}
                rows.append(row | {"weight_norm": 1.0, "n_variables": 20 + split})
    return pd.DataFrame(rows, columns=list(LIST_FIT_COLUMNS), dtype=object).fillna("").astype(str)


def _push(folder: Path) -> StudyReport:
    """R12: Table 1 and its figure."""
    (folder / PUSH_STUDY).mkdir()
    _push_fits().to_csv(folder / PUSH_STUDY / "fits.csv", index=False)
    data = pd.DataFrame({"dataset": ["sonar", "ionosphere"], "status": "obtained", "reason": ""})
    data = data.assign(rows=["208", "351"], features=["60", "33"], substitute_for="", variant_of="")
    no_diagnosis = pd.DataFrame(
        columns=["dataset", "feature_scaling", "split", "lambda_max", "zero_is_optimal"]
    )
    return _with_table1(folder, PUSH_STUDY, data, no_diagnosis)


def _top_ranking(folder: Path) -> StudyReport:
    """K15: Table 1 and its figure."""
    read = report_rows.results_of(folder)
    return _with_table1(folder, report_rows.STUDY, read["data"], read["diagnosis"])


def _with_table1(folder: Path, study: str, data, diagnosis) -> StudyReport:
    """Make Table 1 and its figure, and read the study back with all that lies in its folder."""
    own = folder / study
    data = data.assign(verdict=data["status"].replace("obtained", "as expected"))
    data.to_csv(own / "data.csv", index=False)
    diagnosis.to_csv(own / "diagnosis.csv", index=False)
    study_results = study_of(study, own.iterdir(), True)
    table1 = next(table for table in study_results.paper.tables if table.name == "table1")
    table1.form.write(study_results.table("table1"), own / "table1.csv")
    figure = next(figure for figure in study_results.paper.figures if figure.name == "figure_table1")
    save_figure(
        import_object(figure.draw)(study_results.table("table1"), **figure.options),
        [own / "figure_table1.svg"],
    )
    files = sorted(own.iterdir())
    return read_study(study, files, True, fifth(compare_study(study_of(study, files, True))))


def _query(folder: Path) -> StudyReport:
    """L14: its four tables, the tests and the three figures."""
    study, own = query_rows.STUDY, folder / query_rows.STUDY
    query_rows.write_results(folder)
    tables = query_rows.tables_of(folder)
    forms = query_ranking.TABLE_FORMATS | {"tests": query_tests.TESTS_FORMAT}
    for name, form in forms.items():
        form.write(tables[name], own / f"{name}.csv")
    save_figure(query_figures.draw_figure1(), [own / "figure1.svg"])
    save_figure(query_figures.draw_figure2(tables["table4"]), [own / "figure2.svg"])
    save_figure(query_figures.draw_figure3(tables["table4"], tables["table5"]), [own / "figure3.svg"])
    data_rows = pd.DataFrame({"dataset": list(query_rows.DATASETS), "status": "obtained", "reason": ""})
    data_rows = data_rows.assign(verdict=data_rows["status"].replace("obtained", "as expected"))
    data_rows.to_csv(own / "data.csv", index=False)
    files = sorted(own.iterdir())
    return read_study(study, files, True, fifth(compare_study(study_of(study, files, True))))


def fifth(full: Comparison) -> Comparison:
    """Keep every fifth row: the page is to be small."""
    return replace(full, rows=full.rows.iloc[::5], factors=full.factors.iloc[::5])
