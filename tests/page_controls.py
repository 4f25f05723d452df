"""What a reader does with the page in a browser: sort, filter, open the fits of a number, take a figure away.

Each check takes a page of Playwright's, does what a reader would, puts everything back, and returns
complaints, one sentence each.
"""

import csv
import io
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

PAGE_FUNCTIONS = Path(__file__).with_name("page_checks.js").read_text(encoding="utf-8")
"""The functions that look at a page from within it."""
WAIT = 15_000
"""Milliseconds in which something that was clicked has to answer."""


def call_script(name):
    """Write a call of a function of `page_checks.js`, with whatever it is given."""
    return f"(...given) => {PAGE_FUNCTIONS}.{name}(...given)"


@contextmanager
def unfolded(page):
    """Open all folded parts of a page, and fold them again at the end."""
    folded = page.evaluate_handle(
        "() => [...document.querySelectorAll('details:not([open])')].map(e => { e.open = true; return e; })"
    )
    yield
    folded.evaluate("opened => opened.forEach(e => { e.open = false; })")


def ask(page, name):
    """Call a function of `page_checks.js` in the page."""
    return page.evaluate(call_script(name))


def sorting(page):
    """Click every head of every table.data three times: one order, its reverse, and as it was."""
    return ask(page, "sorting")


def filtering(page):
    """Use the search box, each select box and the reset of every table that has them."""
    with unfolded(page):
        return ask(page, "filtering")


def contents(page):
    """Scroll each part of the contents to the upper edge: the contents have to mark it."""
    complaints = []
    links = """[...document.querySelectorAll("nav a[href^='#']")].map(link => link.hash.slice(1))"""
    for name in page.evaluate(links):
        marked, reached = page.evaluate(
            """async name => {
                const part = document.getElementById(name);
                part.scrollIntoView();
                for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
                const link = document.querySelector("nav a[aria-current]:not([aria-current='page'])");
                return [link && link.hash.slice(1), part.getBoundingClientRect().top < 96];
            }""",
            name,
        )
        if reached and marked != name:
            complaints.append(f"The contents mark {marked} where {name} is read.")
    page.evaluate("scrollTo(0, 0)")
    return complaints


def headings(page):
    """Each heading that is no link has one to itself, and no two the same."""
    return page.evaluate(
        """() => {
            const found = [], seen = new Set();
            for (const heading of document.querySelectorAll("main :is(h2, h3, h4)")) {
                if (!heading.textContent.trim() || heading.querySelector("a:not(.permalink)")) continue;
                const link = heading.querySelector("a.permalink"), to = link && link.hash.slice(1);
                if (!to || seen.has(to) || !document.getElementById(to))
                    found.push(`The heading ${heading.textContent} has no link of its own.`);
                seen.add(to);
            }
            return found;
        }"""
    )


def address(page):
    """Choose, go back, and follow a link without a choice, in the first open table with an address."""
    tables = page.query_selector_all("table[data-filter]:not([data-filter=' '])")
    table = next((table for table in tables if table.is_visible()), None)
    if table is None:
        return []
    name, complaints = table.get_attribute("data-filter"), []
    page.goto(page.url.partition("#")[0] + f"#{name}")
    region = "table => table.closest('[role=region]').previousElementSibling"
    form = table.evaluate_handle(region).as_element()
    all_rows = form.query_selector("output").inner_text()
    select = form.query_selector("select")
    last = select.evaluate("select => select.options[select.options.length - 1].value")
    select.select_option(last)
    if "=" not in page.url:
        complaints.append(f"A choice in {name} does not stand in the address.")
    page.go_back()
    if select.evaluate("select => select.value") or form.query_selector("output").inner_text() != all_rows:
        complaints.append(f"Back does not undo a choice in {name}.")
    select.select_option(last)
    page.evaluate("name => { location.hash = name; }", name)
    page.wait_for_timeout(50)
    if select.evaluate("select => select.value"):
        complaints.append(f"A link to {name} without a choice leaves one.")
    page.go_back()
    page.go_back()
    return complaints


