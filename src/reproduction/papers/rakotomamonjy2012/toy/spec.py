"""Record of the experiment ``toy``: the toy problem, Figures 1 and 2."""

from __future__ import annotations

from reproduction.papers.rakotomamonjy2012.toy import tables
from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.paper import Experiment, Figure, Table

TOY = Experiment(
    "toy",
    tables=(
        Table("figure1", tables.build_figure1_table, PlainCsv()),
        Table("figure2", tables.build_figure2_table, PlainCsv()),
        Table("retrieval", tables.build_retrieval_table, PlainCsv()),
    ),
    figures=(
        Figure(
            "figure1",
            "Figure 1: rate at the top on the toy problem",
            "Mean over the trials and its standard error (band). Below, in the colour of the method: "
            "the two-sided p-values of the Wilcoxon signed-rank test against the ℓ₁ infinite push. The "
            "numbers of rows and the Wishart distribution are our choice.",
            tables=("figure1",),
            draw="reproduction.papers.rakotomamonjy2012.toy.figures:draw_figure1",
            alt_text="reproduction.papers.rakotomamonjy2012.toy.figures:describe_figure1",
            message="reproduction.papers.rakotomamonjy2012.toy.figures:state_figure1",
        ),
        Figure(
            "figure2",
            "Figure 2: retrieval of the relevant features",
            "Mean over the trials and its standard error (band). The ℓ₂ infinite push uses all features: its "
            "precision is the share of relevant ones.",
            tables=("figure2",),
            draw="reproduction.papers.rakotomamonjy2012.toy.figures:draw_figure2",
            alt_text="reproduction.papers.rakotomamonjy2012.toy.figures:describe_figure2",
            message="reproduction.papers.rakotomamonjy2012.toy.figures:state_figure2",
        ),
    ),
)
