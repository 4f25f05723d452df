"""Figures on the page: inline, labelled, each with the data that it draws."""

import re
from collections.abc import Iterable
from hashlib import blake2s

from markupsafe import Markup

from reproduction.reporting.study_report import Drawing, StudyReport


def build_figure_context(study: StudyReport, drawing: Drawing) -> dict:
    """Prepare a figure for its template."""
    name = f"{study.name}-{drawing.name}"
    return {
        "id": name,
        "file": f"{study.name}_{drawing.name}",
        "study": study.name,
        "title": drawing.title,
        "caption": drawing.caption,
        # Thousands of marks refer to an id: a short digest of the name makes the page a tenth smaller.
        "svg": inline_svg(
            drawing.svg, f"f{blake2s(name.encode(), digest_size=3).hexdigest()}", drawing.description
        ),
    }


def collect_plot_data(studies: Iterable[StudyReport]) -> dict[str, str]:
    """Collect what the figures draw: id of the figure -> CSV text; without those that draw no data."""
    return {
        f"{study.name}-{drawing.name}": drawing.data
        for study in studies
        for drawing in study.drawings
        if drawing.data
    }


def inline_svg(svg: str, prefix: str, description: str) -> Markup:
    """Make a figure ready to stand in a page.

    `svg`: a whole SVG file. `prefix`: put before every id, so that the figures of several studies do not
    disturb one another. `description`: the words that stand for the figure where it is not seen. Returns: the
    <svg> element: no XML prologue, no metadata, a size that follows the page, a role and a label.
    """
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'\b(id="|href="#|url\(#)', lambda match: f"{match[1]}{prefix}-", svg)
    opening, body = svg.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    return Markup(opening) + Markup(' role="img" aria-label="{}">').format(description) + Markup(body)
