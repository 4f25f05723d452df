"""What the tests of the report share: a script of the workflow run by hand, a page read and checked."""

import json
import re
import runpy
import sys
from contextlib import redirect_stderr
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
from default_specification import default_specification_rows
from paths import Paths
from report_rows import ROOT

from reproduction.core.provenance import PROVENANCE_COLUMNS
from reproduction.core.results import PROVENANCE_KEY
from reproduction.specs.study_results import Study

VOID = {"meta", "link", "br", "hr", "img", "input", "col"}


class Reader(HTMLParser):
    """Collect what a page links to and check that its tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.loaded, self.text = [], [], [], [], []
        self.labels, self.spans, self.fits = [], [], []

    def handle_starttag(self, tag, attributes):
        attribute_values = dict(attributes)
        self.ids += [attribute_values["id"]] if "id" in attribute_values else []
        self.labels += [attribute_values["aria-label"]] if attribute_values.get("role") == "region" else []
        self.spans += [tag] if "rowspan" in attribute_values and "tbody" in self.open else []
        self.fits += [attribute_values["data-fits"]] if attribute_values.get("data-fits") else []
        if tag == "a":
            self.links.append(attribute_values["href"])
        else:
            self.loaded += [
                attribute_values[name]
                for name in ("src", "href", "xlink:href", "data")
                if name in attribute_values
            ]
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
    script = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    return json.loads(script[1])


def check_links(reader):
    """Every anchor exists once, and every link leads to one or outside; what follows "?" is a filter."""
    assert len(reader.ids) == len(set(reader.ids))
    targets = {link for link in reader.links if not link.startswith(("https://", "http://", "../"))}
    assert all(link.startswith("#") for link in targets)
    assert {link[1:].partition("?")[0] for link in targets} <= set(reader.ids)
    assert len(reader.labels) == len(set(reader.labels)), "a region is known by its label"


class Files(list):
    """Positions and names, as the objects of Snakemake have them; made of a mapping or of a list."""

    def __init__(self, paths_or_mapping):
        named = paths_or_mapping if isinstance(paths_or_mapping, dict) else {}
        files = named.values() if named else paths_or_mapping
        super().__init__(v for value in files for v in (value if isinstance(value, list) else [value]))
        self.__dict__.update(named)

    def get(self, name, default=None):
        return self.__dict__.get(name, default)


class Params(SimpleNamespace):
    """Parameters, some of which a rule may leave out."""

    def get(self, name, default=None):
        return getattr(self, name, default)


def run(name, folder, inputs, outputs, wildcards=None, rule=None, **params):
    """Run a script of the workflow with what Snakemake would hand it, and return its log.

    The files are mappings, lists as values included, or lists; the wildcards stand by their names.
    """
    log = folder / f"{name}.log"
    handed = SimpleNamespace(
        input=Files(inputs),
        output=Files(outputs),
        params=Params(**params),
        wildcards=SimpleNamespace(**(wildcards or {})),
        log=[str(log)],
        rule=rule or name,
        config={"seed": 1},
        resources={"mem_mb": 4000},
    )
    for file in handed.output:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
    with redirect_stderr(sys.stderr) as before:  # many scripts send theirs to the log
        try:
            runpy.run_path(str(ROOT / f"workflow/scripts/{name}.py"), init_globals={"snakemake": handed})
        finally:
            if sys.stderr is not before:
                sys.stderr.close()
    return log.read_text(encoding="utf-8") if log.exists() else ""


def make_study(folder, study, paper, published, manifests=()):
    """Run the rules from the collected rows of a study to its figures; return the paths of all files."""
    settings = {"paper": paper, "published": published, "datasets": {}}
    config = {"results": str(folder), "run": [study], "studies": {study: settings}}
    paths = Paths(config | {"datasets": [], "verification": {"datasets": []}})
    data = f"{folder}/data.csv"
    params = {"study": study, "paper": paths.studies.get_paper_reference(study), "settings": settings}
    if not Path(paths.get_provenance_file(study)).exists():
        empty_table = pd.DataFrame(columns=[*PROVENANCE_KEY, *PROVENANCE_COLUMNS])
        empty_table.to_csv(paths.get_provenance_file(study), index=False)
    tables = paths.list_tables(study)
    run("tables", folder, [*paths.list_collected_files(study), data, *manifests], tables, **params)
    names = ("comparison", "explanations", "option_effects", "factors", "placebo", "method_order")
    names += ("coverage", "not_requested")
    comparison_output = {name: f"{folder}/{name}.csv" for name in names}
    comparison_output["latex"] = [
        file for file in paths.list_study_latex(study) if file.endswith("comparison.tex")
    ]
    study_params = {
        "studies": paths.studies.settings,
        "papers": {study: paths.studies.get_paper_reference(study)},
    }
    seed = {"seed": 7}
    read = paths.list_compared_tables(study)
    if published:
        specifications = Path(f"{folder}/{study}/multiverse.csv")
        files = [*read, data, *paths.list_collected_files(study)]
        default_specification_rows(Study(study, paths.studies.papers[study], settings, files)).to_csv(
            specifications, index=False
        )
        read = [*dict.fromkeys([*read, str(specifications)])]
    run("compare", folder, {"tables": read, "data": data}, comparison_output, **study_params, **seed)
    parts = [f"{folder}/claims/{study}.csv"] if published else []
    for part in parts:
        (latex,) = (file for file in paths.list_study_latex(study) if file.endswith("claims.tex"))
        run(
            "claims",
            folder,
            [*paths.list_csv_tables(study), paths.list_collected_files(study)[0], data],
            {"claims": part, "latex": latex},
            **{"study": study, "settings": paths.studies.settings[study]},
            paper=paths.studies.get_paper_reference(study),
        )
    columns = "reproduction.comparison.claim_tables:CLAIM_COLUMNS"
    run("concatenate", folder, parts, [f"{folder}/claims.csv"], columns=columns)
    draw(paths, paths.list_figures(study))
    return paths


def draw(paths, figure_files):
    """Run the rule figures, or print, on the only study of a run, for the files that are wanted."""
    folder, (study,) = Path(paths.results), paths.studies.settings
    figure_inputs = [file for file in paths.list_tables(study) if file.endswith(".csv")]
    if study in paths.studies.with_published_values:
        figure_inputs += [f"{folder}/{name}.csv" for name in ("comparison", "option_effects")]
    params = {
        "study": study,
        "paper": paths.studies.get_paper_reference(study),
        "settings": paths.studies.settings[study],
    }
    run("figures", folder, figure_inputs, figure_files, **params)


def make_page(paths, blocks):
    """Run the rule page on the only study of a run, with its blocks of splits; the path of the page."""
    folder, (study,) = Path(paths.results), paths.studies.settings
    read = (
        "claims",
        "comparison",
        "explanations",
        "option_effects",
        "factors",
        "placebo",
        "method_order",
        "coverage",
        "not_requested",
        "data",
        "verification",
    )
    inputs = {name: f"{folder}/{name}.csv" for name in read}
    inputs["provenance"] = f"{folder}/provenance.json"
    outputs = {
        "failures": f"{folder}/failures.csv",
        "page": f"{folder}/report.html",
        "site": f"{folder}/report",
    }
    outputs |= {"summary": f"{folder}/summary.json", "latex": paths.list_run_latex()}
    run(
        "provenance",
        folder,
        {"provenance": [paths.get_provenance_file(study)]},
        [inputs["provenance"]],
        method_versions={},
    )
    of_study = {
        "page_files": paths.list_page_files(study),
        "papers": paths.studies.get_paper_reference(study),
        "split_batches": blocks,
    }
    of_run = {"expected": {}, "missing_data": "skip", "published": False, "command": "snakemake --force --"}
    params = {name: {study: value} for name, value in of_study.items()} | of_run
    run("page", folder, inputs, outputs, studies=paths.studies.settings, **params)
    return Path(outputs["page"])
