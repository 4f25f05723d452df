"""The page in Chromium: what a reader sees and does, and that each check finds what it is there for."""

import contextlib

import page_checks
import page_controls
import pytest
from page_checks import SCHEMES, WIDTHS, visit

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def opened_page(browser, file):
    """The page, opened once; each check puts back what it changes."""
    with visit(browser, file) as opened_page:
        yield opened_page


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


def assert_complaint(complaints, *words):
    """There is one complaint, and it has these words."""
    assert len(complaints) == 1, complaints
    for word in words:
        assert word in complaints[0]


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


TABLE = """<div role="region" aria-label="Numbers"><table class="data"{filter}>
<thead><tr><th data-choices="n">Name</th><th>Number</th></tr></thead><tbody>
<tr><th>b</th><td class="num" data-value="9">9</td></tr>
<tr><th>a</th><td class="num" data-value="10">10</td></tr>
<tr><th>c</th><td class="num">none</td></tr></tbody></table></div>"""
SORT = """<script>
const body = document.querySelector("tbody"), before = [...body.rows];
document.querySelectorAll("thead th").forEach((head, column) => {
  head.innerHTML = `<button>${head.textContent}</button>`;
  head.firstChild.onclick = () => {
    const last = head.getAttribute("aria-sort");
    const next = last === "ascending" ? "descending" : last === "descending" ? null : "ascending";
    const sign = next === "ascending" ? 1 : -1;
    const key = row => row.cells[column].dataset.value ?? (column ? "" : row.cells[column].textContent);
    next ? head.setAttribute("aria-sort", next) : head.removeAttribute("aria-sort");
    body.append(...(next ? [...before].sort((x, y) => COMPARE) : before));
  };
});
</script>"""
RIGHT_COMPARISON = (
    "column ? (key(x) === '') - (key(y) === '') || sign * (key(x) - key(y))"
    " : sign * key(x).localeCompare(key(y))"
)


def test_a_sort_that_is_right(open_body):
    assert (
        page_controls.sorting(
            open_body(TABLE.format(filter="") + SORT.replace("COMPARE", RIGHT_COMPARISON)).page
        )
        == []
    )


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ("", "Nothing sorts the table Numbers"),
        (SORT.replace("COMPARE", "sign * key(x).localeCompare(key(y))"), "Number is not ascending: 10, 9."),
        (SORT.replace("COMPARE", RIGHT_COMPARISON.replace("sign *", "")), "not each other's reverse"),
        (
            SORT.replace("COMPARE", RIGHT_COMPARISON).replace(": before)", ": [])"),
            "does not restore the order",
        ),
        (
            SORT.replace("COMPARE", RIGHT_COMPARISON).replace('head.setAttribute("aria-sort", next)', "0"),
            "aria-sort",
        ),
        (SORT.replace("COMPARE", "sign * (key(x) - key(y))"), "what is missing stands before"),
    ],
    ids=["none", "as text", "one way", "for good", "silent", "missing first"],
)
def test_a_sort_that_is_wrong(open_body, script, word):
    complaints = page_controls.sorting(open_body(TABLE.format(filter="") + script).page)
    assert any(word in complaint for complaint in complaints), complaints


BAR = """<form><input type="search" aria-label="Search">
<select aria-label="Name"><option value="">all</option>
<option>b</option><option>a</option></select><button type="reset">Reset</button><output></output></form>"""
FILTER = """<script>
const form = document.forms[0], rows = [...document.querySelectorAll("tbody tr")];
const apply = () => {
  const [search, select] = form.elements;
  let shown = 0;
  for (const row of rows) {
    const chosen = !select.value || row.cells[0].textContent === select.value;
    const fits = chosen && row.textContent.includes(search.value);
    row.hidden = !fits;
    shown += fits;
  }
  form.querySelector("output").textContent = `${shown} of 3`;
};
form.oninput = apply;
form.onreset = () => setTimeout(apply);
</script>"""


def test_a_filter_that_is_right(open_body):
    page = open_body(BAR + TABLE.format(filter=" data-filter") + FILTER).page
    assert page_controls.filtering(page) == []


@pytest.mark.parametrize(
    ("bar", "script", "word"),
    [
        ("", "", "No search box stands above Numbers"),
        (BAR, "", "A search for “c” shows 3 rows of Numbers, not 1."),
        (BAR, FILTER.replace("${shown}", "3"), "A search does not change the count"),
        (BAR, FILTER.replace("form.onreset", "form.other"), "does not show all 3 rows of Numbers again"),
        (
            BAR,
            FILTER.replace("chosen =", "chosen = true ||"),
            "The choice “a” shows 3 rows of Numbers, not 1.",
        ),
        (
            BAR.replace("select", "span"),
            FILTER.replace("chosen =", "chosen = true ||"),
            "0 select boxes, not 1",
        ),
    ],
    ids=["none", "dead", "silent", "for good", "no choice", "no box"],
)
def test_a_filter_that_is_wrong(open_body, bar, script, word):
    complaints = page_controls.filtering(open_body(bar + TABLE.format(filter=" data-filter") + script).page)
    assert any(word in complaint for complaint in complaints), complaints


