"""Tables and figures of every study of any paper: statistics, printed against measured."""

from reproduction.collection.study_results import Study
from reproduction.reporting.latex.run_tables import RUN_TABLE_WRITERS
from reproduction.reporting.method_comparison.latex import ranks_to_latex
from reproduction.reporting.multiverse.tables import CHOICES, MULTIVERSE_COST
from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.multiverse import multiverse_table
from reproduction.specs.paper import Figure, Table, import_object
from reproduction.statistics.method_pairs import PAIRWISE_FORMAT, build_pairwise_table
from reproduction.statistics.method_ranks import (
    RANKS_CAPTION,
    RANKS_FORMAT,
    SCORES_FORMAT,
    build_metric_tables,
    build_ranks_table,
    build_scores_table,
)


def _metric_tables(study: Study) -> list:
    return build_metric_tables(study.fits, study.paper.metrics, study.data)


RUN_TABLES = tuple(RUN_TABLE_WRITERS)
"""Tables of the whole run that are written as LaTeX."""

TABLES = (
    Table("readings", lambda study: import_object(study.paper.outcomes)(study), PlainCsv(digits=6)),
    Table(
        "multiverse",
        lambda study: multiverse_table(study.name, study.table("readings"), study.published_values),
        PlainCsv(),
        compared=True,
    ),
    CHOICES,
    MULTIVERSE_COST,
    Table(
        "ranks",
        lambda study: build_ranks_table(_metric_tables(study)),
        RANKS_FORMAT,
        ranks_to_latex,
        RANKS_CAPTION,
    ),
    Table("scores", lambda study: build_scores_table(study.fits, _metric_tables(study)), SCORES_FORMAT),
    Table(
        "pairwise",
        lambda study: build_pairwise_table(study.fits, _metric_tables(study), study.queries),
        PAIRWISE_FORMAT,
    ),
)

FIGURES = (
    Figure(
        "multiverse",
        "What the paper leaves open: every number in every universe",
        "A panel is a data set and a quantity. Each curve is one number over all universes, sorted from the "
        "least to the greatest; a universe is one level of each axis. Markers: the declared defaults. "
        "Dotted, in the colour of the method: the printed values.",
        tables=("multiverse",),
        draw="reproduction.reporting.multiverse.figures:draw_curves",
        alt_text="reproduction.reporting.multiverse.figures:describe_curves",
        plot_data="reproduction.reporting.multiverse.figures:select_plot_data",
    ),
    Figure(
        "specification",
        "What the paper leaves open: each table in every universe, with the choices below",
        "Above: the distance of a table's numbers from print in each universe, the median as a line and the "
        "quartiles as a band; universes are sorted by the median. Dotted: the printed values, or "
        "the default's where none are printed. Diamond: the declared defaults. Below: the levels that a "
        "universe has. A number without fits in a universe has its value of the universe that shares most "
        "levels.",
        tables=("multiverse",),
        draw="reproduction.reporting.multiverse.specification_curve:draw_specification_curves",
        alt_text="reproduction.reporting.multiverse.specification_curve:describe_specification_curves",
        plot_data="reproduction.reporting.multiverse.specification_curve:compute_curves",
    ),
    Figure(
        "multiverse_axes",
        "Which axis moves what",
        "Share of the variance over the universes that the levels of one axis account for, mean over the "
        "data sets. The rest is interaction of the axes.",
        tables=("multiverse",),
        draw="reproduction.reporting.multiverse.figures:draw_variance_shares",
        alt_text="reproduction.reporting.multiverse.figures:describe_variance_shares",
        plot_data="reproduction.reporting.multiverse.figures:compute_variance_shares",
    ),
    Figure(
        "heat_map",
        "How each method does on each data set",
        "Beyond the paper. Scaled scores: on a data set the best method has 1 and the worst 0; times are "
        "scaled by their logarithms. Means over the splits on which all methods have a number.",
        tables=("scores",),
        draw="reproduction.reporting.method_comparison.heat_map:draw_heat_map",
        alt_text="reproduction.reporting.method_comparison.heat_map:describe_heat_map",
    ),
    Figure(
        "critical_difference",
        "Critical differences of the mean ranks",
        "Beyond the paper. Each method stands at its mean rank over the data sets, 1 being the best. A bar "
        "joins methods that do not differ by Nemenyi's test at .05: their mean ranks differ by at most the "
        "critical difference (CD). The p-value is of the Friedman test that all methods are alike, in the "
        "form of Iman and Davenport. A data set and its substitutes or other readings count once.",
        tables=("ranks",),
        draw="reproduction.reporting.method_comparison.critical_difference:draw_rank_diagrams",
        alt_text="reproduction.reporting.method_comparison.critical_difference:describe_rank_diagrams",
    ),
)

PRINTED_MEASURED = Figure(
    "printed_measured",
    "Printed against measured",
    "A point is a printed result (across) and ours (up); on the diagonal they are equal. Colours: methods. "
    "Grey band: the declared margin, where it follows from the printed number. The bar of a point is Welch's "
    "95 % interval of the difference over random splits, set off from the printed number: it meets the "
    "diagonal where the interval holds 0. Filled circle: agrees; hollow circle: consistent, the printed ten "
    "splits cannot tell; diamond: recovered under other choices; cross: differs; dot: the printed number "
    "is below the margin. The data sets that differ most are named. Counts of data, marks, "
    "relations, p-values and seconds are compared apart.",
    tables=("printed_measured",),
    draw="reproduction.comparison.figures:published_values_figure",
    alt_text="reproduction.comparison.figures:alt_text",
)

BALANCE = Figure(
    "balance",
    "What each level recovers, and what it loses",
    "One level of an axis is changed, or two where both together recover a number. To the right: printed "
    "results that differ by default and agree or are consistent with the level; to the left: the reverse. In "
    "brackets: the results that the default and the level both decide.",
    tables=("balance",),
    draw="reproduction.comparison.figures:net_effects_figure",
    alt_text="reproduction.comparison.figures:net_effects_alt_text",
)

COMPARISON_FIGURES = (PRINTED_MEASURED, BALANCE)
"""Of each study with printed numbers; what they draw comes from the comparison, and is kept as well."""
