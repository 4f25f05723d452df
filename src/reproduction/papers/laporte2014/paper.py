"""Record of L14, Laporte et al. (2014): its studies, tables, figures and claims."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from reproduction.core.result_columns import QUERY_FIT_COLUMNS
from reproduction.papers.laporte2014 import table_views as views
from reproduction.papers.laporte2014 import tables
from reproduction.papers.laporte2014.absolute_grid.spec import ABSOLUTE_GRID
from reproduction.papers.laporte2014.constant.spec import CONSTANT
from reproduction.papers.laporte2014.early_stop.spec import EARLY_STOP
from reproduction.papers.laporte2014.multiverse import CHOICES
from reproduction.papers.laporte2014.significance import METHODS, TESTS_FORMAT, build_tests_table
from reproduction.papers.laporte2014.significance_views import TESTS, format_latex_tests
from reproduction.reporting import standard_artefacts as common
from reproduction.specs.metrics import MAP, NDCG10, SPARSITY_RATIO
from reproduction.specs.paper import Figure, Paper, Table

PAPER = Paper(
    name="laporte2014",
    title="Nonconvex Regularizations for Feature Selection in Ranking With Sparse SVM",
    authors="Léa Laporte, Rémi Flamary, Stéphane Canu, Sébastien Déjean and Josiane Mothe",
    venue="IEEE Transactions on Neural Networks and Learning Systems, 2014",
    citation="Laporte et al. 2014",
    address="https://doi.org/10.1109/TNNLS.2013.2286696",
    message="A ranking SVM with a nonconvex penalty uses half as many features as one with a convex penalty, "
    "or up to six times fewer, and ranks as well.",
    methods=METHODS,
    search="reproduction.fitting.validation_fold",
    queries=True,
    splits=lambda study, dataset: {"kind": "folds"},
    fits=QUERY_FIT_COLUMNS,
    metrics=(MAP, NDCG10, SPARSITY_RATIO),
    tests="The paper's own test is the paired one-sided Student test at 5 % against the best method. "
    "Tables V and VI show it. Its p-values, on queries and on folds, are among the tests against "
    "the best method.",
    tables=(
        Table(
            "table3",
            tables.build_table3,
            tables.TABLE3_FORMAT,
            view=views.TABLE3,
            caption="Table III of the paper: counts of the data sets, the published ones in parentheses.",
            compared=True,
        ),
        Table(
            "table4",
            tables.build_table4,
            tables.TABLE4_FORMAT,
            view=views.TABLE4,
            caption="Table IV of the paper: sparsity ratio, mean and standard deviation over the folds, the "
            "published value in parentheses.",
            compared=True,
        ),
        Table(
            "table5",
            partial(tables.build_metric_table, "table5"),
            tables.TABLE5_FORMAT,
            view=views.TABLE5,
            caption="Table V of the paper: MAP, mean and standard deviation over the folds; bold: the best; "
            "below, decreases from it that the paper's Student test finds significant.",
            compared=True,
        ),
        Table(
            "table6",
            partial(tables.build_metric_table, "table6"),
            tables.TABLE6_FORMAT,
            view=views.TABLE6,
            caption="Table VI of the paper: NDCG@10, as Table V.",
            compared=True,
        ),
        Table(
            "tests",
            lambda study: build_tests_table(study.fits, study.queries),
            TESTS_FORMAT,
            format_latex_tests,
            as_text=True,
            view=TESTS,
        ),
        *common.TABLES,
    ),
    figures=(
        Figure(
            "figure1",
            "Figure 1: the regularisers",
            "One weight, λ = 1, the parameters of the paper's figure (ε = 1, γ = 1). Dashed: SCAD, beyond "
            "the paper.",
            tables=(),
            draw="reproduction.papers.laporte2014.figures:draw_figure1",
            alt_text="reproduction.papers.laporte2014.figures:describe_figure1",
            message="reproduction.papers.laporte2014.figure_messages:state_figure1",
        ),
        Figure(
            "figure2",
            "Figure 2: removed features",
            "One minus the sparsity ratio: farther to the right is sparser. Filled: ours; hollow, and joined "
            "to it: the published value, if any. The paper draws polygons over its nine data sets.",
            tables=("table4",),
            draw="reproduction.papers.laporte2014.figures:draw_figure2",
            alt_text="reproduction.papers.laporte2014.figures:describe_figure2",
            message="reproduction.papers.laporte2014.figure_messages:state_figure2",
            plot_data="reproduction.papers.laporte2014.figures:select_figure2_data",
        ),
        Figure(
            "figure3",
            "Figure 3: MAP against the sparsity ratio",
            "Means over the folds. Bar at the left: one standard error over the folds, the median of the "
            "methods. Dotted: the mean MAP of the paper's methods. Hollow: beyond the paper. "
            "A plus: the published MAP of the published best method at its published ratio, in the colour "
            "of the method.",
            tables=("table4", "table5"),
            draw="reproduction.papers.laporte2014.figures:draw_figure3",
            alt_text="reproduction.papers.laporte2014.figures:describe_figure3",
            message="reproduction.papers.laporte2014.figure_messages:state_figure3",
            plot_data="reproduction.papers.laporte2014.figures:select_figure3_data",
        ),
        *common.FIGURES,
    ),
    experiments=(CONSTANT, EARLY_STOP, ABSOLUTE_GRID),
    order=("figure1", "table3", "table4", "figure2", "table5", "table6", "figure3"),
    extra_artefacts=("tests", "fits"),
    views=(views.FITS,),
    compare="reproduction.papers.laporte2014.comparison:compare",
    claims="reproduction.papers.laporte2014.claims:CLAIMS",
    published_values=Path(__file__).with_name("published_values.csv"),
    choices=CHOICES,
    outcomes="reproduction.papers.laporte2014.multiverse:build_outcomes",
    published_splits=0,
)
