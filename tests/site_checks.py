"""What has to hold of the report as a site: links between its pages, words, sheets of paper, and clicks."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

MAX_FIRST_PAGE_WORDS = 800
MAX_PAPER_WORDS = 2500
MAX_PAPER_SHEETS = 12
WIDTHS = (390, 1280)
"""A phone and a small desk, in CSS pixels."""

HREF = re.compile(r'<a\b[^>]*\bhref="([^"]*)"')
ID = re.compile(r'\bid="([^"]+)"')


def dead_links(folder):
    """Links of the pages to files that are not there, or to anchors that their page lacks."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.html"))}
    anchors = {name: {"", *ID.findall(text)} for name, text in texts.items()}
    complaints = []
    for name, text in texts.items():
        for link in map(unescape, HREF.findall(text)):
            if "://" in link:
                continue
            file, _, anchor = link.partition("#")
            target = file or name
            if target in anchors:
                if unquote(anchor.partition("?")[0]) not in anchors[target]:
                    complaints.append(f"{name} links to {link}, which is nowhere.")
            elif not Path(folder, file).exists():
                complaints.append(f"{name} links to {link}, which is no file.")
    return complaints


def count_words(page):
    """Words that a reader sees, folded parts aside."""
    return page.evaluate("document.querySelector('main').innerText.split(/\\s+/).filter(Boolean).length")


def count_sheets(page):
    """Sheets of paper that the page takes as it stands."""
    return max(map(int, re.findall(rb"/Count (\d+)", page.pdf(prefer_css_page_size=True))))


class Reader:
    """Someone who clicks, and counts it."""

    def __init__(self, page):
        """Begin without a click."""
        self.page, self.clicks = page, 0

    def click(self, selector):
        """Click the first element that a selector names and wait for what it opens."""
        self.page.click(selector)
        self.page.wait_for_load_state()
        self.clicks += 1
