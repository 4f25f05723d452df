"""Rule verification: concatenate tables with the same columns, in the given order.

The inputs are CSV files of the jobs of verify and known_answers, the output is one such file. Tables with
different columns end the job.
"""

from pathlib import Path

from reproduction.core.atomic_io import atomic_write_text

header, rows = None, []
for path in snakemake.input:
    columns, *body = Path(path).read_text(encoding="utf-8").splitlines()
    # another header means another version of a rule: rows would land in wrong columns
    if header is not None and columns != header:
        raise SystemExit(f"{path} has the columns {columns}, but the tables before it have {header}.")
    header = columns
    rows += body
atomic_write_text(snakemake.output[0], "\n".join([header, *rows]) + "\n")
