"""What has to hold of a page in a real browser: `python tests/page_checks.py FILE [FILE ...]`.

Each check takes a page of Playwright's and returns complaints, one sentence each; what a reader clicks is in
`page_controls`. Chromium is the system's (Debian's package `chromium`): nothing is downloaded, and a page
that asks for anything but itself is complained about.
"""

import contextlib
import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import page_controls
from page_controls import ask

NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (380, 1400)
"""A phone and a desk, in CSS pixels."""
SCHEMES = ("light", "dark")
INTERNAL_SCHEMES = ("data:", "blob:", "about:")
"""Addresses that lead nowhere outside the page."""


class NoBrowser(Exception):
    """There is no Chromium, or nothing to drive it; the message is one sentence."""


@dataclass
class Visit:
    """A page that was opened, and what was heard of it from its first byte on."""

    page: object
    address: str
    messages: list[str] = field(default_factory=list)
    requested_urls: list[str] = field(default_factory=list)


@dataclass
class Findings:
    """What the checks of one file found."""

    file: Path
    ready: float
    loaded: float
    violations: int
    complaints: list[str]


def find_chromium(environment=os.environ):
    """The program of the browser: the one that CHROMIUM names, or the first known name on the PATH."""
    named = environment.get("CHROMIUM")
    for name in (named,) if named else NAMES:
        program = shutil.which(name, path=environment.get("PATH"))
        if program:
            return program
    if named:
        raise NoBrowser(f"CHROMIUM names {named}, which is no program.")
    looked = ", ".join(NAMES)
    raise NoBrowser(
        f"No Chromium was found: CHROMIUM is not set, and the PATH has none of {looked}; "
        "install Debian's package chromium, or name the program in CHROMIUM."
    )


@contextlib.contextmanager
def open_browser():
    """A headless Chromium, without its sandbox (Playwright's default): root could not start it otherwise."""
    program = find_chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise NoBrowser(f"{error.name} is missing: `make env` installs what drives the browser.") from error
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def visit(browser, file, **options):
    """Open a file in a window of its own, cut off from the network, and listen to it."""
    size = {"width": 1400, "height": 900}
    with contextlib.closing(browser.new_context(viewport=size, **options)) as context:
        context.route(re.compile("^(https?|wss?):"), lambda route: route.abort())
        page = context.new_page()
        opened = Visit(page, Path(file).resolve().as_uri())
        page.on("console", lambda message: message.type == "error" and opened.messages.append(message.text))
        page.on("pageerror", lambda error: opened.messages.append(str(error)))
        page.on("request", lambda request: opened.requested_urls.append(request.url))
        page.goto(opened.address, wait_until="load")
        yield opened


def errors(opened):
    """What the console and the scripts of the page complained about since it was opened."""
    return [f"The console says: {' '.join(text.split())[:300]}" for text in dict.fromkeys(opened.messages)]


def requests(opened, is_site=False):
    """All that the page asked for, other than itself; a page of a site may ask for files beside it."""
    folder = opened.address.rpartition("/")[0] + "/"
    urls = [
        url
        for url in opened.requested_urls
        if url.split("#")[0] != opened.address
        and not url.startswith((*INTERNAL_SCHEMES, *([folder] if is_site else [])))
    ]
    return [f"The page asks for {url[:200]}, but has to stand alone." for url in dict.fromkeys(urls)]


def overflow(page, width):
    """Whether the page is wider than its window, and what sticks out."""
    before = page.viewport_size
    page.set_viewport_size({"width": width, "height": 900})
    complaints = ask(page, "overflow")
    page.set_viewport_size(before)
    return complaints


def words_for_images(page):
    """Images, drawings and figures without words for who does not see them."""
    return ask(page, "withoutWords")


def duplicate_ids(page):
    """Ids that more than one element has."""
    return ask(page, "twice")


def dead_links(page):
    """Links to places of the page that it does not have."""
    return ask(page, "dead")


