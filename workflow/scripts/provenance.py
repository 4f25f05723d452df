"""Rule provenance: versions, commit, machine, seeds and configuration of the run."""

import json
import sys

from reproduction.report.provenance import provenance
from reproduction.whole import write_whole

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

text = json.dumps(
    provenance(snakemake.config, needs=snakemake.params.needs), indent=2, sort_keys=True, ensure_ascii=False
)
write_whole(snakemake.output[0], text + "\n")
