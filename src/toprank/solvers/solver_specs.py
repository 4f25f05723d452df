"""The solvers as objects, each with a name and its own options.

An estimator takes one of them, or its name, as ``solver``. scikit-learn can clone it and search its options
(``solver__rho``). The estimator's ``SOLVERS`` names the function that is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from toprank.parameters import Parameters, check_allowed_values, check_positive

#: The readings of K15's stopping rule, see `toprank.solvers.admm.solve`.
STOPPING_RULES = ("residuals", "combined", "published")


class SolverSpec(Parameters):
    """Base class of these objects."""

    name = "solver"

    def check(self) -> None:
        """Raise a ValueError if an option is out of its range."""

    def options(self) -> dict[str, Any]:
        """Return the options of the solver's function by name.

        Returns
        -------
        dict of str to object
        """
        return self.get_params()


class MethodSpec(SolverSpec):
    """Base class of the objects that the solver's function takes as a whole, as its ``method``."""

    def options(self) -> dict[str, Any]:
        """Return the options of the solver's function by name."""
        return {"method": self}


@dataclass(eq=False)
class Exact(SolverSpec):
    """Exact solver: refine a small model of the problem until its dual certifies the best point.

    Parameters
    ----------
    rows_per_step : int, optional
        Number of rows that enter the model in one step; by default it depends on the number of features.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import Exact, TopPush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> TopPush(alpha=0.1, solver=Exact(rows_per_step=10)).fit(X, [1, 1, 0, 0]).certificate_.status
    'certified'
    """

    rows_per_step: int | None = None

    name = "exact"

    def check(self) -> None:
        """Raise a ValueError if an option is out of its range."""
        check_positive(self, optional=("rows_per_step",), integers=("rows_per_step",))


@dataclass(eq=False)
class ProxNewton(SolverSpec):
    """Proximal Newton: steps with the exact Hessian, each to the minimum of its model.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import ProxNewton, RankSVM
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> RankSVM(C=1.0, solver=ProxNewton()).fit(X, [1, 1, 0, 0]).certificate_.status
    'certified'
    """

    name = "prox-newton"


@dataclass(eq=False)
class FISTA(MethodSpec):
    """FISTA: accelerated proximal gradient, L14's Algorithm 1.

    Parameters
    ----------
    restart : bool, default=True
        Whether to drop a momentum that points uphill; the paper does not.
    lipschitz : {"exact", "trace"}, default="exact"
        The step length is the inverse of the largest eigenvalue of 2 Σ x̃_k x̃_k', or of L14's bound
        2 Σ ‖x̃_k‖².

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import FISTA, RankSVM
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> RankSVM(C=1.0, solver=FISTA(restart=False)).fit(X, [1, 1, 0, 0]).certificate_.status
    'certified'
    """

    restart: bool = True
    lipschitz: Literal["exact", "trace"] = "exact"

    name = "fista"

    def check(self) -> None:
        """Raise a ValueError if an option is out of its range."""
        check_allowed_values(self, lipschitz=("exact", "trace"))


@dataclass(eq=False)
class MonotoneFISTA(SolverSpec):
    """Monotone FISTA: proximal gradient with the prox of any penalty (Li and Lin 2015).

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import MonotoneFISTA, RankSVM
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> RankSVM(C=1.0, solver=MonotoneFISTA()).fit(X, [1, 1, 0, 0]).certificate_.status
    'certified'
    """

    name = "monotone-fista"


@dataclass(eq=False)
class DualGradient(SolverSpec):
    """Accelerated projected gradient on the dual, the published TopPush.

    Parameters
    ----------
    stop : {"gap", "published"}, default="gap"
        Stop at a relative duality gap, or by the stopping rule of the authors' program.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import DualGradient, TopPush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> TopPush(alpha=0.1, solver=DualGradient(stop="published")).fit(X, [1, 1, 0, 0]).certificate_.status
    'stopped'
    """

    stop: Literal["gap", "published"] = "gap"

    name = "dual"

    def check(self) -> None:
        """Raise a ValueError if an option is out of its range."""
        check_allowed_values(self, stop=("gap", "published"))


