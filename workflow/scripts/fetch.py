"""Rule fetch: obtain and verify the files of one data set; a missing file is a status, or an error.

The files go into the folder ``data_folder`` of the configuration, from the ``mirror`` or the addresses of the
registry; the output is a record of what was obtained, with checksums. Called with ``wildcards.dataset``. With
``missing_data: fail`` a data set that cannot be obtained ends the job; otherwise the record has the reason.
"""

import json
import logging
import sys

from reproduction.core.atomic_io import atomic_write_text
from reproduction.datasets.download.fetch import fetch
from reproduction.datasets.download.locations import select_mirror

logging.basicConfig(
    filename=snakemake.log[0], filemode="w", level=logging.INFO, format="%(levelname)s %(message)s"
)
config = snakemake.config
fetched = fetch(snakemake.wildcards.dataset, config["data_folder"], select_mirror(config["mirror"]))
if fetched.status != "obtained":
    logging.warning(fetched.reason)
    print(f"{fetched.status}: {fetched.reason}", file=sys.stderr)
    # a missing data set ends the run only where the configuration says so
    if fetched.status == "not obtained" and config["missing_data"] == "fail":
        sys.exit(1)  # the reason is printed above
text = json.dumps(fetched.record(), indent=1, ensure_ascii=False)
atomic_write_text(snakemake.output[0], text + "\n")
