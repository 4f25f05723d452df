"""The page in Chromium: what a reader sees and does, and that each check finds what it is there for."""

import page_checks
import page_controls
import pytest
from complaints import assert_complaint
from page_checks import SCHEMES, WIDTHS, visit

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def opened_page(browser, file):
    """The page, opened once; each check puts back what it changes."""
    with visit(browser, file) as opened_page:
        yield opened_page


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(opened_page, width):
    assert page_checks.overflow(opened_page.page, width) == []


@pytest.mark.parametrize(
    "check",
    [
        page_checks.words_for_images,
        page_checks.duplicate_ids,
        page_checks.dead_links,
        page_checks.print_layout,
        *page_controls.CHECKS,
    ],
    ids=lambda check: check.__name__,
)
def test_the_page_passes(opened_page, check):
    assert check(opened_page.page) == []


def test_numbers_lead_to_their_fits(opened_page):
    in_dialog = [lambda page: page_checks.accessibility(page, "dialog[open]")]
    assert page_controls.fits(opened_page.page, in_dialog) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_has_nothing_to_say(opened_page, scheme):
    assert page_checks.violations(opened_page.page, scheme) == []


def test_without_scripts_the_tables_can_be_read(browser, file):
    assert page_checks.without_scripts(browser, file) == []


def test_it_opens_without_errors_and_alone(opened_page):
    """The last look at the page: whatever the other checks clicked has been heard as well."""
    ready, loaded = page_checks.load_times(opened_page.page)
    assert 0 < ready <= loaded
    assert page_checks.errors(opened_page) == [] and page_checks.requests(opened_page) == []


def test_what_is_too_wide_is_named(open_body):
    wide = '<p class="long" style="width: 500px">wide words</p>'
    scrolls = '<div style="overflow: auto"><p style="width: 5000px">in a region of its own</p></div>'
    page = open_body(wide + scrolls).page
    assert_complaint(page_checks.overflow(page, 380), "At 380 pixels", 'p.long (to 508: "wide words")')
    assert page_checks.overflow(page, 1400) == []


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ('<img src="data:,">', "An image has no alt text"),
        ('<img src="data:," alt=" ">', "An image has no alt text"),
        ("<svg></svg>", "A drawing has no role img with a label"),
        ('<svg role="img" aria-label=""></svg>', "A drawing has no role img with a label"),
        ("<figure><p>x</p></figure>", "A figure has no caption"),
    ],
)
def test_what_has_no_words_is_found(open_body, body, word):
    assert_complaint(page_checks.words_for_images(open_body(body).page), word)


def test_what_is_hidden_from_readers_needs_no_words(open_body):
    body = '<svg aria-hidden="true"></svg><img src="data:," role="presentation"><figure>' + (
        '<svg role="img" aria-label="a line"><svg></svg></svg><figcaption>A line.</figcaption></figure>'
    )
    assert page_checks.words_for_images(open_body(body).page) == []


def test_errors_are_heard(open_body):
    logged = open_body("<script>console.error('said so'); console.log('fine')</script>")
    assert_complaint(page_checks.errors(logged), "said so")
    thrown = open_body("<script>missing()</script>")
    assert_complaint(page_checks.errors(thrown), "missing is not defined")


@pytest.mark.parametrize(
    "body",
    [
        '<img alt="x" src="https://elsewhere.invalid/x.png">',
        '<img alt="x" src="beside.png">',
        "<script>fetch('https://elsewhere.invalid/x')</script>",
    ],
)
def test_requests_are_heard(open_body, body):
    opened_page = open_body(body)
    opened_page.page.wait_for_timeout(100)
    (complaint, *further) = page_checks.requests(opened_page)
    assert not further and ("elsewhere.invalid/x" in complaint or "beside.png" in complaint)


def test_ids_and_links_are_compared(open_body):
    page = open_body('<p id="a"></p><p id="a"></p><a href="#a?method=x">to a</a><a href="#b">to b</a>').page
    assert_complaint(page_checks.duplicate_ids(page), "2 elements have the id a.")
    assert_complaint(page_checks.dead_links(page), "“to b” leads to #b")


def test_low_contrast_is_found_in_the_scheme_that_has_it(open_body):
    dark = "body { background: #222; color: #fff } p { color: #444 }"
    style = f"<style>@media (prefers-color-scheme: dark) {{ {dark} }}</style>"
    page = open_body("<p>hard to read</p>", style).page
    assert page_checks.violations(page, "light") == []
    assert_complaint(
        [text for _, text in page_checks.violations(page, "dark")], "color-contrast", "1 found: p."
    )


def test_what_is_folded_is_looked_at_too(open_body):
    page = open_body("<details><summary>more</summary><p style='color: #ccc'>pale</p></details>").page
    (violation, *further) = page_checks.violations(page, "light")
    assert violation[0] == "color-contrast" and not further
    assert not page.eval_on_selector("details", "details => details.open")


def test_what_paper_cannot_do_is_found(open_body):
    rows = "<p>line</p>" * 30
    scroll = f'<div class="scroll" aria-label="long" style="height: 50px; overflow: auto">{rows}</div>'
    complaints = page_checks.print_layout(open_body(scroll + "<label>Find <input></label>").page)
    assert (
        len(complaints) == 2
        and "a control is shown" in complaints[0]
        and "a table is cut: long" in complaints[1]
    )


def test_what_needs_scripts_is_found(browser, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(
        '<table class="data" id="hidden" hidden><tbody><tr><td>1</td></tr></tbody></table>'
        '<table class="data" id="later"></table><select></select>'
    )
    complaints = page_checks.without_scripts(browser, file)
    assert len(complaints) == 3
    assert (
        "hidden is not shown" in complaints[0]
        and "later has no rows" in complaints[1]
        and "<select>" in complaints[2]
    )


def test_the_program_says_what_is_wrong(browser, tmp_path):
    file = tmp_path / "page.html"
    file.write_text('<p id="a"></p><p id="a"></p>')
    findings = page_checks.check(browser, file)
    assert "2 elements have the id a." in findings.complaints and findings.violations > 0
    lines = page_checks.table([findings]).splitlines()
    assert lines[0].split()[-1] == "complaints" and lines[1].split()[-1] == str(len(findings.complaints))


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (
            {"PATH": "/nowhere"},
            "the PATH has none of chromium, chromium-browser, google-chrome; install Debian's",
        ),
        ({"CHROMIUM": "/no/such/program"}, "CHROMIUM names /no/such/program, which is no program."),
    ],
)
def test_no_browser_is_one_sentence(monkeypatch, capsys, tmp_path, environment, words):
    for name in ("CHROMIUM", "PATH"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "page.html").write_text("")
    assert page_checks.main([tmp_path / "page.html"]) == 2
    message = capsys.readouterr().err
    assert words in message and message.count("\n") == 1


def test_a_file_that_is_not_there_is_one_sentence(capsys):
    assert page_checks.main(["no.html"]) == 2 and page_checks.main([]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "no.html is no file" in first and "no page was named" in second
