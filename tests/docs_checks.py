"""What has to hold of the documentation as a site: `python tests/docs_checks.py [docs/_build/html]`.

Links lead somewhere, no word is taken for a mail address, and an index stands beside a tilde. In Chromium,
from disk: no page is wider than a phone, the search shows passages, and axe has no complaint about a page of
each kind.
"""

import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import page_checks

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs/_build/html"
WIDTH = 390
"""A phone, in CSS pixels."""
SEARCH_WORD, STEM = "certificate", "certif"
"""A word that many pages have, and what all its forms begin with."""
KINDS = (
    "index",
    "depth",
    "search",
    "genindex",
    "changelog",
    "gallery/index",
    "generated/api/toprank.TopPush",
)
"""A page of each kind, for axe."""
END_OF_SEARCH = r"() => /\d/.test(document.querySelector('#search-results p.search-summary')?.innerText)"
RESULTS = "#search-results li.kind-text"

LINK = re.compile(r'<(?:a|img|link|script)\b[^>]*\s(?:href|src)="([^"]*)"')
ID = re.compile(r'\b(?:id|name)="([^"]+)"')
INDEX_BELOW_TILDE = re.compile(r"<munderover>(?:(?!</munderover>).)*<mo[^>]*>~</mo>", re.DOTALL)
SCHEME_PREFIX = re.compile(r"\w+:")


def list_pages(site):
    """Pages of the site, without those of the report, which has its own checks, and parts of the theme."""
    return [
        page
        for page in sorted(Path(site).resolve().rglob("*.html"))
        if not {"report", "_static"} & {*page.relative_to(Path(site).resolve()).parts}
    ]


def check_texts(pages):
    """Check the links of all pages, mail addresses, and formulas."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    anchors = {page: {"", *map(unescape, ID.findall(text))} for page, text in texts.items()}
    complaints = []
    for page, text in texts.items():
        for link in sorted({*map(unescape, LINK.findall(text))}):
            if link.startswith("mailto:"):
                complaints.append(f"{page.name} takes {link} for an address.")
            if SCHEME_PREFIX.match(link):
                continue
            file, _, anchor = unquote(link).partition("#")
            target = (page.parent / file.partition("?")[0]).resolve() if file else page
            if not target.is_file():
                complaints.append(f"{page.name} links to {link}, which is no file.")
            elif anchor not in anchors.get(target, {anchor}):
                complaints.append(f"{page.name} links to {link}, which is nowhere.")
        if INDEX_BELOW_TILDE.search(text):
            complaints.append(f"{page.name} has a formula with an index below a tilde, not beside it.")
    return complaints


def check_widths(browser, pages):
    """Look for pages that are wider than a phone; without their scripts they open twice as fast."""
    complaints = []
    with page_checks.visit(browser, pages[0], java_script_enabled=False) as opened:
        page = opened.page
        page.set_viewport_size({"width": WIDTH, "height": 900})
        for file in pages:
            page.goto(file.as_uri(), wait_until="load")
            complaints += [f"{file.name}: {words}" for words in page_checks.ask(page, "overflow")]
    return complaints


def check_search(browser, site):
    """Search from disk: each result that is a page or a section shows a passage, and most hold the word."""
    with page_checks.visit(browser, Path(site, "search.html")) as opened:
        page = opened.page
        page.goto(f"{opened.address}?q={SEARCH_WORD}")
        page.wait_for_function(END_OF_SEARCH)
        page.wait_for_selector(f"{RESULTS}:last-child p.context")
        passages = page.eval_on_selector_all(RESULTS, "rows => rows.map(e => e.innerText)")
        complaints = page_checks.errors(opened) + page_checks.overflow(page, WIDTH)
    has_word = [STEM in passage.lower() for passage in passages]
    if len(passages) < 5 or sum(has_word) < 0.9 * len(passages):
        complaints.append(f"Of {len(passages)} pages with {SEARCH_WORD!r}, {sum(has_word)} show it.")
    return complaints


def check_accessibility(browser, pages):
    """What axe finds on pages, in the light and in the dark."""
    complaints = []
    for file in pages:
        with page_checks.visit(browser, file) as opened:
            complaints += [f"{file.name}: {words}" for words in page_checks.accessibility(opened.page)]
    return complaints


def main(site=SITE):
    """Check the site; 1 where something is wrong, 2 where it is not built. Without Chromium, only texts."""
    pages = list_pages(site)
    if not pages:
        print(f"docs_checks: {site} has no pages; run `make docs` first.", file=sys.stderr)
        return 2
    complaints = check_texts(pages)
    try:
        with page_checks.open_browser() as browser:
            complaints += check_widths(browser, pages) + check_search(browser, site)
            complaints += check_accessibility(browser, [Path(site, f"{name}.html") for name in KINDS])
    except page_checks.NoBrowser as error:
        print(f"docs_checks: only the texts were checked. {error}")
    print("\n".join([*complaints, f"{len(pages)} pages, {len(complaints)} complaints"]))
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
