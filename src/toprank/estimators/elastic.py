"""Base of the estimators with an elastic net: their parameter ``l1_ratio``."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from toprank.estimators.base import LinearRanker
from toprank.estimators.warning_context import find_stacklevel
from toprank.penalties import L1, ElasticNet, SquaredL2

if TYPE_CHECKING:
    from toprank.penalties import Penalty


class ElasticRanker(LinearRanker):
    """Base of `InfinitePush` and `RankSVM`: l1_ratio is a parameter of the name "elasticnet" alone."""

    penalty: str | Penalty
    l1_ratio: float | None

    def _resolve_parameter(self, parameter: str) -> Any:
        """Return the object of a parameter; of an elastic net at an end, the l1 norm or the ridge."""
        candidate = super()._resolve_parameter(parameter)
        if not isinstance(candidate, ElasticNet):
            return candidate
        if self._names_elastic_net() and self.l1_ratio is not None:
            candidate = ElasticNet(self.l1_ratio)
            candidate.check()
        # At its ends the net is a penalty that has solvers of its own.
        ends = {0.0: SquaredL2, 1.0: L1}
        return ends[candidate.l1_ratio]() if candidate.l1_ratio in ends else candidate

    def _names_elastic_net(self) -> bool:
        return isinstance(self.penalty, str) and self.penalty == "elasticnet"

    def _warn_of_unused_ratio(self) -> None:
        """Warn of an l1_ratio that the penalty does not use, as scikit-learn does."""
        if self.l1_ratio is not None and not self._names_elastic_net():
            warnings.warn(
                f"l1_ratio={self.l1_ratio!r} is only used when penalty is 'elasticnet', and penalty is "
                f"{self.penalty!r}",
                UserWarning,
                stacklevel=find_stacklevel(),
            )
