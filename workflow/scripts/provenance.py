"""Rule provenance: versions, commit, machine, seeds and configuration of the run."""

import csv
import json
import sys
from pathlib import Path

from reproduction.made import summary
from reproduction.report.provenance import provenance

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

rows = []
for path in snakemake.input.made:
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows += csv.DictReader(file)
found = provenance(snakemake.config, needs=snakemake.params.needs) | {"fits": summary(rows)}
text = json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False)
Path(snakemake.output[0]).write_text(text + "\n", encoding="utf-8")
