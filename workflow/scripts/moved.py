"""Rule moved: what has changed since the snapshot by more than its spread, printed and as CSV."""

from pathlib import Path

from reproduction.report.snapshot import compared

output = Path(snakemake.output[0])
lines = compared(Path(snakemake.input.old).parent, output.parent, output)
print("\n".join(lines), flush=True)
Path(snakemake.log[0]).write_text("\n".join([*lines, ""]), encoding="utf-8")
