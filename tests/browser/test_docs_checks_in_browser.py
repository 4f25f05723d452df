"""The checks of the site of the documentation in Chromium: width, search, names."""

import docs_checks
import pytest

pytestmark = pytest.mark.xdist_group("browser")

SEARCH = """<div id="search-results"><p class="search-summary">found 6 pages</p>
<ul>{}</ul></div>"""
RESULT = '<li class="kind-text">A page <p class="context">{}</p></li>'


@pytest.fixture
def write_page(tmp_path):
    def write(name, body):
        page = tmp_path / f"{name}.html"
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>t</title>'
        page.write_text(f"<!DOCTYPE html><html lang='en'><head>{head}</head><body>{body}</body></html>")
        return page

    return write


def test_a_page_wider_than_a_phone_is_noticed(browser, write_page):
    wide = write_page("wide", '<p style="width: 500px">wide</p>')
    scrolling = '<div style="overflow: auto"><p style="width: 500px">wide</p></div>'
    pages = [wide, write_page("narrow", scrolling)]
    (complaint,) = docs_checks.check_widths(browser, pages)
    assert complaint.startswith("wide.html: At 390 pixels the page is 508 wide")


@pytest.mark.parametrize(("passage", "count"), [("a certificate", 0), ("another word", 1)])
def test_a_search_has_to_show_its_word(browser, write_page, passage, count):
    page = write_page("search", SEARCH.format(6 * RESULT.format(passage)))
    assert len(docs_checks.check_search(browser, page.parent)) == count


def test_a_link_without_a_name_is_noticed(browser, write_page):
    named = '<main><h1>t</h1><a href="t.html" aria-label="t"></a></main>'
    pages = [write_page("nameless", named.replace(' aria-label="t"', "")), write_page("named", named)]
    (complaint,) = docs_checks.check_accessibility(browser, pages)
    assert complaint.startswith("nameless.html: axe, light: link-name")
