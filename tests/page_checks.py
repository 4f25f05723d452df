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
INSIDE = ("data:", "blob:", "about:")
"""Addresses that lead nowhere outside the page."""


class NoBrowser(Exception):
    """There is no Chromium, or nothing to drive it; the message is one sentence."""


@dataclass
class Visit:
    """A page that was opened, and what was heard of it from its first byte on."""

    page: object
    address: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


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
        found = shutil.which(name, path=environment.get("PATH"))
        if found:
            return found
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
        seen = Visit(page, Path(file).resolve().as_uri())
        page.on("console", lambda message: message.type == "error" and seen.said.append(message.text))
        page.on("pageerror", lambda error: seen.said.append(str(error)))
        page.on("request", lambda request: seen.asked.append(request.url))
        page.goto(seen.address, wait_until="load")
        yield seen


def errors(seen):
    """What the console and the scripts of the page complained about since it was opened."""
    return [f"The console says: {' '.join(text.split())[:300]}" for text in dict.fromkeys(seen.said)]


def requests(seen):
    """All that the page asked for, other than itself."""
    others = [url for url in seen.asked if url.split("#")[0] != seen.address and not url.startswith(INSIDE)]
    return [f"The page asks for {url[:200]}, but has to stand alone." for url in dict.fromkeys(others)]


def overflow(page, width):
    """Whether the page is wider than its window, and what sticks out."""
    before = page.viewport_size
    page.set_viewport_size({"width": width, "height": 900})
    found = ask(page, "overflow")
    page.set_viewport_size(before)
    return found


def words_for_images(page):
    """Images, drawings and figures without words for who does not see them."""
    return ask(page, "withoutWords")


def duplicate_ids(page):
    """Ids that more than one element has."""
    return ask(page, "twice")


def dead_links(page):
    """Links to places of the page that it does not have."""
    return ask(page, "dead")


def violations(page, scheme, within=None):
    """What axe finds in a colour scheme, all folded parts opened, as pairs of a rule and a complaint.

    In the dark it only looks at contrasts: nothing else follows the scheme.
    """
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    options = {"resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = {"type": "rule", "values": ["color-contrast"]}
    with page_controls.unfolded(page):
        found = Axe().run(page, context=within, options=options).response["violations"]
    page.emulate_media(color_scheme="null")
    complaints = []
    for rule in found:
        places = "; ".join(" ".join(map(str, node["target"])) for node in rule["nodes"][:3])
        said = f"axe, {scheme}: {rule['id']} ({rule['impact']}; {rule['help']}), {len(rule['nodes'])} found"
        complaints.append((rule["id"], f"{said}: {places}."))
    return complaints


def accessibility(page, within=None):
    """What axe finds in the light and in the dark."""
    return [complaint for scheme in SCHEMES for _, complaint in violations(page, scheme, within)]


def in_print(page):
    """Controls that a sheet of paper shows, heads that it loses, tables that it cuts."""
    page.emulate_media(media="print")
    found = ask(page, "onPaper")
    page.emulate_media(media="null")
    return found


def without_scripts(browser, file):
    """Tables that cannot be read, and controls that do nothing, where scripts are not allowed."""
    with visit(browser, file, java_script_enabled=False) as seen:
        return ask(seen.page, "unreadable")


def load_times(page):
    """Milliseconds until the document was there, and until everything was."""
    return page.evaluate(
        "() => { const t = performance.getEntriesByType('navigation')[0];"
        " return [t.domContentLoadedEventEnd, t.loadEventEnd]; }"
    )


def check(browser, file):
    """Run every check on a file."""
    with visit(browser, file) as seen:
        page = seen.page
        ready, loaded = load_times(page)
        found = [complaint for width in WIDTHS for complaint in overflow(page, width)]
        for one in (words_for_images, duplicate_ids, dead_links, in_print):
            found += one(page)
        for one in page_controls.CHECKS:
            found += one(page)
        found += page_controls.fits(page, [lambda opened: accessibility(opened, "dialog[open]")])
        by_axe = [pair for scheme in SCHEMES for pair in violations(page, scheme)]
        found += [complaint for _, complaint in by_axe]
        found += errors(seen) + requests(seen)
    found += without_scripts(browser, file)
    return Findings(Path(file), ready, loaded, len({rule for rule, _ in by_axe}), found)


def table(found):
    """Size, times and counts of the pages, as lines of text."""
    lines = [f"{'page':40} {'MB':>6} {'ready s':>8} {'loaded s':>8} {'axe':>4} {'complaints':>10}"]
    for one in found:
        size = one.file.stat().st_size / 1e6
        times = f"{one.ready / 1000:8.2f} {one.loaded / 1000:8.2f}"
        lines.append(f"{one.file!s:40} {size:6.2f} {times} {one.violations:4} {len(one.complaints):10}")
    return "\n".join(lines)


def main(files):
    """Check the files; 1 where a page has a complaint, 2 where nothing could be checked."""
    missing = [file for file in files if not Path(file).is_file()]
    if missing or not files:
        what = f"{missing[0]} is no file" if missing else "no page was named"
        remedy = "give the HTML files to look at, as results/report.html."
        print(f"page_checks: {what}; {remedy}", file=sys.stderr)
        return 2
    try:
        with open_browser() as browser:
            found = [check(browser, file) for file in files]
    except NoBrowser as error:
        print(f"page_checks: {error}", file=sys.stderr)
        return 2
    print(table(found))
    for one in found:
        for complaint in one.complaints:
            print(f"{one.file}: {complaint}")
    return int(any(one.complaints for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