def fits(page, also=()):
    """Open the fits of the first, the middle and the last number that lead to them.

    `also` are checks of the page while the first dialog is open.
    """
    leading = page.evaluate_handle(call_script("leading"))
    number = leading.evaluate("found => found.length")
    if not number:
        return ["No number leads to its fits."]
    complaints = []
    for place in sorted({0, number // 2, number - 1}):
        element = leading.evaluate_handle("(found, place) => found[place]", place).as_element()
        complaints += _fits_of(page, element, also if place == 0 else ())
    return complaints


def _fits_of(page, element, also):
    """Open the dialog of one number as a reader does, look into it, and leave it by Escape."""
    from playwright.sync_api import TimeoutError as NothingCame

    name = element.get_attribute("data-fits")
    button = element.query_selector("button, a") or element
    try:
        button.click(timeout=WAIT)
        page.wait_for_selector("dialog[open]", timeout=WAIT)
    except NothingCame:
        return [f"Clicking the number of {name} opens no dialog."]
    dialog = ask(page, "dialog")
    complaints = [] if dialog["rows"] else [f"The dialog of {name} lists no fits."]
    if not any("snakemake" in command or "make" in command for command in dialog["commands"]):
        complaints.append(f"The dialog of {name} shows no command that makes the fits anew.")
    for run_check in also:
        complaints += run_check(page)
    # The browser tells the page of a closed dialog later than it closes it; the page may then move the focus.
    watch_close = "dialog => { dialog.left = new Promise(done => dialog.addEventListener('close', done)); }"
    page.eval_on_selector("dialog[open]", watch_close)
    page.keyboard.press("Escape")
    if page.query_selector("dialog[open]"):
        complaints.append(f"Escape does not close the dialog of {name}.")
        page.eval_on_selector("dialog[open]", "dialog => dialog.close()")
        return complaints
    page.evaluate("Promise.all([...document.querySelectorAll('dialog')].map(dialog => dialog.left))")
    if not element.evaluate("e => e.contains(document.activeElement)"):
        complaints.append(f"When the dialog of {name} closes, the focus does not return to the number.")
    return complaints


def downloads(page):
    """Take away the data and the drawing of the first figure, and see whether they can be read."""
    if not page.query_selector("figure"):
        return ["The page has no figure."]
    complaints = []
    for kind_of_link, kind, read in (("data", "CSV", _read_csv), ("svg", "SVG", ElementTree.fromstring)):
        link = page.evaluate_handle(call_script("download"), kind_of_link).as_element()
        if link is None:
            complaints.append(f"The first figure has no link to its {kind_of_link}.")
            continue
        complaints += _check_download(page, link, kind, read)
    return complaints


def _check_download(page, link, kind, read):
    """Click a link that is to start a download, and read what comes."""
    from playwright.sync_api import TimeoutError as NothingCame

    try:
        with page.expect_download(timeout=WAIT) as coming:
            link.click()
    except NothingCame:
        return [f"Clicking “{link.inner_text()}” of the first figure starts no download."]
    name = coming.value.suggested_filename
    try:
        read(Path(coming.value.path()).read_text(encoding="utf-8"))
    except (ValueError, ElementTree.ParseError) as error:
        return [f"{name}, which the first figure gives away, is no {kind}: {error}."]
    return [] if name.lower().endswith(kind.lower()) else [f"{name} is a {kind} file by another name."]


def _read_csv(text):
    """Read rows of equal length below a head."""
    rows = list(csv.reader(io.StringIO(text)))
    lengths = {len(row) for row in rows}
    if len(rows) < 2 or len(lengths) != 1:
        raise ValueError(f"{len(rows)} rows of {sorted(lengths)} cells")


CHECKS = (sorting, filtering, downloads, contents, headings, address)
