"""What the tests of the report share: a script of the workflow run by hand, a page read and checked."""

import json
import re
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
        self.labels, self.spans, self.fits = [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.labels += [given["aria-label"]] if given.get("role") == "region" else []
        self.spans += [tag] if "rowspan" in given and "tbody" in self.open else []
        self.fits += [given["data-fits"]] if given.get("data-fits") else []
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
        if not {"script", "style"} & set(self.open):
            self.text.append(data)


def read_page(page):
    """Read a page whose tags are all closed."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open, f"never closed: {reader.open}"
    return reader


def embedded(page, name):
    """Read the JSON that a page embeds under an id."""
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def check_links(reader):
    """Every anchor exists once, and every link leads to one; what follows "?" is a filter."""
    assert len(reader.ids) == len(set(reader.ids))
    assert all(link.startswith("#") for link in reader.links)
    assert {link[1:].partition("?")[0] for link in reader.links} <= set(reader.ids)
    assert len(reader.labels) == len(set(reader.labels)), "a region is known by its label"


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
