"""A study whose table is not run, since blocks are all that was asked for: all is made, and says so."""

import pandas as pd
import pytest
from report_rows import ROOT
from report_runs import run
from studies import study_of

from reproduction.papers import PAPERS, paper
from reproduction.reporting.latex.tabular import table_to_latex
from reproduction.specs.paper import import_object

DATA = pd.read_csv(ROOT / "reports/snapshot/data.csv", dtype=str, keep_default_na=False)


@pytest.fixture(params=PAPERS)
def study(request, tmp_path):
    """A study of a paper without a fit."""
    record = paper(request.param)
    of_queries, columns = record.queries, list(record.fits)
    names = ("fits.csv", "queries.csv" if of_queries else "diagnosis.csv", "provenance.csv")
    outputs = [tmp_path / name for name in names]
    files = {"fits": [], "diagnosis": [], "manifests": []}
    options = {"queries": of_queries, "columns": columns, "cases": [], "expected": {"plans": [], "of": []}}
    run("collect", tmp_path, files, list(map(str, outputs)), **options)
    DATA.iloc[:0].to_csv(tmp_path / "data.csv", index=False)
    study = study_of(request.param, [*outputs, tmp_path / "data.csv"], published=True, table=False)
    study.files["manifest.json"] = []
    study.folder = tmp_path
    return study


def test_tables_comparison_and_claims(study):
    for table in study.paper.tables_of(study.settings):
        rows, file = study.table(table.name), study.folder / f"{table.name}.csv"
        table.form.write(rows, file)
        assert len(table.form.read(file)) == len(rows)
        if table.has_latex:
            assert "table" in table_to_latex(table, rows, file)
    if study.paper.compare:
        rows = import_object(study.paper.compare)(study).rows
        assert len(rows) and set(rows["verdict"]) == {"not obtained"}
    claims = [claim.evaluate(study) for claim in import_object(study.paper.claims)]
    assert {claim.verdict for claim in claims if "outcomes" in claim.claim.inputs} <= {"cannot tell"}
