"""Controls of the page in Chromium: each check finds a wrong sort, filter, mark, dialog or download."""

import page_controls
import pytest
from complaints import assert_complaint

pytestmark = pytest.mark.xdist_group("browser")


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
        (figure().replace("x.svg", "x.txt"), "x.txt is a SVG file by another name"),
    ],
    ids=["none", "cut", "no drawing", "misnamed"],
)
def test_a_download_that_is_wrong(open_body, monkeypatch, body, word):
    monkeypatch.setattr(page_controls, "WAIT", 30_000)
    assert_complaint(page_controls.downloads(open_body(body).page), word)
    assert page_controls.downloads(open_body(figure()).page) == []


def test_a_download_that_does_not_start(open_body, monkeypatch):
    # The wait is in vain, so it is short: a busy machine may then miss the download of the live link as well.
    monkeypatch.setattr(page_controls, "WAIT", 500)
    page = open_body(figure().replace('download="x.svg" href', "data-href")).page
    assert "Clicking “svg” of the first figure starts no download." in page_controls.downloads(page)
