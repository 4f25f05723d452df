"""Rule provenance: versions, commit, machine, seeds and configuration of the run."""

import csv
import json
import sys

from reproduction.made import summary
from reproduction.report.provenance import provenance
from reproduction.whole import write_whole

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

rows = []
for path in snakemake.input.made:
    with open(path, newline="", encoding="utf-8") as file:
        rows += csv.DictReader(file)
found = provenance(snakemake.config, needs=snakemake.params.needs) | {"fits": summary(rows)}
text = json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False)
write_whole(snakemake.output[0], text + "\n")
