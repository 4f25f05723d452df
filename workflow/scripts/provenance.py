"""Rule provenance: versions, commit, machine, seeds and configuration of the run.

Called with ``input.provenance`` (of each study, what made the files of its fits; rule collect),
``input.environments`` (``packages.txt`` of the environments of methods with packages of their own), and
``params.method_versions`` (package -> version, of methods with optional packages). The output is JSON.
"""

import csv
import json
import sys
from pathlib import Path

from reproduction.core.atomic_io import atomic_write_text
from reproduction.core.provenance import summarise_provenance
from reproduction.reporting.provenance import collect_run_provenance

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

rows, method_versions = [], dict(snakemake.params.method_versions)
for path in snakemake.input.provenance:
    with open(path, newline="", encoding="utf-8") as file:
        rows += csv.DictReader(file)
for package_list in map(
    Path, snakemake.input.get("environments", ())
):  # of methods with packages of their own
    for line in package_list.read_text(encoding="utf-8").splitlines():
        # Lines of pip freeze; one without "==" was installed from a path or an address.
        name, _, version = line.partition("==")
        method_versions[f"{name} of {package_list.parent.name}"] = version or "unknown"
facts = collect_run_provenance(snakemake.config, method_versions=method_versions) | {
    "fits": summarise_provenance(rows)
}
text = json.dumps(facts, indent=2, ensure_ascii=False)  # the order of the data sets is the order of the rows
atomic_write_text(snakemake.output[0], text + "\n")
