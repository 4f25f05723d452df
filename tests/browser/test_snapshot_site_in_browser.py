"""The committed report in Chromium: readers' questions with counted clicks, words, sheets, accessibility."""

import page_checks
import pytest
import site_checks
from page_checks import SCHEMES, visit
from report_rows import ROOT
from site_checks import MAX_FIRST_PAGE_WORDS, MAX_PAPER_SHEETS, MAX_PAPER_WORDS, Reader

pytestmark = pytest.mark.xdist_group("browser")

SITE = ROOT / "reports/snapshot/report"
PAPERS = ("rakotomamonjy2012", "laporte2014", "kadkhodaie2015")
PAGES = sorted(path.stem for path in SITE.glob("*.html"))


@pytest.fixture
def reader(browser):
    with visit(browser, SITE / "index.html") as opened:
        yield Reader(opened.page)


def test_does_table_1_hold_in_one_click(reader):
    reader.click("article:has-text('Kadkhodaie') .doors a:has-text('Table 1')")
    verdicts = reader.page.inner_text("#kadkhodaie2015-table1 ~ .verdicts")
    assert reader.clicks == 1 and "40 published results: 8 agree, 20 are consistent" in verdicts


def test_why_2_4_and_not_49_in_two_clicks(reader):
    reader.click("article:has-text('Kadkhodaie') .doors a:has-text('Table 1')")
    reader.click("tr:has(th:text-matches('^breast-cancer\\\\b')):has(td:text-is('TopPush')) small.chip a")
    dialog = reader.page.inner_text("dialog[open]")
    for words in (
        "49.0 ± 13.9",
        "2.40 ± 3.34",
        "42.4",
        "features=standardised and stop=combined",
        "snakemake",
    ):
        assert words in dialog
    assert reader.clicks == 2


def test_which_method_in_one_click(reader):
    reader.click("nav a:has-text('Which method')")
    first = reader.page.inner_text("main section > :nth-child(3)")
    assert reader.clicks == 1 and first.startswith("Recommendation") and "Random forest" in first
    assert "Depth: tune it" in first


def test_the_first_page_is_short(reader):
    assert site_checks.count_words(reader.page) <= MAX_FIRST_PAGE_WORDS
    for words in ("The paper claims:", "We find:", "Not obtained:", "permuted among the methods"):
        assert words in reader.page.inner_text("main")


def test_two_methods_of_an_address_are_compared(browser):
    address = "kadkhodaie2015-compare?first=Exact&second=A2DM2"
    with visit(browser, SITE / "explorer.html") as opened:
        opened.page.goto(f"{opened.address}#{address}")
        opened.page.reload()
        part = "[data-compare='kadkhodaie2015-compare']"
        opened.page.wait_for_selector(f"{part} form")
        chosen = opened.page.eval_on_selector_all(
            f"{part} form select", "nodes => nodes.slice(0, 2).map(e => e.selectedOptions[0].textContent)"
        )
        heads = opened.page.eval_on_selector_all(
            f"{part} thead button", "nodes => nodes.map(e => e.innerText)"
        )
        assert sorted(chosen) == ["A2DM2", "Exact"] and set(chosen) <= set(heads)
        assert opened.page.query_selector(f"{part} tbody tr a.fits") and page_checks.errors(opened) == []


@pytest.mark.parametrize("name", PAPERS)
def test_the_page_of_a_paper_is_short_on_screen_and_on_paper(browser, name):
    with visit(browser, SITE / f"{name}.html") as opened:
        assert site_checks.count_words(opened.page) <= MAX_PAPER_WORDS
        assert site_checks.count_sheets(opened.page) <= MAX_PAPER_SHEETS


@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out_and_nothing_fails(browser, name):
    with visit(browser, SITE / f"{name}.html") as opened:
        for width in site_checks.WIDTHS:
            assert page_checks.overflow(opened.page, width) == []
        assert page_checks.errors(opened) == [] and page_checks.requests(opened, is_site=True) == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_axe_has_nothing_to_say(browser, name, scheme):
    with visit(browser, SITE / f"{name}.html") as opened:
        assert page_checks.violations(opened.page, scheme) == []
