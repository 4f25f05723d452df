"""Rule restore: the rows of a run from its snapshot, or one sentence about what is missing in it.

Used in place of all rules that fit, where the configuration has ``published_fits``. Called with
``input.config``, the ``config.yaml`` of the snapshot, and ``input.archives``, which lie in the same folder;
the outputs are unpacked below ``params.results``.
"""

import sys
from pathlib import Path

from reproduction.core.results import ResultsError
from reproduction.snapshot.archive import unpack

log = Path(snakemake.log[0])
try:
    unpack(Path(snakemake.input.config).parent, snakemake.params.results, snakemake.output)
except ResultsError as error:
    log.write_text(f"{error}\n", encoding="utf-8")
    sys.exit(str(error))
log.write_text(f"{len(snakemake.output)} files\n", encoding="utf-8")
