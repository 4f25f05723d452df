"""Feature scaling: as distributed, or standardised by the training part."""

import numpy as np
import scipy.sparse as sp

from toprank.problems.rows import SelectedRows

#: Entries up to which a sparse matrix is filled in order to be centred (160 MB).
MAX_DENSE_ENTRIES = 20_000_000


def is_densified(X) -> bool:
    """Whether standardising fills these sparse rows."""
    return sp.issparse(X) and X.shape[0] * X.shape[1] <= MAX_DENSE_ENTRIES


def standardise(X_train, *other_parts):
    """Give each feature zero mean and unit variance on the training part.

    A sparse matrix too large to be filled keeps its means: K15 eq. (11) has differences of rows only.

    Raises `ValueError`: if the rows are mapped from a file: the scaled ones would be a copy in memory.
    """
    parts = (X_train, *other_parts)
    if isinstance(X_train, np.memmap | SelectedRows):
        raise ValueError(
            "features of a data set that is mapped from a file are not standardised, as that would copy all "
            "of it into memory; take the features as distributed (raw)"
        )
    if is_densified(X_train):
        parts = tuple(X.toarray() for X in parts)
    from sklearn.preprocessing import StandardScaler  # late: features as distributed need no scikit-learn

    scaler = StandardScaler(with_mean=not sp.issparse(parts[0])).fit(parts[0])
    transformed = tuple(scaler.transform(X) for X in parts)
    return tuple(sp.csr_array(X) for X in transformed) if sp.issparse(parts[0]) else transformed


def scaling_error(feature_scaling, X) -> ValueError | None:
    """Return why the rows of a mapped set cannot be scaled; None where they can."""
    try:
        if isinstance(X, np.memmap):
            scale_features(feature_scaling, X[:2])
    except ValueError as error:
        return error


def scale_features(feature_scaling, X_train, *other_parts):
    """Return the parts of one feature scaling.

    `feature_scaling` ({"raw", "standardised"}): "standardised" scales by the statistics of the training part.
    `X_train`: ndarray, csr_array or SelectedRows. `*other_parts`: of the same kind. Raises `ValueError`: if
    there is no such block, or the rows to be standardised are mapped from a file.
    """
    if feature_scaling not in ("raw", "standardised"):
        raise ValueError(f"unknown feature scaling {feature_scaling!r}; it must be 'raw' or 'standardised'")
    return (
        standardise(X_train, *other_parts) if feature_scaling == "standardised" else (X_train, *other_parts)
    )
