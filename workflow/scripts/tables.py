"""Rule tables: what a study's paper prints, ours, as CSV and as LaTeX, and the numbers of its toy problem."""

import sys
from pathlib import Path

import pandas as pd

from reproduction import results as inputs
from reproduction.demonstrations import demonstrations
from reproduction.papers.laporte2014 import inputs as query_inputs
from reproduction.papers.laporte2014.latex import latex_tables
from reproduction.papers.laporte2014.significance import TESTS, against_best
from reproduction.papers.laporte2014.tables import FORMS, make_tables
from reproduction.papers.rakotomamonjy2012 import toy
from reproduction.printed import read_printed
from reproduction.report.latex.tables import NEEDED, WRITERS
from reproduction.report.studies import PROTOCOLS

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, params = snakemake.input, snakemake.params
output = {Path(path).name: Path(path) for path in snakemake.output}


def lists():
    """Table 1 of a study of single lists, and what Figures 1 and 2 of R12 draw."""
    kind, fits = PROTOCOLS[params.protocol], inputs.read_fits(files.collected[0])
    table = kind.table1(
        fits[~toy.is_toy(fits)],
        data=inputs.read_data(files.data),
        diagnosis=inputs.read_diagnosis(files.collected[1]),
        printed=read_printed(params.published),
    )
    kind.form.write(table, output["table1.csv"])
    output["table1.tex"].write_text(kind.latex(table), encoding="utf-8")
    if params.toy:
        chosen, settings = toy.toy_fits(fits, params.toy["relevant"]), params.toy
        for name, made in (
            ("figure1.csv", toy.figure1_table(chosen, settings["rows"], settings["noise"])),
            (
                "figure2.csv",
                toy.figure2_table(chosen, settings["retrieval_rows"], settings["retrieval_noise"]),
            ),
        ):
            made.to_csv(output[name], index=False, float_format="%.10g", lineterminator="\n")


def queries():
    """Tables III to VI of L14 and the tests behind them."""
    fits = query_inputs.read_query_fits(files.collected[0])
    tested = against_best(fits, query_inputs.read_queries(files.collected[1]))
    TESTS.write(tested, output["tests.csv"])
    printed = read_printed(params.published)
    tables = make_tables(params.study, fits, tested, query_inputs.read_manifests(files.manifests), printed)
    for name, form in FORMS.items():
        form.write(tables[name], output[f"{name}.csv"])
    for name, text in latex_tables(tables).items():
        output[f"{name}.tex"].write_text(text, encoding="utf-8")


(queries if params.protocol == "query_ranking" else lists)()
slips = pd.DataFrame(demonstrations(params.protocol, params.published))
slips.to_csv(output["errata.csv"], index=False)
for name in sorted({Path(file).stem for file in output} & set(WRITERS)):
    rows = inputs.read_text(output[f"{name}.csv"], NEEDED[name])
    output[f"{name}.tex"].write_text(WRITERS[name](rows), encoding="utf-8")
