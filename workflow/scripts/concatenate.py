"""Rules claims and verification: concatenate tables with the same columns, in the given order.

The inputs are CSV files, the output is one such file. Tables with different columns end the job. Where there
may be no input, ``params.columns`` ("module:name") are the columns of the empty table.
"""

from pathlib import Path

from reproduction.core.atomic_io import atomic_write_text
from reproduction.specs.paper import import_object

header, rows = None, []
for path in snakemake.input:
    columns, *body = Path(path).read_text(encoding="utf-8").splitlines()
    # another header means another version of a rule: rows would land in wrong columns
    if header is not None and columns != header:
        raise SystemExit(f"{path} has the columns {columns}, but the tables before it have {header}.")
    header = columns
    rows += body
if header is None:
    header = ",".join(import_object(snakemake.params.columns))
atomic_write_text(snakemake.output[0], "\n".join([header, *rows]) + "\n")
