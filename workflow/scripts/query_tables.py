"""Rule query_tables: Tables III to VI of L14, as CSV and as LaTeX, and the tests behind them, as CSV."""

import sys
from pathlib import Path

from toprank.reporting.query_ranking.inputs import read_manifests, read_printed, read_queries, read_query_fits
from toprank.reporting.query_ranking.latex import latex_tables
from toprank.reporting.query_ranking.significance import TESTS, against_best
from toprank.reporting.query_ranking.tables import FORMS, make_tables

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, output = snakemake.input, snakemake.output
fits = read_query_fits(files.fits)
tested = against_best(fits, read_queries(files.queries))
TESTS.write(tested, output.tests)
tables = make_tables(
    Path(output.table3).parent.name,
    fits,
    tested,
    read_manifests(files.manifests),
    read_printed(snakemake.params.published),
)
for name, form in FORMS.items():
    form.write(tables[name], getattr(output, name))
for path, text in zip(output.tex, latex_tables(tables).values(), strict=True):
    Path(path).write_text(text, encoding="utf-8")
