"""Rule verification: concatenate tables with the same columns, in the given order."""

from pathlib import Path

from reproduction.core.atomic_io import atomic_write_text

header, rows = None, []
for path in snakemake.input:
    first, *rest = Path(path).read_text(encoding="utf-8").splitlines()
    if header is not None and first != header:
        raise SystemExit(f"{path} has the columns {first}, but the tables before it have {header}.")
    header = first
    rows += rest
atomic_write_text(snakemake.output[0], "\n".join([header, *rows]) + "\n")
