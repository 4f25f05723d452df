"""Rule page: the page of the run, its failures and its summary.

Called with ``params.studies`` (name -> settings), ``params.papers`` (name -> "module:record") and
``params.page_files`` (name -> tables and figures of the study), and with the tables of the run:
``input.data``, ``input.verification``, ``input.provenance``, ``input.claims``, ``input.comparison`` with
those beside it, and ``input.not_requested``. ``params.expected`` has the statuses that a user expects,
``params.missing_data`` whether a missing data set is a failure; ``params.split_batches``, ``params.command``
and ``params.published`` go into the commands by which a reader makes a fit again. ``output.page`` is one HTML
file, ``output.site`` the same as a folder of pages, ``output.failures`` the statuses that were not expected,
``output.latex`` the tables of the run, and ``output.summary`` the texts that rule check prints.
"""

import json
import os
import sys
import tomllib
from pathlib import Path

import pandas as pd

from reproduction.comparison.claim_tables import format_totals as claimed
from reproduction.comparison.claim_tables import read_claims
from reproduction.comparison.coverage import (
    EXCLUDED_KEY,
    count_coverage,
    format_totals,
    list_missing_cells,
    list_published_cells,
    select_requested_cells,
)
from reproduction.comparison.table import read_comparison_files
from reproduction.core import results as inputs
from reproduction.core.atomic_io import atomic_write_text
from reproduction.core.provenance import PROJECT_ROOT
from reproduction.reporting import failures as status
from reproduction.reporting import run_summary as summary
from reproduction.reporting.latex.run_tables import RUN_TABLE_WRITERS
from reproduction.reporting.page.context import build_page_context
from reproduction.reporting.page.fit_details import FitFiles
from reproduction.reporting.page.render import render_page
from reproduction.reporting.page.site import render_site, write_site
from reproduction.reporting.study_report import build_study_report
from reproduction.specs.paper import import_object
from reproduction.specs.study_results import Study

SNAPSHOT = PROJECT_ROOT / "reports/snapshot/report/index.html"
GUIDES = {"How to add a method": "docs/add_a_method.md", "How to add a paper": "docs/add_a_paper.md"}


def list_links(results: Path) -> list[tuple[str, str]]:
    """List links to the repository, if pyproject.toml names one, and to guides there or in this folder.

    Parameters
    ----------
    results : pathlib.Path
        Folder of the page.

    Returns
    -------
    list[tuple[str, str]]
        Titles and addresses.
    """
    # the address of the repository, if the project states one; otherwise the guides beside the results
    urls = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get(
        "urls", {}
    )
    home = next(
        (url.rstrip("/") for name, url in urls.items() if name.lower() in ("repository", "source")), ""
    )
    links = [("Repository", home)] if home else []
    for title, file in GUIDES.items():
        if home:
            links.append((title, f"{home}/blob/HEAD/{file}"))
        elif (PROJECT_ROOT / file).is_file():
            links.append((title, os.path.relpath(PROJECT_ROOT / file, results)))
    return links


sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, params, output = snakemake.input, snakemake.params, snakemake.output
results = Path(output.page).parent
comparison, claims = read_comparison_files(Path(files.comparison).parent), read_claims(files.claims)
data = inputs.read_data(files.data)
verification = inputs.read_verification(files.verification)
provenance = json.loads(Path(files.provenance).read_text(encoding="utf-8"))
studies = [
    build_study_report(
        Study(name, import_object(params.papers[name]), settings, params.page_files[name]), comparison, claims
    )
    for name, settings in params.studies.items()
]

# failures first: page, summary and the end of the run show the same list
failures = status.list_failures(
    [status.read_statuses(results / study.name / "fits.csv") for study in studies],
    data,
    overrides=params.expected,
    missing_data=params.missing_data,
)
atomic_write_text(output.failures, failures.to_csv(index=False, lineterminator="\n"))

context = build_page_context(
    studies,
    data=data,
    verification=verification,
    failures=inputs.read_text(output.failures, status.FAILURE_COLUMNS),
    provenance=provenance,
    fit_files=FitFiles(
        params.split_batches,
        "results" if params.published else results.as_posix(),  # folder of the fits in the commands
        params.command,
    ),
    snapshot=os.path.relpath(SNAPSHOT, results) if SNAPSHOT.is_file() else "",
    links=list_links(results),
)
page = render_page(context)
atomic_write_text(output.page, page)
write_site(render_site(context, page), output.site)

# tables of the whole run for LaTeX, from the CSV files beside them
for path in map(Path, output.latex):
    write, needed = RUN_TABLE_WRITERS[path.stem]
    atomic_write_text(path, write(inputs.read_text(path.with_suffix(".csv"), needed)))

fits = {study.name: study.fits for study in studies}
cells = pd.concat(
    [list_published_cells(study.name, study.published_file) for study in studies], ignore_index=True
)
artefacts = {
    study.name: (list(filter(study.is_shown, study.tables)), [drawing.name for drawing in study.drawings])
    for study in studies
}
# cells that a partial run did not ask for do not count as missing
cells = select_requested_cells(cells, inputs.read_text(files.not_requested, EXCLUDED_KEY))
coverage_rows = count_coverage(cells, comparison.rows)
missing = summary.list_missing_datasets(data, fits)
published_lines = [
    *(f"Published numbers of {line}" for line in format_totals(coverage_rows)),
    *claimed(claims),
]
texts = {
    "summary": summary.format_summary(
        results.as_posix(), fits, data, verification, failures, artefacts, published_lines
    ),
    "complaint": summary.explain_failure(
        *(failures, verification, missing, params.missing_data, list_missing_cells(cells, comparison.rows)),
        results=results.as_posix(),
    ),
}
atomic_write_text(output.summary, json.dumps(texts, indent=1) + "\n")
