"""Rule figures_toy: Figures 1 and 2 of R12 and the numbers behind them."""

import sys

from toprank.reporting.infinite_push.figures import figure1, figure2
from toprank.reporting.infinite_push.toy import RIVAL_OF, figure1_table, figure2_table, toy_fits
from toprank.reporting.inputs import read_fits
from toprank.reporting.style import save_figure

sys.stderr = open(snakemake.log[0], "w", encoding="utf-8")  # noqa: SIM115

toy, output = snakemake.params.toy, snakemake.output
chosen = toy_fits(read_fits(snakemake.input[0]), toy["relevant"])
rates = figure1_table(chosen, toy["rows"], toy["noise"])
retrieval = figure2_table(chosen, toy["retrieval_rows"], toy["retrieval_noise"])
for table, csv in ((rates, output.rates), (retrieval, output.retrieval)):
    table.to_csv(csv, index=False, float_format="%.10g", lineterminator="\n")
save_figure(figure1(rates, RIVAL_OF), output.figure1)
save_figure(figure2(retrieval), output.figure2)