def violations(page, scheme, context=None):
    """What axe finds in a colour scheme, all folded parts opened, as pairs of a rule and a complaint.

    In the dark it only looks at contrasts: nothing else follows the scheme.
    """
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    options = {
        "resultTypes": ["violations"],
        "preload": False,
    }  # a page from disk may not fetch its style sheet
    if scheme == "dark":
        options["runOnly"] = {"type": "rule", "values": ["color-contrast"]}
    with page_controls.unfolded(page):
        rules = Axe().run(page, context=context, options=options).response["violations"]
    page.emulate_media(color_scheme="null")
    complaints = []
    for rule in rules:
        places = "; ".join(" ".join(map(str, node["target"])) for node in rule["nodes"][:3])
        rule_text = (
            f"axe, {scheme}: {rule['id']} ({rule['impact']}; {rule['help']}), {len(rule['nodes'])} found"
        )
        complaints.append((rule["id"], f"{rule_text}: {places}."))
    return complaints


def accessibility(page, context=None):
    """What axe finds in the light and in the dark."""
    return [complaint for scheme in SCHEMES for _, complaint in violations(page, scheme, context)]


def print_layout(page):
    """Controls that a sheet of paper shows, heads that it loses, tables that it cuts."""
    page.emulate_media(media="print")
    complaints = ask(page, "onPaper")
    page.emulate_media(media="null")
    return complaints


def without_scripts(browser, file):
    """Tables that cannot be read, and controls that do nothing, where scripts are not allowed."""
    with visit(browser, file, java_script_enabled=False) as opened:
        return ask(opened.page, "unreadable")


def load_times(page):
    """Milliseconds until the document was there, and until everything was."""
    return page.evaluate(
        "() => { const t = performance.getEntriesByType('navigation')[0];"
        " return [t.domContentLoadedEventEnd, t.loadEventEnd]; }"
    )


def check(browser, file):
    """Run every check on a file."""
    with visit(browser, file) as opened:
        page = opened.page
        ready, loaded = load_times(page)
        complaints = [complaint for width in WIDTHS for complaint in overflow(page, width)]
        for run_check in (words_for_images, duplicate_ids, dead_links, print_layout):
            complaints += run_check(page)
        for run_check in page_controls.CHECKS:
            complaints += run_check(page)
        complaints += page_controls.fits(page, [lambda opened: accessibility(opened, "dialog[open]")])
        by_axe = [pair for scheme in SCHEMES for pair in violations(page, scheme)]
        complaints += [complaint for _, complaint in by_axe]
        complaints += errors(opened) + requests(opened)
    complaints += without_scripts(browser, file)
    return Findings(Path(file), ready, loaded, len({rule for rule, _ in by_axe}), complaints)


def table(findings):
    """Size, times and counts of the pages, as lines of text."""
    lines = [f"{'page':40} {'MB':>6} {'ready s':>8} {'loaded s':>8} {'axe':>4} {'complaints':>10}"]
    for entry in findings:
        size = entry.file.stat().st_size / 1e6
        times = f"{entry.ready / 1000:8.2f} {entry.loaded / 1000:8.2f}"
        lines.append(f"{entry.file!s:40} {size:6.2f} {times} {entry.violations:4} {len(entry.complaints):10}")
    return "\n".join(lines)


def main(files):
    """Check the files; 1 where a page has a complaint, 2 where nothing could be checked."""
    missing = [file for file in files if not Path(file).is_file()]
    if missing or not files:
        fault = f"{missing[0]} is no file" if missing else "no page was named"
        remedy = "give the HTML files to look at, as results/report.html."
        print(f"page_checks: {fault}; {remedy}", file=sys.stderr)
        return 2
    try:
        with open_browser() as browser:
            findings = [check(browser, file) for file in files]
    except NoBrowser as error:
        print(f"page_checks: {error}", file=sys.stderr)
        return 2
    print(table(findings))
    for entry in findings:
        for complaint in entry.complaints:
            print(f"{entry.file}: {complaint}")
    return int(any(entry.complaints for entry in findings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
