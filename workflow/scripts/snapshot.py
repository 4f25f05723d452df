"""Rule snapshot: make the committed snapshot from a full run, or say in one sentence why not.

The same as ``python -m reproduction.snapshot write``. Called with ``input.provenance``, in whose folder the
results lie, ``input.config``, the configuration of a full run, and ``params.target``, the folder of the
snapshot.
"""

import sys
from pathlib import Path

from reproduction.snapshot.__main__ import main

files = snakemake.input
results = str(Path(files.provenance).parent)
status = main(["write", results, snakemake.params.target, "--config", files.config])
Path(snakemake.log[0]).write_text(f"ended with status {status}\n", encoding="utf-8")
sys.exit(status)