@dataclass(eq=False)
class ADMM(MethodSpec):
    """ADMM, the alternating direction method of multipliers: K15's Algorithm 1.

    Parameters
    ----------
    rho : float, default=0.1
        Penalty of the augmented Lagrangian.
    stop : {"residuals", "combined", "published"}, default="residuals"
        The reading of the paper's stopping rule, see `toprank.solvers.admm.solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import ADMM, TopPush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> TopPush(alpha=0.1, solver=ADMM(rho=1.0)).fit(X, [1, 1, 0, 0]).certificate_.status
    'certified'
    """

    rho: float = 0.1
    stop: Literal["residuals", "combined", "published"] = "residuals"

    name = "admm"

    def check(self) -> None:
        """Raise a ValueError if an option is out of its range."""
        check_allowed_values(self, stop=STOPPING_RULES)
        check_positive(self, *(option for option in self.get_params() if option != "stop"))


@dataclass(eq=False)
class A2DM2(ADMM):
    """Accelerated ADMM: K15's Algorithm 2, which minimises a perturbed objective (eq. 13).

    Parameters
    ----------
    rho, stop
        As of `ADMM`.
    lambda1, lambda2 : float, default=0.01
        Added strong convexity.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import A2DM2, TopPush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> TopPush(alpha=0.1, solver=A2DM2(rho=0.01)).fit(X, [1, 1, 0, 0]).certificate_.status
    'stopped'
    """

    lambda1: float = 0.01
    lambda2: float = 0.01

    name = "a2dm2"


@dataclass(eq=False)
class A2DM2Restart(A2DM2):
    """Accelerated ADMM with restart: K15's Algorithm 2 (section 2.1).

    Parameters
    ----------
    rho, stop
        As of `ADMM`.
    lambda1, lambda2 : float, default=0.01
    eta : float, default=0.8
        Restart when the combined residual exceeds eta times the last one; less than 1.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import A2DM2Restart, TopPush
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> TopPush(alpha=0.1, solver=A2DM2Restart(rho=1.0, eta=0.9)).fit(X, [1, 1, 0, 0]).certificate_.status
    'stopped'
    """

    eta: float = 0.8

    name = "a2dm2-restart"

    def check(self) -> None:
        """Raise a ValueError if an option is out of its range."""
        super().check()
        if self.eta >= 1:
            raise ValueError(f"eta must lie strictly between 0 and 1; got {self.eta!r}")


@dataclass(eq=False)
class PairADMM(MethodSpec):
    """ADMM on all pairs of a positive and a negative: R12's Algorithm 1.

    Parameters
    ----------
    prox : {"exact", "douglas-rachford"}, default="exact"
        Compute the prox of the loss by one projection, or by the paper's two inner loops.
    mu : float, optional
        Penalty of the augmented Lagrangian; by default 1 / (m n).

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import InfinitePush, PairADMM
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> InfinitePush("l1", alpha=0.1, solver=PairADMM()).fit(X, [1, 1, 0, 0]).certificate_.status
    'certified'
    """

    prox: Literal["exact", "douglas-rachford"] = "exact"
    mu: float | None = None

    name = "admm"

    def check(self) -> None:
        """Raise a ValueError if an option is out of its range."""
        check_allowed_values(self, prox=("exact", "douglas-rachford"))
        check_positive(self, optional=("mu",))


@dataclass(eq=False)
class PairDual(SolverSpec):
    """Projected gradient on the dual over the l1,inf ball; for the ridge only.

    Examples
    --------
    >>> import numpy as np
    >>> from toprank import InfinitePush, PairDual
    >>> X = np.array([[2.0, 1.0], [1.5, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    >>> InfinitePush("l2", alpha=0.1, solver=PairDual()).fit(X, [1, 1, 0, 0]).certificate_.status
    'certified'
    """

    name = "dual"
