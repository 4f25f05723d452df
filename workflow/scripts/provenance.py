"""Rule provenance: versions, commit, machine, seeds and configuration of the run."""

import json
import sys
from pathlib import Path

from reproduction.report.provenance import provenance

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

needs = dict(snakemake.params.needs)
for listed in map(Path, snakemake.input.get("environments", ())):  # of methods with packages of their own
    for line in listed.read_text(encoding="utf-8").splitlines():
        name, _, version = line.partition("==")
        needs[f"{name} of {listed.parent.name}"] = version or "unknown"
text = json.dumps(provenance(snakemake.config, needs=needs), indent=2, sort_keys=True, ensure_ascii=False)
Path(snakemake.output[0]).write_text(text + "\n", encoding="utf-8")