PARTS = """<nav><a href="#a" aria-current="true">A</a><a href="#b">B</a></nav>
<h2 id="a">A</h2><p style="height: 3000px"></p><h2 id="b">B</h2><p style="height: 3000px"></p>"""
MARKS = """<script>addEventListener("scroll", () => document.querySelectorAll("nav a").forEach((link, i) =>
  link.toggleAttribute("aria-current", (scrollY > 1000) === (i === 1))));
</script>"""


def test_contents_that_mark_another_part(open_body):
    assert page_controls.contents(open_body(PARTS + MARKS).page) == []
    assert page_controls.contents(open_body(PARTS).page) == ["The contents mark a where b is read."]


def test_a_heading_without_a_link_of_its_own(open_body):
    linked = '<h2 id="a">A<a class="permalink" href="#a"></a></h2><h4></h4>'
    assert page_controls.headings(open_body(linked).page) == []
    assert_complaint(page_controls.headings(open_body(linked + "<h3>B</h3>").page), "B has no link")
    assert_complaint(
        page_controls.headings(open_body(linked + '<h3>C<a class="permalink" href="#a"></a></h3>').page), "C"
    )


def test_an_address_that_forgets_a_choice(open_body):
    named = BAR + TABLE.format(filter=' data-filter="t" id="t"') + FILTER
    complaints = page_controls.address(open_body(named).page)
    assert complaints[0] == "A choice in t does not stand in the address." and len(complaints) == 3


NUMBER = '<table><tr><td data-fits="s/d/f/m" data-value="4"><button>4</button></td></tr></table>'
DIALOG = '<dialog aria-label="Fits"><ul><li>0.4</li></ul><code>snakemake fits.csv</code></dialog>'
OPENING_SCRIPT = """<script>
document.querySelector("button").onclick = () => document.querySelector("dialog").showModal();
</script>"""


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("", "No number leads to its fits"),
        (NUMBER + DIALOG, "opens no dialog"),
        (NUMBER + DIALOG.replace("li>", "b>") + OPENING_SCRIPT, "lists no fits"),
        (NUMBER + DIALOG.replace("snakemake", "see") + OPENING_SCRIPT, "shows no command"),
        (
            NUMBER + DIALOG.replace(">", " oncancel='event.preventDefault()'>", 1) + OPENING_SCRIPT,
            "Escape does not close",
        ),
        (
            NUMBER + DIALOG.replace(">", " onclose='document.activeElement.blur()'>", 1) + OPENING_SCRIPT,
            "focus",
        ),
    ],
    ids=["none", "dead", "empty", "no command", "stays", "loses the place"],
)
def test_a_dialog_that_is_wrong(open_body, monkeypatch, body, word):
    # what never comes is waited for in vain; all else has time on a busy machine, too
    monkeypatch.setattr(page_controls, "WAIT", 500 if word == "opens no dialog" else 30_000)
    assert_complaint(page_controls.fits(open_body(body).page), word)


def test_a_dialog_that_is_right(open_body):
    assert page_controls.fits(open_body(NUMBER + DIALOG + OPENING_SCRIPT).page) == []


def figure(data="a,b%0A1,2", svg="<svg/>"):
    link = '<a download="x.{0}" href="data:text/plain,{1}">{0}</a>'
    return f"<figure>{link.format('csv', data).replace('>csv', '>data')}{link.format('svg', svg)}</figure>"


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (figure().replace(">data<", ">numbers<"), "has no link to its data"),
        (figure(data="a,b%0A1"), "x.csv, which the first figure gives away, is no CSV"),
        (figure(svg="broken"), "x.svg, which the first figure gives away, is no SVG"),
        (figure().replace('download="x.svg" href', "data-href"), "starts no download"),
        (figure().replace("x.svg", "x.txt"), "x.txt is a SVG file by another name"),
    ],
    ids=["none", "cut", "no drawing", "dead", "misnamed"],
)
def test_a_download_that_is_wrong(open_body, monkeypatch, body, word):
    # what never comes is waited for in vain; all else has time on a busy machine, too
    monkeypatch.setattr(page_controls, "WAIT", 500 if word == "starts no download" else 30_000)
    assert_complaint(page_controls.downloads(open_body(body).page), word)
    monkeypatch.undo()
    assert page_controls.downloads(open_body(figure()).page) == []


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
