"""The measures by which methods are compared over data sets."""

from reproduction.artefact import Measure

RATE_AT_TOP = Measure("rate_at_top", "Rate at the top")
SECONDS = Measure("seconds", "Training time", larger_is_better=False, logarithmic=True)
N_VARIABLES = Measure("n_variables", "Number of variables", larger_is_better=False)
MAP = Measure("map", "MAP", by_query="average_precision")
TOP_10 = Measure("precision_at_10", "Positives in the top 10")
TOP_PERCENT = Measure("precision_at_percent", "Positives in the top 1 %")
AVERAGE_PRECISION = Measure("average_precision", "Average precision")
AUC = Measure("auc", "AUC")
NDCG10 = Measure("ndcg10", "NDCG@10", by_query="ndcg10")
SPARSITY_RATIO = Measure("sparsity_ratio", "Sparsity ratio", larger_is_better=False)

ALL = [found for found in list(vars().values()) if isinstance(found, Measure)]

LABELS = {measure.name: measure.label for measure in ALL}
"""Measure -> its name for readers."""

LOGARITHMIC = {measure.name for measure in ALL if measure.logarithmic}
"""Measures whose logarithms are compared."""
