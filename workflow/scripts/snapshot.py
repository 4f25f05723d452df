"""Rule snapshot: make the committed snapshot anew from a full run, or say in one sentence why not."""

import sys
from pathlib import Path

from toprank.reporting.snapshot import main

log, params = Path(snakemake.log[0]), snakemake.params
status = main(["write", params.results, params.target, "--config", snakemake.input.config])
log.write_text(f"ended with status {status}\n", encoding="utf-8")
sys.exit(status)
