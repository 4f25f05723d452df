"""Rule crate: the results as a Workflow Run RO-Crate, with the workflow and its configuration.

Called with the files to describe, ``input.results``; ``input.provenance`` and ``input.citation``
(CITATION.cff) say what made them and by whom, the oldest of ``input.manifests`` when the run began.
``input.workflow`` is copied to the folder of ``output.crate``, which is that of the results.
"""

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import yaml

from reproduction.core.atomic_io import atomic_write_text
from reproduction.reporting.ro_crate import CONFIGURATION, WORKFLOW, describe_run

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

inputs, folder = snakemake.input, Path(snakemake.output.crate).parent
provenance = json.loads(Path(inputs.provenance).read_text(encoding="utf-8"))
citation = yaml.safe_load(Path(inputs.citation).read_text(encoding="utf-8"))
shutil.copyfile(inputs.workflow, folder / WORKFLOW)
configuration = json.dumps(provenance["config"], indent=2, sort_keys=True, ensure_ascii=False)
atomic_write_text(folder / CONFIGURATION, configuration + "\n")
# the first job of a run prepares a data set, or fetches one
first = min(Path(manifest).stat().st_mtime for manifest in inputs.manifests)
started = datetime.fromtimestamp(first, UTC).isoformat(timespec="seconds")
metadata = describe_run(folder, inputs.results, provenance, citation, started)
atomic_write_text(snakemake.output.crate, json.dumps(metadata, indent=2, ensure_ascii=False) + "\n")
