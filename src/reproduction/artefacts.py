"""Names of what a study makes: tables, figures, columns. Light: the workflow's graph is built from them."""

from __future__ import annotations

TABLE1 = (("table1", "errata"), ("figure_table1",))
SHOWN = {
    "top_ranking": TABLE1,
    "infinite_push": TABLE1,
    "query_ranking": (
        ("table3", "table4", "table5", "table6", "tests", "errata"),
        ("figure1", "figure2", "figure3"),
    ),
}
"""Protocol -> names of the tables and of the figures that each of its studies has."""

STATISTICS = (("ranks", "pairwise"), ("critical_difference",))
"""Names of the tables and of the figures that every study has, whatever its protocol."""

PRINTED_STATISTICS = ("ranks",)
"""Tables of `STATISTICS` that are written for print too; of the pairs there are too many."""

UNPRINTED = ("tests", "errata")
"""Tables that the paper does not print."""

OF_THE_RUN = ("coverage", "verification", "data")
"""Tables of the whole run that are written as LaTeX."""

OF_FITS = {"toy": ("figure1", "figure2")}
"""Optional block of a study that is made of its fits -> the tables, each with a figure, that it adds."""

MEASURED = {
    "times": ("figure3",),
    "dirty_model": ("figure1",),
    "convergence": ("figure2", "figure3"),
    "suboptimality": ("suboptimality",),
    "scale": ("scale",),
    "constant": ("constant",),
    "early_stop": ("early_stop",),
}
"""Optional block of a study that has measurements of its own -> what it adds, likewise."""

PRINTED_FIGURE = "printed_measured"
"""The figure of printed against measured numbers, of each study of which numbers are printed."""

SPOKEN_OF = ("dirty_model", "convergence")
"""Blocks of whose figures the paper says something that can be compared."""

WATCHED = ("toppush", "admm", "a2dm2", "a2dm2_restart", "exact")
"""Methods of K15's objective (11) whose iterations can be watched, see `papers.kadkhodaie2015.watched`."""

IDENTITY = ("study", "dataset", "features", "method", "split", "role", "fold", "params", "status", "message")
_FIT = (*IDENTITY, "n_iter", "seconds", "objective", "lower_bound", "gap", "relative_gap")
_LIST_FITS = (
    *_FIT,
    *("positives_at_top", "rate_at_top", "positives_at_top_train", "weight_norm"),
    *("n_variables", "n_relevant_variables"),
    *("n_train_positives", "n_train_negatives", "n_test_positives", "n_test_negatives"),
)
FITS_COLUMNS = {
    "top_ranking": _LIST_FITS,
    "infinite_push": _LIST_FITS,
    "query_ranking": (
        *_FIT,
        *("kkt", "n_variables", "sparsity_ratio", "validation_map"),
        *("map", "ndcg10", "map_standard", "ndcg10_standard", "weights", "weight_norm"),
        *("n_train_queries", "n_train_documents"),
    ),
}
"""Protocol -> columns of fits.csv."""

_OF_A_QUERY = ("qid", "n_documents", "n_relevant", "average_precision", "ndcg5", "ndcg10")
QUERIES_COLUMNS = (
    *("study", "dataset", "features", "method", "split"),
    *_OF_A_QUERY,
    *("ndcg5_standard", "ndcg10_standard"),
)
"""Columns of queries.csv: what each query is worth under the chosen fits."""

JOB_COLUMNS = FITS_COLUMNS | {
    "query_ranking": tuple(dict.fromkeys((*FITS_COLUMNS["query_ranking"], *QUERIES_COLUMNS)))
}
"""Protocol -> columns of the file of one job; the rows of role "query" stand among its fits."""
