"""Tables and figures of every study of any paper: statistics, published against measured."""

from reproduction.reporting.latex.run_tables import RUN_TABLE_WRITERS
from reproduction.reporting.method_comparison.latex import ranks_to_latex
from reproduction.reporting.method_comparison.method_pairs import PAIRWISE_FORMAT, build_pairwise_table
from reproduction.reporting.method_comparison.method_ranks import (
    RANKS_CAPTION,
    RANKS_FORMAT,
    SCORES_FORMAT,
    build_metric_tables,
    build_ranks_table,
    build_scores_table,
)
from reproduction.reporting.multiverse.tables import CHOICES, MULTIVERSE_COST
from reproduction.specs.csv_tables import PlainCsv
from reproduction.specs.multiverse import multiverse_table
from reproduction.specs.paper import Figure, Table, import_object
from reproduction.specs.study_results import Study


def _metric_tables(study: Study) -> list:
    """Build the tables of the metrics of a study."""
    return build_metric_tables(study.fits, study.paper.metrics, study.data)


RUN_TABLES = tuple(RUN_TABLE_WRITERS)
"""Tables of the whole run that are written as LaTeX."""

TABLES = (
    Table("outcomes", lambda study: import_object(study.paper.outcomes)(study), PlainCsv(digits=6)),
    Table(
        "multiverse",
        lambda study: multiverse_table(study.name, study.table("outcomes"), study.published_values),
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
        "Choices left open: every number in every specification",
        "A panel is a data set and a quantity. Each curve is one number over all specifications, sorted "
        "from the least to the greatest; a specification is one option of each choice. Markers: the declared "
        "defaults. Dotted, in the colour of the method: the published values.",
        tables=("multiverse",),
        draw="reproduction.reporting.multiverse.figures:draw_curves",
        alt_text="reproduction.reporting.multiverse.figures:describe_curves",
        message="reproduction.reporting.multiverse.figures:state_curves",
        plot_data="reproduction.reporting.multiverse.figures:select_plot_data",
    ),
    Figure(
        "specification",
        "Choices left open: each table in every specification, with the options below",
        "Above: the distance of a table's numbers from the published ones in each specification, the "
        "median as a line and the "
        "quartiles as a band; specifications are sorted by the median. Dotted: the published values, or "
        "the default's where none are published. Diamond: the declared defaults. Below: the options that a "
        "specification has. A number without fits in a specification has its value of the specification "
        "that shares most "
        "options.",
        tables=("multiverse",),
        draw="reproduction.reporting.multiverse.specification_curve:draw_specification_curves",
        alt_text="reproduction.reporting.multiverse.specification_curve:describe_specification_curves",
        message="reproduction.reporting.multiverse.specification_curve:state_specification_curves",
        plot_data="reproduction.reporting.multiverse.specification_curve:compute_curves",
    ),
    Figure(
        "multiverse_choices",
        "Which choice moves what",
        "Share of the variance over the specifications that the options of one choice account for, mean "
        "over the data sets. The rest is interaction of the choices.",
        tables=("multiverse",),
        draw="reproduction.reporting.multiverse.figures:draw_variance_shares",
        alt_text="reproduction.reporting.multiverse.figures:describe_variance_shares",
        message="reproduction.reporting.multiverse.figures:state_variance_shares",
        plot_data="reproduction.reporting.multiverse.figures:compute_variance_shares",
    ),
    Figure(
        "heat_map",
        "Results of each method on each data set",
        "Beyond the paper. Means over the splits on which all methods have a number, on one colour scale a "
        "panel, that of times logarithmic; bold: the best of a data set, where they differ. Methods are in "
        "the order of their mean scaled scores; the last column is the mean over the data sets, of times the "
        "geometric one.",
        tables=("scores",),
        draw="reproduction.reporting.method_comparison.heat_map:draw_heat_map",
        alt_text="reproduction.reporting.method_comparison.heat_map:describe_heat_map",
        message="reproduction.reporting.method_comparison.heat_map:state_heat_map",
    ),
    Figure(
        "critical_difference",
        "Critical differences of the mean ranks",
        "Beyond the paper. Each method is placed at its mean rank over the data sets, 1 being the best. A "
        "bar joins methods that do not differ by Nemenyi's test at .05: their mean ranks differ by at most "
        "the critical difference (CD). Of more than six methods, a bar of one critical difference lies about "
        "each mean rank: two methods differ if their bars do not overlap; grey methods do not differ "
        "from the best. The p-value is that of Friedman's test of equal methods, in the "
        "form of Iman and Davenport. A data set and its substitutes or other variants count once.",
        tables=("ranks",),
        draw="reproduction.reporting.method_comparison.critical_difference:draw_rank_diagrams",
        alt_text="reproduction.reporting.method_comparison.critical_difference:describe_rank_diagrams",
        message="reproduction.reporting.method_comparison.critical_difference:state_rank_diagrams",
    ),
)

PUBLISHED_MEASURED = Figure(
    "published_measured",
    "Published against measured",
    "A point is a published result (horizontal) and ours (vertical); on the diagonal they are equal. "
    "Colours: methods. Grey band: the declared margin, where it follows from the published number. The bar "
    "of a point is Welch's 95 % interval of the difference over random splits, set off from the published "
    "number: it meets the diagonal where the interval holds 0. Filled circle: agrees; hollow circle: "
    "consistent, the published ten splits are too few to decide; diamond: explained by other choices; "
    "cross: differs; dot: the published number is below the margin. The data sets that differ most are "
    "named. Counts of data, marks, relations, p-values and seconds are compared separately.",
    tables=("published_measured",),
    draw="reproduction.reporting.figures.comparison:published_values_figure",
    alt_text="reproduction.reporting.figures.comparison:alt_text",
    message="reproduction.reporting.figures.comparison_messages:state_agreement",
)

OPTION_EFFECTS = Figure(
    "option_effects",
    "Numbers that each option recovers and loses",
    "One option of a choice is changed, or two where both together explain a row. To the right: published "
    "results that differ by default and agree or are consistent with the option, which closes half of the "
    "gap; to the left: results that are lost. In brackets: the results that the option may change.",
    tables=("option_effects",),
    draw="reproduction.reporting.figures.comparison:option_effects_figure",
    alt_text="reproduction.reporting.figures.comparison:option_effects_alt_text",
    message="reproduction.reporting.figures.comparison_messages:state_option_effects",
)

COMPARISON_FIGURES = (PUBLISHED_MEASURED, OPTION_EFFECTS)
"""Of each study with published numbers; what they draw comes from the comparison, and is kept as well."""
