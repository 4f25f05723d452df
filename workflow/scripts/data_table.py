"""Rule data_table: one row a data set, found against expected and printed."""

import json
import sys
from pathlib import Path

from reproduction.data.summary import data_table

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

manifests = [json.loads(Path(path).read_text(encoding="utf-8")) for path in snakemake.input]
data_table(manifests).to_csv(snakemake.output[0], index=False, lineterminator="\n")
