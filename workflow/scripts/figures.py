"""Rule figures: the figures of a study that are drawn from its tables, as SVG, PDF and PNG."""

import sys
from pathlib import Path

import pandas as pd

from reproduction.artefacts import PRINTED_FIGURE
from reproduction.comparison.figure import drawn, printed_figure, write_points
from reproduction.comparison.verdicts import read_comparison
from reproduction.papers.laporte2014 import figures as query
from reproduction.papers.laporte2014.tables import TABLE4, TABLE5
from reproduction.papers.rakotomamonjy2012 import figures as push
from reproduction.papers.rakotomamonjy2012.toy import RIVAL_OF
from reproduction.report import table1_figure
from reproduction.report.method_statistics.figure import rank_figure
from reproduction.report.method_statistics.ranks import RANKS
from reproduction.report.studies import PROTOCOLS
from reproduction.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, params = snakemake.input, snakemake.params
tables = {Path(path).stem: path for path in (*files.tables, files.ranks)}
points_file = {Path(path).suffix: path for path in snakemake.output}.get(".csv")


def printed_measured():
    """Printed against measured numbers, whose points are kept as well."""
    points = drawn(read_comparison(files.comparison[0]), params.study, params.published)
    write_points(points, points_file)
    return printed_figure(points)


def of_table1():
    """The figure of Table 1."""
    kind = PROTOCOLS[params.protocol]
    return table1_figure.figure_table1(kind.form.read(tables["table1"]), kind.panels)


OF_QUERIES = {
    "figure1": query.figure1,
    "figure2": lambda: query.figure2(TABLE4.read(tables["table4"])),
    "figure3": lambda: query.figure3(TABLE4.read(tables["table4"]), TABLE5.read(tables["table5"])),
}
OF_LISTS = {
    "figure_table1": of_table1,
    "figure1": lambda: push.figure1(pd.read_csv(tables["figure1"]), RIVAL_OF),
    "figure2": lambda: push.figure2(pd.read_csv(tables["figure2"])),
}
DRAWN = {
    **(OF_QUERIES if params.protocol == "query_ranking" else OF_LISTS),
    "critical_difference": lambda: rank_figure(RANKS.read(tables["ranks"])),
    PRINTED_FIGURE: printed_measured,
}
for name in dict.fromkeys(Path(path).stem for path in snakemake.output):
    save_figure(
        DRAWN[name](), [path for path in snakemake.output if Path(path).stem == name and path != points_file]
    )
