"""The metrics by which methods are compared over data sets, and the range of each measured column."""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Metric:
    """A metric by which methods are compared.

    Attributes
    ----------
    name : str
        Column of the fits.
    label : str
        Name for readers.
    larger_is_better : bool
        Whether the larger of two values is the better one.
    by_query : str, optional
        Column of the queries that it averages.
    logarithmic : bool
        Compare decimal logarithms: a difference of 1 is a factor of ten. Seconds on small and on large data
        sets have no common scale otherwise.
    """

    name: str
    label: str
    larger_is_better: bool = True
    by_query: str | None = None
    logarithmic: bool = False


RATE_AT_TOP = Metric("rate_at_top", "Rate at the top")
SECONDS = Metric("seconds", "Training time", larger_is_better=False, logarithmic=True)
N_VARIABLES = Metric("n_variables", "Number of variables", larger_is_better=False)
MAP = Metric("map", "MAP", by_query="average_precision")
# Metrics of fixed capacity and of the whole list, which the joint study compares.
LETOR_TEST_TO_TRAIN = 1.0 / 3.0
"""Queries of the test part over those of the training part of a fold of LETOR: 1 and 3 parts of 5."""

TOP_10 = Metric("precision_at_10", "Precision at 10")
TOP_PERCENT = Metric("precision_at_percent", "Precision in the first 1 %")
AVERAGE_PRECISION = Metric("average_precision", "Average precision")
AUC = Metric("auc", "AUC")
NDCG10 = Metric("ndcg10", "NDCG@10", by_query="ndcg10")
RECALL_AT_FPR = Metric("recall_at_fpr", "Recall at 1 % FPR")
ENRICHMENT = Metric("enrichment_at_percent", "Enrichment at 1 %")
BEDROC = Metric("bedroc", "BEDROC(20)")
LETOR_MAP = Metric("letor_map", "MAP as LETOR computes it")
LETOR_NDCG10 = Metric("letor_ndcg10", "NDCG@10 as LETOR computes it")
SPARSITY_RATIO = Metric("sparsity_ratio", "Sparsity ratio", larger_is_better=False)

METRICS = [value for value in list(vars().values()) if isinstance(value, Metric)]

FURTHER_LIST_METRICS = (RECALL_AT_FPR.name, ENRICHMENT.name, BEDROC.name)
FURTHER_QUERY_METRICS = (LETOR_MAP.name, LETOR_NDCG10.name)
FURTHER_METRICS = (*FURTHER_LIST_METRICS, *FURTHER_QUERY_METRICS)
"""What a study of all metrics measures if its key `further_metrics` says so, of lists and of queries."""

LABELS = {metric.name: metric.label for metric in METRICS}
"""Metric -> its name for readers."""

_SHARES = (
    *("rate_at_top", "precision_at_10", "precision_at_percent", "average_precision", "auc"),
    *("map", "map_standard", "validation_map", "validation_ndcg10", "sparsity_ratio"),
    *("ndcg5", "ndcg5_standard", "ndcg10", "ndcg10_standard"),
    *("recall_at_fpr", "bedroc", "letor_map", "letor_ndcg10"),
)
_COUNTS = (
    *("n_iter", "seconds", "weight_norm", "kkt", "n_variables", "n_relevant_variables"),
    *("n_train_positives", "n_train_negatives", "n_test_positives", "n_test_negatives"),
    *("n_train_queries", "n_train_documents", "n_documents", "enrichment_at_percent"),
)
RANGES: dict[str, tuple[float, float | str]] = {
    **dict.fromkeys(_SHARES, (0.0, 1.0)),
    **dict.fromkeys(_COUNTS, (0.0, inf)),
    "positives_at_top": (0.0, "n_test_positives"),
    "positives_at_top_train": (0.0, "n_train_positives"),
    "n_relevant": (0.0, "n_documents"),
}
"""Column -> its least and its largest value; a word is the column of the same row that holds the value."""

LOGARITHMIC = {metric.name for metric in METRICS if metric.logarithmic}
"""Metrics whose logarithms are compared."""
