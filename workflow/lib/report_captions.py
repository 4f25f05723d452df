"""The files that Snakemake's own report shows, each with a caption."""

from pathlib import Path

from snakemake.io import report

CAPTION_FOLDER = Path(__file__).resolve().parents[2] / "reports/captions"
#: File of a study, or of the run -> its caption and its title.
REPORT_ITEMS = {
    "table1.csv": ("table1", "Table 1"),
    "table4.csv": ("table4", "Table IV"),
    "table5.csv": ("metrics", "Table V"),
    "table6.csv": ("metrics", "Table VI"),
    "figure_table1.svg": ("figure_table1", "Figure of Table 1"),
    "critical_difference.svg": ("critical_difference", "Critical differences"),
    "published_measured.svg": ("published_measured", "Published and measured"),
    "data.csv": ("data", "Data sets"),
    "verification.csv": ("verification", "Verification"),
    "comparison.csv": ("comparison", "Published and ours"),
    "claims.csv": ("claims", "What the papers claim"),
    "report.html": ("page", "The page"),
}


def mark_for_report(file: str, category: str = "All studies") -> str:
    """Mark a file, if it is one that the report shows.

    Parameters
    ----------
    file : str
        Path of a result.
    category : str, optional
        Heading in Snakemake's report under which the file stands.

    Returns
    -------
    str
        The path, marked by `snakemake.io.report` if the report shows it.
    """
    if Path(file).name not in REPORT_ITEMS:
        return file
    caption, title = REPORT_ITEMS[Path(file).name]
    return report(
        file, caption=str(CAPTION_FOLDER / f"{caption}.rst"), category=category, labels={"item": title}
    )
