"""Rule prepare: read the verified files of one data set into arrays and a manifest.

Called with ``wildcards.dataset`` and the record of rule fetch as input; generated and embedded data sets have
none. The arrays are written beside ``output.manifest``. A data set that cannot be used gets an empty
placeholder with the reason, so that all else is computed; with ``missing_data: fail`` it ends the job.
"""

import gc
import json
import logging
import sys
from pathlib import Path

from reproduction.core.atomic_io import wrap_read_errors
from reproduction.core.errors import DataError, NotObtainedError
from reproduction.datasets.download.fetch import fetch_again
from reproduction.datasets.download.locations import select_mirror
from reproduction.datasets.prepare import make_placeholder, prepare
from reproduction.datasets.prepared_data import save_prepared

logging.basicConfig(
    filename=snakemake.log[0], filemode="w", level=logging.INFO, format="%(levelname)s %(message)s"
)
config = snakemake.config
dataset = snakemake.wildcards.dataset
folder = Path(snakemake.output.manifest).parent
try:
    fetched = None  # for a generated data set, or one that comes with a package
    if snakemake.input:
        with wrap_read_errors(snakemake.input[0]):
            record = json.loads(Path(snakemake.input[0]).read_text(encoding="utf-8"))
        fetched = fetch_again(record, config["data_folder"], select_mirror(config["mirror"]))
    prepared = prepare(dataset, fetched=fetched, folder=folder)
except DataError as error:
    logging.warning(error)
    print(f"{dataset} cannot be used: {error}", file=sys.stderr)
    if config["missing_data"] == "fail":
        sys.exit(1)  # the reason is printed above
    # a placeholder lets the other data sets go on, and carries the reason to the tables
    prepared = make_placeholder(dataset, str(error), refused=not isinstance(error, NotObtainedError))
save_prepared(prepared, folder)
gc.freeze()  # otherwise the garbage collection at exit visits all that was imported
