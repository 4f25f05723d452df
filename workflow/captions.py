"""The tables and figures of a study in Snakemake's own report, each with a caption."""

from pathlib import Path

from snakemake.io import report

CAPTIONS = Path(__file__).resolve().parents[1] / "reports/captions"
#: File -> its caption and its title.
SHOWN = {
    "table1.csv": ("table1", "Table 1"),
    "table4.csv": ("table4", "Table IV"),
    "table5.csv": ("measures", "Table V"),
    "table6.csv": ("measures", "Table VI"),
    "figure_table1.svg": ("figure_table1", "Figure of Table 1"),
    "critical_difference.svg": ("critical_difference", "Critical differences"),
    "printed_measured.svg": ("printed_measured", "Printed and measured"),
}


def in_report(files: list[str]) -> list:
    """Mark the files that the report shows."""
    return [_marked(Path(file)) if Path(file).name in SHOWN else file for file in files]


def _marked(file: Path):
    caption, item = SHOWN[file.name]
    return report(
        str(file), caption=str(CAPTIONS / f"{caption}.rst"), category=file.parent.name, labels={"item": item}
    )
