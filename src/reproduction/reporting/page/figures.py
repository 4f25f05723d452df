"""Figures on the page: inline, labelled, each with the data that it draws."""

import re
import zlib
from base64 import b64encode
from collections.abc import Iterable
from hashlib import blake2s

from markupsafe import Markup

from reproduction.reporting.study_report import Drawing, StudyReport


def build_figure_context(study: StudyReport, drawing: Drawing) -> dict:
    """Prepare a figure for its template.

    Parameters
    ----------
    study : StudyReport
        The study of the figure.
    drawing : Drawing
        The figure with its caption.

    Returns
    -------
    dict
        ``id`` (anchor), ``file`` (name of a download), ``study``, ``title``, ``message``, ``caption``,
        ``has_data`` and ``svg``.
    """
    name = f"{study.name}-{drawing.name}"
    return {
        "id": name,
        "file": f"{study.name}_{drawing.name}",
        "study": study.name,
        "title": drawing.title,
        "message": drawing.message,
        "caption": drawing.caption,
        "has_data": bool(drawing.data),
        # Thousands of marks refer to an id: a short digest of the name makes the page a tenth smaller.
        "svg": inline_svg(
            drawing.svg,
            f"f{blake2s(name.encode(), digest_size=3).hexdigest()}",
            f"{drawing.message} {drawing.description}",
        ),
    }


def collect_plot_data(studies: Iterable[StudyReport]) -> dict[str, str]:
    """Collect the data that the figures draw.

    Parameters
    ----------
    studies : iterable of StudyReport
        The studies of the run.

    Returns
    -------
    dict of str to str
        Anchor of the figure -> CSV text as `compress_text` packs it, without the figures that draw no data.
    """
    return {
        f"{study.name}-{drawing.name}": compress_text(drawing.data)
        for study in studies
        for drawing in study.drawings
        if drawing.data
    }


def compress_text(text: str) -> str:
    """Compress a text for a browser, whose DecompressionStream("deflate") reads it.

    Parameters
    ----------
    text : str
        Any text; the data of a figure become a tenth as long.

    Returns
    -------
    str
        Its UTF-8 bytes in the format of zlib, as base64.
    """
    return b64encode(zlib.compress(text.encode(), 9)).decode()


def inline_svg(svg: str, prefix: str, description: str) -> Markup:
    """Make a figure ready to stand in a page.

    Parameters
    ----------
    svg : str
        A whole SVG file.
    prefix : str
        Put before every id, so that the figures of several studies do not disturb one another.
    description : str
        The words that stand for the figure where it is not seen.

    Returns
    -------
    Markup
        The <svg> element: no XML prologue, no metadata, no title (which would be a tooltip), a size that
        follows the page, a role and a label.
    """
    svg = re.sub(r"<(metadata|title)>.*?</\1>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'\b(id="|href="#|url\(#)', lambda match: f"{match[1]}{prefix}-", svg)
    opening, body = svg.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    return Markup(opening) + Markup(' role="img" aria-label="{}">').format(description) + Markup(body)
