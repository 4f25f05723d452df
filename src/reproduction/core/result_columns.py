"""The columns of result rows: what each fit writes, and what each query is worth.

Light, since every job imports it.
"""

IDENTITY_COLUMNS = (
    "study",
    "dataset",
    "feature_scaling",
    "method",
    "split",
    "role",
    "fold",
    "params",
    "status",
    "message",
)
_FIT_COLUMNS = (*IDENTITY_COLUMNS, "n_iter", "seconds", "objective", "lower_bound", "gap", "relative_gap")
LIST_FIT_COLUMNS = (
    *_FIT_COLUMNS,
    *("positives_at_top", "rate_at_top", "positives_at_top_train", "weight_norm"),
    *("n_variables", "n_relevant_variables", "ties", "variables_at"),
    *("n_train_positives", "n_train_negatives", "n_test_positives", "n_test_negatives"),
)
"""Columns of the fits of a study in which a data set is one list."""

QUERY_FIT_COLUMNS = (
    *_FIT_COLUMNS,
    *("kkt", "n_variables", "sparsity_ratio", "validation_map", "validation_ndcg10"),
    *("map", "ndcg10", "map_standard", "ndcg10_standard", "weights", "weight_norm"),
    *("n_train_queries", "n_train_documents"),
)
"""Columns of the fits of a study that ranks within queries."""

MULTI_METRIC_FIT_COLUMNS = (
    *_FIT_COLUMNS,
    *("rate_at_top", "precision_at_10", "precision_at_percent", "average_precision", "ndcg10", "auc"),
    *("recall_at_fpr", "enrichment_at_percent", "bedroc", "letor_map", "letor_ndcg10"),
    *("weight_norm", "n_variables", "chosen_by"),
    *("n_train_positives", "n_train_negatives", "n_test_positives", "n_test_negatives"),
)
"""Columns of the fits of a study in which each metric makes a choice of its own."""

QUERY_COLUMNS = (
    *("study", "dataset", "feature_scaling", "method", "split"),
    *("qid", "n_documents", "n_relevant", "average_precision", "ndcg5", "ndcg10"),
    *("ndcg5_standard", "ndcg10_standard"),
)
"""Columns of queries.csv: what each query is worth under the chosen fits."""

VERIFICATION_COLUMNS = (
    "method",
    "case",
    "objective",
    "reference",
    "relative_gap",
    "tolerance",
    "passed",
    "status",
)
"""Columns of verification.csv: a solver on a case, or a known answer."""


def list_job_columns(fits: tuple[str, ...], queries: bool) -> list[str]:
    """List the columns of the file of one job.

    Parameters
    ----------
    fits : tuple[str, ...]
        Columns of the fits.
    queries : bool
        Whether the paper ranks within queries, whose rows then stand among the fits.

    Returns
    -------
    list[str]
        Names of the columns, each once.
    """
    return list(dict.fromkeys((*fits, *(QUERY_COLUMNS if queries else ()))))


FITS_KEY = ("study", "dataset", "feature_scaling", "method", "split", "role", "fold", "params")
"""The identity of a row of fits."""
