"""Rule printed_figure: printed against measured numbers of a study, as CSV, SVG, PDF and PNG."""

import sys

from toprank.reporting.comparison.figure import drawn, printed_figure, write_points
from toprank.reporting.comparison.verdicts import read_comparison
from toprank.reporting.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

files, output = snakemake.input, snakemake.output
comparison = read_comparison(files.comparison)
points = drawn(comparison, snakemake.wildcards.study, snakemake.params.published)
write_points(points, output.csv)
save_figure(printed_figure(points), [output.svg, output.pdf, output.png])
