"""Tables of ranks and pairwise tests of small studies, for tests."""

import pandas as pd

from reproduction.core.result_columns import LIST_FIT_COLUMNS
from reproduction.papers import paper
from reproduction.reporting.method_comparison.method_pairs import PAIRWISE_FORMAT, build_pairwise_table
from reproduction.reporting.method_comparison.method_ranks import (
    RANKS_FORMAT,
    build_metric_tables,
    build_ranks_table,
)


def rows_of(rates, study="mine", **columns):
    """Chosen fits from a table of (data set, method) to values over the splits."""
    rows = [
        {
            "study": study,
            "dataset": dataset,
            "feature_scaling": "raw",
            "method": method,
            "split": float(split),
        }
        | {"role": "chosen", "status": "certified", "params": "{}", "rate_at_top": value, "n_variables": 3.0}
        | {"seconds": 1.0 + split, "n_train_positives": 6.0, "n_train_negatives": 14.0}
        | {"n_test_positives": 4.0, "n_test_negatives": 6.0}
        for (dataset, method), values in rates.items()
        for split, value in enumerate(values)
    ]
    return pd.DataFrame(rows).reindex(columns=list(LIST_FIT_COLUMNS)).assign(**columns)


FORMS = {"ranks": RANKS_FORMAT, "pairwise": PAIRWISE_FORMAT}


def made_of(fits, named="rakotomamonjy2012", data=None):
    blocks = build_metric_tables(fits, paper(named).metrics, data)
    return {"ranks": build_ranks_table(blocks), "pairwise": build_pairwise_table(fits, blocks)}


def words_of(figure):
    return [text.get_text() for text in (*figure.texts, *texts_of(*figure.axes))]


def texts_of(*panels):
    """Of the panels, and of the axes of ranks that lie in them."""
    return [text for panel in panels for ax in (panel, *panel.child_axes) for text in ax.texts]
