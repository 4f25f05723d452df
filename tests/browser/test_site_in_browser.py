"""The site of three small studies in Chromium: each page alone, the ways between them, search, dialogs."""

from base64 import b64encode

import page_checks
import page_controls
import pytest
import site_checks
from page_checks import SCHEMES, visit
from site_checks import Reader
from small_page import PUSH_STUDY

pytestmark = pytest.mark.xdist_group("browser")

PAGES = ("index", "rakotomamonjy2012", "laporte2014", "kadkhodaie2015", "explorer", "background")
TABLE_PAGES = ("rakotomamonjy2012", "kadkhodaie2015", "explorer")


@pytest.fixture(scope="module")
def site(file):
    return file.parent / "report"


@pytest.fixture(scope="module", params=PAGES)
def opened_page(request, browser, site):
    with visit(browser, site / f"{request.param}.html") as opened_page:
        yield opened_page


def test_all_pages_are_looked_at(site):
    assert {path.stem for path in site.glob("*.html")} == set(PAGES)


def test_a_page_is_seen_whole_and_well_formed(opened_page):
    for width in site_checks.WIDTHS:
        assert page_checks.overflow(opened_page.page, width) == []
    for check in (page_checks.words_for_images, page_checks.duplicate_ids, page_checks.dead_links):
        assert check(opened_page.page) == []
    assert page_checks.print_layout(opened_page.page) == []
    for check in (page_controls.contents, page_controls.headings, page_controls.address):
        assert check(opened_page.page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_has_nothing_to_say(opened_page, scheme):
    assert page_checks.violations(opened_page.page, scheme) == []


def test_a_page_opens_without_errors_and_asks_only_for_files_beside_it(opened_page):
    assert page_checks.errors(opened_page) == [] and page_checks.requests(opened_page, is_site=True) == []


@pytest.mark.parametrize("name", PAGES)
def test_without_scripts_a_page_can_be_read(browser, site, name):
    assert page_checks.without_scripts(browser, site / f"{name}.html") == []


@pytest.mark.parametrize("name", TABLE_PAGES)
def test_tables_sort_and_filter_and_numbers_lead_to_their_fits(browser, site, name):
    with visit(browser, site / f"{name}.html") as opened:
        for check in (page_controls.sorting, page_controls.filtering, page_controls.fits):
            assert check(opened.page) == []


def test_the_data_of_a_figure_are_loaded_by_a_click(browser, site):
    with visit(browser, site / "kadkhodaie2015.html") as opened:
        assert page_controls.downloads(opened.page) == []
        assert [url for url in opened.requested_urls if url.endswith("drawn.js")]


def test_search_finds_places_on_all_pages(browser, site):
    with visit(browser, site / "index.html") as opened:
        page = opened.page
        page.fill("#search input", "infinite sonar rate")
        link = page.wait_for_selector("#search li a")
        assert "sonar" in link.inner_text()
        link.click()
        page.wait_for_selector("dialog[open]")
        assert "explorer.html#verdict/" in page.url
        page.keyboard.press("Escape")
        page.fill("#search input", "no place has these words")
        page.wait_for_function("document.querySelector('#search output').textContent === '0 places'")


def test_a_badge_opens_its_reason_with_both_values_and_the_fits(browser, site):
    with visit(browser, site / f"{PUSH_STUDY}.html") as opened:
        reader = Reader(opened.page)
        badge = f"#{PUSH_STUDY}-table1 ~ .scroll small.chip a"
        verdict = opened.page.inner_text(badge)
        reader.click(badge)
        dialog = opened.page.inner_text("dialog[open]")
        for words in ("Published", "Ours, by default", "Reason", verdict, "The fits of", "snakemake"):
            assert words in dialog
        address = opened.page.url
    with visit(browser, site / f"{PUSH_STUDY}.html") as opened:  # the address is a permanent link
        opened.page.goto(address)
        opened.page.wait_for_selector("dialog[open]")


def test_rows_beyond_the_paper_wait_for_a_click(browser, site):
    with visit(browser, site / "kadkhodaie2015.html") as opened:
        page = opened.page
        rows = "#kadkhodaie2015-table1 ~ .scroll tbody tr"
        hidden = page.eval_on_selector_all(
            rows, "rows => rows.filter(e => !e.checkVisibility()).map(e => e.id)"
        )
        page.goto(page.url + f"#{hidden[-1]}")
        assert page.is_visible(f"[id='{hidden[-1]}']") and page.is_visible(f"[id='{hidden[0]}']")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_picture_lies_on_the_ground_of_the_page(browser, site, scheme):
    """In the dark the middle of the left edge of a picture has the colour of the page, and is not white."""
    with visit(browser, site / "rakotomamonjy2012.html", color_scheme=scheme) as opened:
        picture = opened.page.query_selector("figure svg")
        pixels = opened.page.evaluate(
            """async (png) => {
              const image = await createImageBitmap(await (await fetch(png)).blob());
              const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
              canvas.drawImage(image, 0, 0);
              return [...canvas.getImageData(3, 3, 1, 1).data].slice(0, 3);
            }""",
            "data:image/png;base64," + b64encode(picture.screenshot()).decode(),
        )
        ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert f"rgb({pixels[0]}, {pixels[1]}, {pixels[2]})" == ground
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_the_rows_beyond_the_first_screen_come_after_the_page(browser, site):
    with visit(browser, site / "explorer.html") as opened:
        page = opened.page
        page.wait_for_function("!document.querySelector('.later')")
        assert page.query_selector("#published .long")
        assert page.evaluate("[...document.querySelectorAll('tbody tr')].every(row => row.offsetHeight > 0)")
        page.evaluate("document.querySelector('.long').classList.add('later')")
        assert (
            page.evaluate("[...document.querySelectorAll('tbody tr')].filter(e => e.offsetHeight).length")
            == 60
        )
        page.emulate_media(media="print")
        assert page.evaluate("[...document.querySelectorAll('tbody tr')].every(row => row.offsetHeight > 0)")
