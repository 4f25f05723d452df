"""Feature scaling: as distributed, or standardised by the training part."""

import numpy as np
import scipy.sparse as sp

from toprank.problems.rows import SelectedRows

Rows = np.ndarray | sp.sparray | SelectedRows
"""Feature rows of a part: dense, sparse, or selected from a memory map."""

#: Entries up to which a sparse matrix is filled in order to be centred (160 MB).
MAX_DENSE_ENTRIES = 20_000_000


def is_densified(X: Rows) -> bool:
    """Return whether standardising fills these sparse rows.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_rows, n_features)
        Feature rows.

    Returns
    -------
    bool
        True for a sparse matrix of at most `MAX_DENSE_ENTRIES` entries, zeros included.
    """
    return sp.issparse(X) and X.shape[0] * X.shape[1] <= MAX_DENSE_ENTRIES


def standardise(X_train: Rows, *other_parts: Rows) -> tuple[Rows, ...]:
    """Give each feature zero mean and unit variance on the training part.

    A sparse matrix too large to be filled keeps its means: K15 eq. (11) has differences of rows only.

    Parameters
    ----------
    X_train : ndarray or csr_array of shape (n_train, n_features)
        Rows that give means and variances.
    *other_parts : ndarray or csr_array
        Parts that are scaled by the same statistics.

    Returns
    -------
    tuple of ndarray or csr_array
        All parts, the training part first.

    Raises
    ------
    ValueError
        If the rows are mapped from a file: the scaled ones would be a copy in memory.
    """
    parts = (X_train, *other_parts)
    if isinstance(X_train, np.memmap | SelectedRows):
        raise ValueError(
            "features of a data set that is mapped from a file are not standardised, as that would copy all "
            "of it into memory; take the features as distributed (raw)"
        )
    # a sparse set within this size is filled, so that it can be centred like a dense one
    if is_densified(X_train):
        parts = tuple(X.toarray() for X in parts)
    from sklearn.preprocessing import StandardScaler  # late: features as distributed need no scikit-learn

    # larger sparse rows are only divided: centring would fill them
    scaler = StandardScaler(with_mean=not sp.issparse(parts[0])).fit(parts[0])
    transformed = tuple(scaler.transform(X) for X in parts)
    return tuple(sp.csr_array(X) for X in transformed) if sp.issparse(parts[0]) else transformed


def scaling_error(feature_scaling: str, X: Rows) -> ValueError | None:
    """Return why the rows of a mapped set cannot be scaled.

    Parameters
    ----------
    feature_scaling : {"raw", "standardised"}
        Scaling of the features.
    X : ndarray, csr_array or memmap of shape (n_rows, n_features)
        Feature rows.

    Returns
    -------
    ValueError | None
        The error of `scale_features`; None where the rows can be scaled.
    """
    try:
        if isinstance(X, np.memmap):
            # two rows are enough to see whether a scaling refuses a mapped file
            scale_features(feature_scaling, X[:2])
    except ValueError as error:
        return error


def scale_features(feature_scaling: str, X_train: Rows, *other_parts: Rows) -> tuple[Rows, ...]:
    """Return the parts under one feature scaling.

    Parameters
    ----------
    feature_scaling : {"raw", "standardised"}
        "standardised" scales by the statistics of the training part.
    X_train : ndarray, csr_array or SelectedRows of shape (n_train, n_features)
        Training rows.
    *other_parts : rows of the same kind
        Parts that are scaled by the same statistics.

    Returns
    -------
    tuple
        All parts, the training part first.

    Raises
    ------
    ValueError
        If there is no such scaling, or the rows to be standardised are mapped from a file.
    """
    if feature_scaling not in ("raw", "standardised"):
        raise ValueError(f"unknown feature scaling {feature_scaling!r}; it must be 'raw' or 'standardised'")
    return (
        standardise(X_train, *other_parts) if feature_scaling == "standardised" else (X_train, *other_parts)
    )
