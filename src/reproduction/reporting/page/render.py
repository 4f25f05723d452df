"""The page of a run: one self-contained HTML file, without network, for every study that ran."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reproduction.reporting.table_layout import Head
from reproduction.specs.table_views import Cell

TEMPLATES = Path(__file__).with_name("templates")


def render_page(context: Mapping) -> str:
    """Render the page of a run as one file.

    Every text from a result file is escaped.

    Parameters
    ----------
    context : mapping
        As `context.build_page_context` returns it.

    Returns
    -------
    str
        A whole HTML document.
    """
    return make_environment().get_template("report.html.j2").render(context)


def make_environment(in_site: bool = False) -> Environment:
    """Set up the templates of one page, which remembers its texts.

    Every text is escaped, and a missing name is an error.

    Parameters
    ----------
    in_site : bool, default False
        Whether the page is one of several: it folds more, and other pages have what it only names.

    Returns
    -------
    Environment
    """
    # undefined names in a template are errors, and texts of the run cannot become markup
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["dialog_json"] = format_details
    environment.globals["first_place"] = FirstPlaces()
    environment.globals["in_site"] = in_site
    return environment


class FirstPlaces:
    """Texts of the page, and where each stands first."""

    def __init__(self) -> None:
        """Start without texts."""
        self.places: dict[str, str] = {}

    def __call__(self, text: str, place: str) -> str:
        """Return where a text stands already; "" for a new one, which stands at the place given.

        Parameters
        ----------
        text : str
            The text that is about to be shown.
        place : str
            Anchor at which it would stand.
        """
        # a long note stands once; further rows refer to its first place
        first = self.places.setdefault(str(text), place)
        return "" if first == place else first


def format_details(cells: Sequence[tuple[Head, Cell]]) -> str:
    """Write the further cells of the dialog of a row as JSON.

    Parameters
    ----------
    cells : sequence of tuple of Head and Cell
        The cells with the heads of their columns.

    Returns
    -------
    str
        A list of heading, plain text, and name of the filter for each cell.
    """
    details = [[head.text, cell.plain_text, head.choices] for head, cell in cells]
    return json.dumps(details, separators=(",", ":"), ensure_ascii=False)
