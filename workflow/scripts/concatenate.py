"""Rule verification: put tables of one header below each other, in the order given."""

from pathlib import Path

header, rows = None, []
for path in snakemake.input:
    first, *rest = Path(path).read_text(encoding="utf-8").splitlines()
    if header is not None and first != header:
        raise SystemExit(f"{path} has the columns {first}, but the tables before it have {header}.")
    header = first
    rows += rest
Path(snakemake.output[0]).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
