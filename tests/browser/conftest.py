"""One browser for the tests of the page, or the reason why there is none."""

import contextlib

import page_checks
import pytest
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
