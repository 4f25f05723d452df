"""The skeleton of a paper: one LaTeX document with every table and figure of a run."""

from collections.abc import Mapping, Sequence
from os.path import relpath
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reproduction.artefact import Table
from reproduction.report.latex.view import OVER_PAGES
from reproduction.report.studies import Drawing, StudyReport
from reproduction.text import breakable, escape

TEMPLATES = Path(__file__).parent / "templates"
OF_THE_RUN = {"verification": "Every solver against its reference: cases, and the largest relative gap."}
"""Table of the whole run -> its caption; a table that may break over pages has its own."""


def source(
    studies: Sequence[StudyReport],
    tables: Sequence[str | Path],
    provenance: Mapping,
    folder: str | Path,
) -> str:
    """Write the document.

    `studies`: in the order of the papers. `tables`: the tables as LaTeX: those in a folder of the name of a
    study belong to it, the others to the run. `provenance`: what `provenance.provenance` collected. `folder`:
    where the document is to lie: paths in it are relative, so that results may be moved as a whole.
    Returns: LaTeX. A study's figures are the PDFs in the folder of its tables.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        block_start_string=r"\BLOCK{",
        block_end_string="}",
        variable_start_string=r"\VAR{",
        variable_end_string="}",
        comment_start_string=r"\COMMENT{",
        comment_end_string="}",
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    folder, paths = Path(folder), [Path(path) for path in tables]
    sections = []
    for study in studies:
        own = [path for path in paths if path.parent.name == study.name]
        figures = [_figure(study.name, drawing, own[0].parent, folder) for drawing in study.drawings]
        captions = {table.name: said for table in study.paper.tables if (said := _caption(table))}
        tables_of = _tables(own, study.name, captions, folder)
        sections.append({"title": escape(study.title), "figures": figures, **tables_of})
    names = {study.name for study in studies}
    of_run = [path for path in paths if path.parent.name not in names]
    if of_run:
        sections.append(
            {"title": "The whole run", "figures": [], **_tables(of_run, "run", OF_THE_RUN, folder)}
        )
    return environment.get_template("paper.tex.j2").render(
        title="Printed and measured",
        provenance=_origin(provenance),
        sections=sections,
    )


def _caption(table: Table) -> str:
    """Give the caption of a table; one without a caption has its title on the page."""
    return table.caption or (f"{table.view.title}." if table.view else "")


def _figure(study: str, drawing: Drawing, beside: Path, folder: Path) -> dict[str, str]:
    """One figure: the PDF that lies beside the tables of its study."""
    return {
        "path": relpath(beside / f"{drawing.name}.pdf", folder),
        "caption": rf"\textbf{{{escape(drawing.title)}.}} {breakable(drawing.caption)}",
        "label": f"{study}-{drawing.name}",
    }


def _tables(paths: Sequence[Path], of: str, captions: Mapping[str, str], folder: Path) -> dict[str, list]:
    """Sort tables: those in floats, those that may break over pages, and those of several tabulars."""
    found: dict[str, list] = {"floating": [], "long": [], "over_pages": []}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        is_long, is_over = r"\begin{longtable}" in text, OVER_PAGES in text
        found["long" if is_long else "over_pages" if is_over else "floating"].append(
            {
                "path": relpath(path, folder),
                "caption": breakable(captions.get(path.stem, f"{path.stem} of {of}.")),
                "label": f"{of}-{path.stem}",
            }
        )
    return found


def _origin(provenance: Mapping) -> dict[str, str]:
    words = {
        "version": provenance["versions"].get("toprank", ""),
        "written": provenance["written"][:10],
        "commit": provenance["commit"][:12] if " " not in provenance["commit"] else provenance["commit"],
        "changed": " with changes" if provenance["dirty"] else "",
        "digest": provenance["config_digest"][:12],
        "seed": provenance["seeds"]["master"],
        "python": provenance["python"],
        "machine": f"{provenance['cores']} cores of {provenance['cpu']}",
    }
    return {name: escape(word) for name, word in words.items()} | {"changed": words["changed"]}
