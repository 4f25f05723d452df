"""Each caption is of a table or figure that its paper has, and knows only what the rule knows."""

import re

import pytest
from report_captions import CAPTION_FOLDER, RUN_CATEGORY, RUN_TITLES, mark_for_report

from reproduction.papers.kadkhodaie2015.paper import PAPER as K15
from reproduction.papers.laporte2014.paper import PAPER as L14
from reproduction.papers.rakotomamonjy2012.paper import PAPER as R12

CAPTIONS = sorted(CAPTION_FOLDER.rglob("*.rst"))


@pytest.mark.parametrize("caption", CAPTIONS, ids=[f"{path.parent.name}-{path.stem}" for path in CAPTIONS])
def test_a_caption_belongs_to_a_file_of_the_rules(caption):
    folder, name = caption.parent.name, caption.stem
    papers = [paper for paper in (K15, L14, R12) if folder in (paper.name, "every_study")]
    assert papers or (folder == "run" and name in RUN_TITLES)
    for paper in papers:
        report = mark_for_report(f"results/s/{name}.csv", "s", paper).flags["report"]
        assert (report.caption, report.category) == (str(caption), "s") and report.labels["item"]
    fields = re.findall(r"{{(.*?)}}", caption.read_text(encoding="utf-8"))
    assert {field.strip() for field in fields} <= ({"snakemake.params.study"} if papers else set())
    assert "{%" not in caption.read_text(encoding="utf-8")


def test_titles_are_those_of_the_page():
    marked = mark_for_report("results/s/table4.csv", "s", L14)
    assert marked.flags["report"].labels == {"item": "Table IV: sparsity ratio"}
    assert mark_for_report("results/data.csv").flags["report"].category == RUN_CATEGORY
    assert mark_for_report("results/s/table4.tex", "s", L14) == "results/s/table4.tex"
    assert not hasattr(mark_for_report("results/s/table4.csv", "s", K15), "flags")  # K15 has no such table
