"""One browser for the tests of the page, or the reason why there is none."""

import contextlib

import page_checks
import pytest
from page_checks import visit
from small_page import write_page


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium, closed after its tests: while it is open an event loop runs in this process."""
    with contextlib.ExitStack() as stack:
        try:
            yield stack.enter_context(page_checks.open_browser())
        except page_checks.NoBrowser as error:
            pytest.skip(str(error))


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    """The page of three small studies."""
    return write_page(tmp_path_factory.mktemp("page"))


@pytest.fixture
def open_body(browser, tmp_path):
    """Open a small document with something in it that has to be found."""
    with contextlib.ExitStack() as stack:

        def open_with(body, head=""):
            file = tmp_path / "planted.html"
            head = f'<meta charset="utf-8"><title>t</title>{head}'
            body = f"<main><h1>Planted</h1>{body}</main>"
            file.write_text(f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{body}</body></html>')
            return stack.enter_context(visit(browser, file))

        yield open_with
