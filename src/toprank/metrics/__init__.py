"""Metrics of a ranking: of fixed capacity, at the top of one list, or averaged over queries.

No metric depends on the order of the rows, except under ``convention="letor"``. Of tied scores each metric is
the expected value over all orders of the ties, in closed form, or the least one (``ties="pessimistic"``).
Pos@Top and the rate at the top have no order of ties to average over: only a score strictly above the highest
negative counts. The functions are imported on first use, as in `toprank`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

EXPORT_MODULES = {
    "precision_at_k": "toprank.metrics.fixed_capacity",
    "recall_at_k": "toprank.metrics.fixed_capacity",
    "enrichment_factor": "toprank.metrics.fixed_capacity",
    "capacity_report": "toprank.metrics.capacity",
    "CapacityReport": "toprank.metrics.capacity",
    "recall_at_fpr": "toprank.metrics.roc",
    "partial_auc": "toprank.metrics.roc",
    "bedroc": "toprank.metrics.early_recognition",
    "average_precision": "toprank.metrics.queries",
    "mean_average_precision": "toprank.metrics.queries",
    "average_precision_per_query": "toprank.metrics.queries",
    "ndcg": "toprank.metrics.queries",
    "ndcg_per_query": "toprank.metrics.queries",
    "positives_at_top": "toprank.metrics.top_of_list",
    "rate_at_top": "toprank.metrics.top_of_list",
    "selected_variables": "toprank.metrics.sparsity",
    "relevant_rows": "toprank.labels",
}
__all__ = list(EXPORT_MODULES)


if TYPE_CHECKING:  # what EXPORT_MODULES names, for editors and type checkers
    from toprank.labels import relevant_rows as relevant_rows
    from toprank.metrics.capacity import CapacityReport as CapacityReport
    from toprank.metrics.capacity import capacity_report as capacity_report
    from toprank.metrics.early_recognition import bedroc as bedroc
    from toprank.metrics.fixed_capacity import enrichment_factor as enrichment_factor
    from toprank.metrics.fixed_capacity import precision_at_k as precision_at_k
    from toprank.metrics.fixed_capacity import recall_at_k as recall_at_k
    from toprank.metrics.queries import average_precision as average_precision
    from toprank.metrics.queries import average_precision_per_query as average_precision_per_query
    from toprank.metrics.queries import mean_average_precision as mean_average_precision
    from toprank.metrics.queries import ndcg as ndcg
    from toprank.metrics.queries import ndcg_per_query as ndcg_per_query
    from toprank.metrics.roc import partial_auc as partial_auc
    from toprank.metrics.roc import recall_at_fpr as recall_at_fpr
    from toprank.metrics.sparsity import selected_variables as selected_variables
    from toprank.metrics.top_of_list import positives_at_top as positives_at_top
    from toprank.metrics.top_of_list import rate_at_top as rate_at_top
else:

    def __getattr__(name: str) -> object:
        """Import a metric on first use (PEP 562)."""
        if name in EXPORT_MODULES:
            return getattr(import_module(EXPORT_MODULES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
