"""Views of the tables on depth: columns, headings and cells, on the page and in LaTeX."""

from __future__ import annotations

from reproduction.papers.across.depth.experiment import GAIN_METRICS, RIVALS
from reproduction.papers.across.facts.experiment import FACT_LABELS
from reproduction.papers.across.table_views import interval_columns, numeric_columns, text_column
from reproduction.specs.labels import method_label
from reproduction.specs.metrics import LABELS
from reproduction.specs.table_cells import DATASET_NAME
from reproduction.specs.table_views import View

SMALLEST_DEPTH_LABEL = "smallest depth that can work, of the negatives"

GAINS = View(
    "depth_gains",
    "What a searched depth adds",
    lead=(DATASET_NAME,),
    columns=(
        *numeric_columns(("Smallest depth", "smallest_depth_share", ".1%"), ("Chosen", "depth_share", ".0%")),
        *numeric_columns(
            ("Positives", "positives_share", ".1%"), ("Wrong side", "noise", ".1%"), detail=True
        ),
        *(
            column
            for rival, word in zip(RIVALS, ("over depth 1", "over logistic"), strict=True)
            for name in GAIN_METRICS
            for column in interval_columns(f"{LABELS[name]}, {word}", f"{rival}_{name}", "+.3f")
        ),
    ),
    lead_text="TopPush with the depth searched, minus certified TopPush at depth 1 and minus logistic "
    "regression. Smallest depth: at and below this share of the negatives w = 0 is the best model. Chosen: "
    "the median over the splits, by average precision.",
)

EXPLAINS = View(
    "depth_explains",
    "What explains the gain of depth",
    lead=(
        text_column("Gain over", "rival", lambda name: method_label(RIVALS[name]), "words"),
        text_column("By", "metric", LABELS.get),
    ),
    columns=(
        text_column(
            "Fact",
            "fact",
            lambda name: ({"smallest_depth_share": SMALLEST_DEPTH_LABEL} | FACT_LABELS).get(name, name),
        ),
        *numeric_columns(("Lists", "n_sets", ".0f"), ("All lists", "spearman", "+.2f")),
        *numeric_columns(("Held-out halves", "held_out", "+.2f"), ("Placebo, 95 %", "placebo_upper", "+.2f")),
        *numeric_columns(("p", "p_value", ".2g")),
    ),
    groups=("rival", "metric"),
    lead_text="Rank correlations. Held-out halves: the sign, and in the last row of each group the fact, are "
    "chosen on one half of the lists, the correlation is measured on the other. Placebo: the same with the "
    "gains permuted among the lists. The p-values are not corrected for the number of rows.",
    empty_text="Fewer than ten lists have these numbers.",
)
