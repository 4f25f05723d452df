"""Named parameters as scikit-learn's estimators have them, for penalties and solvers, and their checks."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


class Parameters:
    """Base of dataclasses whose fields scikit-learn can read, set, clone and search (``penalty__gamma``)."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the values of the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Ignored; for scikit-learn.

        Returns
        -------
        dict
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Parameters
        ----------
        **params
            New values.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there is no such parameter.
        """
        names = [field.name for field in fields(self)]
        for name, value in params.items():
            if name not in names:
                has = f"it has {', '.join(names)}" if names else "it has none"
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; {has}")
            setattr(self, name, value)
        return self


def is_number(value: object) -> bool:
    """Whether a value is a real number; True, False and fractions, which NumPy does not know, do not count.

    Parameters
    ----------
    value : object

    Returns
    -------
    bool
    """
    return isinstance(value, Real) and not isinstance(value, (bool, Fraction))


def check_positive(
    owner: object, *names: str, optional: Sequence[str] = (), integers: Sequence[str] = ()
) -> None:
    """Raise a ValueError if an attribute is not a finite positive number.

    Parameters
    ----------
    owner : object
        Holds the attributes.
    *names : str
        Attributes to check.
    optional : sequence of str
        Further attributes, which may be None.
    integers : sequence of str
        Those of the attributes that must be whole numbers.

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    for name in (*names, *(name for name in optional if getattr(owner, name) is not None)):
        value = getattr(owner, name)
        if not (is_number(value) and np.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be a positive number; got {value!r}")
        if name in integers and not isinstance(value, Integral):
            raise ValueError(f"{name} must be a whole number; got {value!r}")


def check_allowed_values(owner: object, **allowed: Sequence[str]) -> None:
    """Raise a ValueError if an attribute has none of its possible values.

    Parameters
    ----------
    owner : object
        Holds the attributes.
    **allowed : sequence of str
        Attribute -> its possible values.

    Raises
    ------
    ValueError
        If a value is not among them.
    """
    for name, values in allowed.items():
        if not isinstance(getattr(owner, name), str) or getattr(owner, name) not in values:
            owner_class = type(owner).__name__
            raise ValueError(
                f"unknown {name} {getattr(owner, name)!r}; {owner_class} offers {', '.join(values)}"
            )
