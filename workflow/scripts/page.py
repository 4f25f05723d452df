"""Rule page: one self-contained HTML file of the whole run."""

import json
import sys
from pathlib import Path

from toprank.reporting.comparison import read_comparison
from toprank.reporting.findings import findings
from toprank.reporting.inputs import read_data, read_fits, read_published, read_text, read_verification
from toprank.reporting.page import StudyReport, render_page
from toprank.reporting.status import FAILURE_COLUMNS
from toprank.reporting.tables import read_table1

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files = snakemake.input
comparison = read_comparison(files.comparison)
studies = []
for (name, printed), fits_file, table_file, figure in zip(
    snakemake.params.published.items(), files.fits, files.tables, files.figures, strict=True
):
    fits, table = read_fits(fits_file), read_table1(table_file)
    studies.append(
        StudyReport(
            name=name,
            fits=fits,
            table=table,
            comparison=comparison[comparison["study"] == name],
            svg=Path(figure).read_text(encoding="utf-8"),
            findings=findings(fits, table, read_published(printed)),
        )
    )
page = render_page(
    studies,
    data=read_data(files.data),
    verification=read_verification(files.verification),
    failures=read_text(files.failures, FAILURE_COLUMNS),
    provenance=json.loads(Path(files.provenance).read_text(encoding="utf-8")),
)
Path(snakemake.output[0]).write_text(page, encoding="utf-8")
