"""Rule compare: every printed number beside ours, how many agree, and which feature block comes nearer."""

import sys
from pathlib import Path

import pandas as pd

from reproduction.comparison.coverage import coverage, printed_cells
from reproduction.comparison.verdicts import COLUMNS, to_csv
from reproduction.papers.kadkhodaie2015.findings import nearer_features
from reproduction.papers.kadkhodaie2015.table1 import TABLE1 as TOP_RANKING
from reproduction.report.latex.tables import latex_comparison
from reproduction.report.studies import PROTOCOLS
from reproduction.results import read_data, read_text

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

protocols, published = snakemake.params.protocols, snakemake.params.published
data = read_data(snakemake.input.data)
files = {name: {} for name in protocols}
for path in map(Path, snakemake.input.tables):
    files[path.parent.name][path.name] = path
comparison = pd.concat(
    [
        PROTOCOLS[protocols[name]].compare(name, of_study, published[name], data)
        for name, of_study in files.items()
    ],
    ignore_index=True,
)
to_csv(comparison, snakemake.output.comparison)
for path in map(Path, snakemake.output.latex):
    written = read_text(snakemake.output.comparison, COLUMNS)
    path.write_text(latex_comparison(written, path.parent.name), encoding="utf-8")
cells = pd.concat([printed_cells(name, published[name]) for name in protocols], ignore_index=True)
coverage(cells, comparison).to_csv(snakemake.output.coverage, index=False, lineterminator="\n")
blocks = [
    nearer_features(TOP_RANKING.read(of_study["table1.csv"]))
    for name, of_study in files.items()
    if protocols[name] == "top_ranking"
]
nearer = (
    pd.concat(blocks, ignore_index=True) if blocks else pd.DataFrame(columns=["study", "dataset", "nearer"])
)
nearer.to_csv(
    snakemake.output.features, index=False, float_format="%.10g", na_rep="not run", lineterminator="\n"
)
