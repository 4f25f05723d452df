"""The files that Snakemake's own report shows: those with a caption below reports/captions.

A paper captions its tables and figures in a folder of its own, ``reports/captions/<paper>/<table>.rst``;
their titles are those of the page. ``every_study`` has the figures that all studies share, ``run`` what there
is once a run.
"""

from pathlib import Path

from snakemake.io import report

from reproduction.reporting.standard_artefacts import COMPARISON_FIGURES
from reproduction.specs.paper import Paper

CAPTION_FOLDER = Path(__file__).resolve().parents[2] / "reports/captions"
REPORTED_SUFFIXES = (".csv", ".svg", ".html")
RUN_TITLES = {
    "data": "Data sets",
    "verification": "Verification",
    "comparison": "Published and ours",
    "claims": "What the papers claim",
    "report": "The page",
}
"""File of a run, without suffix -> its title."""

RUN_CATEGORY = "All studies"
"""Heading in Snakemake's report under which the files of the run stand."""


def mark_for_report(file: str, study: str = "", paper: Paper | None = None) -> str:
    """Mark a file, if it is one that the report shows.

    Parameters
    ----------
    file : str
        Path of a result.
    study : str, optional
        Name of its study, under which it stands in Snakemake's report; by default it is of the whole run.
    paper : Paper, optional
        Paper of the study.

    Returns
    -------
    str
        The path, marked by `snakemake.io.report` if the report shows it.
    """
    name, suffix = Path(file).stem, Path(file).suffix
    folders = ("run",) if paper is None else (paper.name, "every_study")
    # a caption of the paper's own wins over the common one
    captions = (CAPTION_FOLDER / folder / f"{name}.rst" for folder in folders)
    caption = next((path for path in captions if path.is_file()), None)
    if caption is None or suffix not in REPORTED_SUFFIXES:
        return file
    title = RUN_TITLES[name] if paper is None else find_title(paper, name)
    return report(file, caption=str(caption), category=study or RUN_CATEGORY, labels={"item": title})


def find_title(paper: Paper, name: str) -> str:
    """Return the title that a table or figure has on the page.

    Parameters
    ----------
    paper : Paper
        Paper of the study.
    name : str
        Name of the table or figure.

    Returns
    -------
    str
        For instance "Table IV: sparsity ratio".
    """
    titles = {table.name: table.view.title for table in paper.tables if table.view}
    titles |= {figure.name: figure.title for figure in (*paper.figures, *COMPARISON_FIGURES)}
    return titles[name]
