"""What the tests of the report share: a script of the workflow run by hand, a page read and checked."""

import runpy
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

from report_rows import ROOT

VOID = {"meta", "link", "br", "hr", "img", "input", "col"}


class Reader(HTMLParser):
    """Collect what a page links to and check that its tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.loaded, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a":
            self.links.append(given["href"])
        else:
            self.loaded += [given[name] for name in ("src", "href", "xlink:href", "data") if name in given]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        self.text.append(data)


def read_page(page):
    """Read a page whose tags are all closed."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open, f"never closed: {reader.open}"
    return reader


def run(name, monkeypatch, folder, inputs, outputs, wildcards=None, **params):
    """Run a script of the workflow with what Snakemake would hand it; `wildcards` by their names."""

    class Files(list):
        def __init__(self, named):
            super().__init__(
                v for value in named.values() for v in (value if isinstance(value, list) else [value])
            )
            self.__dict__.update(named)

    handed = SimpleNamespace(
        input=Files(inputs),
        output=Files(outputs),
        params=SimpleNamespace(**params),
        wildcards=SimpleNamespace(**(wildcards or {})),
        log=[str(folder / f"{name}.log")],
        config={"seed": 1},
    )
    monkeypatch.setattr(sys, "stderr", sys.stderr)  # the scripts send theirs to the log
    runpy.run_path(str(ROOT / f"workflow/scripts/{name}.py"), init_globals={"snakemake": handed})
