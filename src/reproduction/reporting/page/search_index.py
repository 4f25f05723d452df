"""The search index of the site, read from its pages, and the terms of its glossary."""

from collections.abc import Mapping
from html.parser import HTMLParser

MAX_TEXT_LENGTH = 200
"""Characters of the text that are searched and shown below a heading."""

SKIPPED_TAGS = ("svg", "script", "style", "nav", "header", "dialog")
HEADINGS = ("h2", "h3", "h4")
VOID_TAGS = ("meta", "link", "br", "img", "input", "hr")


class _EntryReader(HTMLParser):
    """Reads the headings of a page with the text below, rows with an anchor, claims and terms."""

    def __init__(self) -> None:
        """Start at the top of a page."""
        super().__init__()
        self.entries: list[list[str]] = []  # anchor, title, text
        self.terms: dict[str, str] = {}
        self._open: list[tuple[str, str, str]] = []  # tag, id, filter
        self._skipped = 0
        self._entry: list[str] | None = None
        self._target: tuple[list[str], int] | None = None
        self._cells = self._title_cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an entry at a heading, at a row to which something leads, and at a term."""
        if tag in VOID_TAGS:
            return
        values = {name: value or "" for name, value in attrs}
        self._open.append((tag, values.get("id", ""), values.get("data-filter", "")))
        # within these elements nothing is searched: drawings, scripts, menus, dialogs
        if tag in SKIPPED_TAGS:
            self._skipped += 1
        if self._skipped:
            return
        if tag in HEADINGS:
            self._begin(values.get("id") or self._find_anchor())
        elif tag == "tr":
            self._begin_row(values.get("id", ""))
        elif tag in ("th", "td"):
            self._cells += 1
            # the first cells of a row name it, the others are its text
            is_title = self._cells <= self._title_cells
            self._target = (self._entry, 1 if is_title else 2) if self._entry and self._title_cells else None
        elif tag == "dt" and self._find_anchor() == "glossary":
            self._begin("glossary")
        elif (tag == "dd" and self._entry) or (tag in ("p", "figcaption") and self._entry):
            self._target = (self._entry, 2)

    def handle_endtag(self, tag: str) -> None:
        """Close an element; a row ends its entry."""
        # elements that HTML lets stay open end with their parent
        while self._open and self._open[-1][0] != tag:
            self._open.pop()
        if self._open:
            self._open.pop()
        if tag in SKIPPED_TAGS:
            self._skipped -= 1
        if tag == "tr":
            self._entry, self._target, self._title_cells = None, None, 0
        elif tag in (*HEADINGS, "dt", "p", "figcaption", "dd", "th", "td"):
            self._target = None
        if tag == "dd" and self._entry and self._entry[0] == "glossary":
            self.terms[self._entry[1].strip().lower()] = " ".join(self._entry[2].split())

    def handle_data(self, data: str) -> None:
        """Add text to the title or to the text of the entry."""
        if self._target and not self._skipped and data.strip():
            entry, place = self._target
            entry[place] += f" {data.strip()}"

    def _begin(self, anchor: str) -> None:
        """Begin an entry, and read its title."""
        self._entry = [anchor, "", ""]
        self.entries.append(self._entry)
        self._target = (self._entry, 1)

    def _begin_row(self, anchor: str) -> None:
        """Begin the entry of a row that has an anchor (two cells name it), or of a claim (one does)."""
        self._cells = self._title_cells = 0
        claims = next((name for _, _, name in self._open if name.endswith("-claims")), "")
        if anchor:
            self._title_cells = 2
        elif claims and any(tag == "tbody" for tag, *_ in self._open):
            self._title_cells = 1
        if self._title_cells:
            self._begin(anchor or claims)
        self._target = None

    def _find_anchor(self) -> str:
        """Return the id of the nearest element that has one."""
        return next((name for _, name, _ in reversed(self._open) if name), "")


def _read_entries(page: str) -> _EntryReader:
    """Read one page."""
    reader = _EntryReader()
    reader.feed(page)
    return reader


def read_glossary(page: str) -> dict[str, str]:
    """Read the terms of the glossary.

    Parameters
    ----------
    page : str
        The page with the glossary.

    Returns
    -------
    dict of str to str
        Term in lower case -> its definition.
    """
    return _read_entries(page).terms


def build_search_index(
    texts: Mapping[str, str], titles: Mapping[str, str], verdicts: Mapping[str, Mapping]
) -> dict[str, list]:
    """Build the search index of the site.

    Parameters
    ----------
    texts : mapping of str to str
        File -> HTML.
    titles : mapping of str to str
        File -> title of the page.
    verdicts : mapping of str to mapping
        As `verdict_details.collect_verdict_details` returns them: each is found, in the explorer.

    Returns
    -------
    dict of str to list
        ``pages``: file and title of each page; ``entries``: index of the page, anchor, title and text.
    """
    files = list(texts)
    entries = []
    for number, file in enumerate(files):
        for anchor, title, text in _read_entries(texts[file]).entries:
            # a heading without an anchor cannot be a target
            if anchor and title.strip():
                words = " ".join(text.split())[:MAX_TEXT_LENGTH]
                entries.append([number, anchor, " ".join(title.split()), words])
    explorer = files.index("explorer.html")
    # each verdict of the explorer, which its script fills in later
    for address, verdict in verdicts.items():
        words = f"published {verdict['published']}, ours {verdict['ours']}: {verdict['verdict']}"
        entries.append([explorer, address, verdict["title"], words])
    return {"pages": [[file, titles[file]] for file in files], "entries": entries}
