"""LIBSVM's text format, one file or the union of several parts."""

import os

import numpy as np
import scipy.sparse
from sklearn.datasets import load_svmlight_file

from ..errors import DataError
from ..table import Table, check_finite

# epsilon's 12 GB are read in pieces, each made dense, so that no CSR copy of the whole exists. A piece must
# be longer than any line, or load_svmlight_file reads lines twice.
CHUNK_BYTES = 1 << 28


def read_svmlight(spec, paths):
    """Stack the files that are there, in the registry's order and with its number of features.

    Returns
    -------
    Table
        Labels as text, "1" for ``+1`` and ``1.000``.
    """
    blocks, labels = [], []
    for file in spec.files:
        if file.name in paths:
            for X, y in chunks(paths[file.name], file.name, spec.features_in_files):
                blocks.append(X)
                labels.append(y)
    if all(isinstance(b, np.ndarray) for b in blocks):
        X = _stack(blocks)
    else:
        X = scipy.sparse.vstack([scipy.sparse.csr_array(b) for b in blocks], format="csr")
    return Table(X, as_text(np.concatenate(labels)))


def chunks(path, name, n_features, query_id=False):
    """Read a file piece by piece.

    Parameters
    ----------
    path : path
    name : str
        For messages.
    n_features : int
    query_id : bool
        Whether each row has a ``qid:``.

    Yields
    ------
    X : ndarray where at least half of the values are non-zero, else csr_matrix, shape (n, n_features)
    y : ndarray, shape (n,)
    qid : ndarray, shape (n,), only with ``query_id``

    Raises
    ------
    DataError
        Not SVMlight, a feature beyond ``n_features``, NaN or infinity.
    """
    first_row = 1
    for offset in range(0, max(os.path.getsize(path), 1), CHUNK_BYTES):
        try:
            X, y, *qid = load_svmlight_file(
                str(path),
                n_features=n_features,
                zero_based=False,
                query_id=query_id,
                offset=offset,
                length=CHUNK_BYTES,
            )
        except ValueError as error:
            raise DataError(
                f"{name} is not SVMlight text with features 1 to {n_features} ({error}): replace it by the "
                "official file."
            ) from error
        check_finite(X, name, first_row)
        if not np.isfinite(y).all():
            raise DataError(
                f"{name} holds a label that is no finite number in row "
                f"{first_row + np.argmin(np.isfinite(y))}."
            )
        first_row += len(y)
        dense = X.nnz >= 0.5 * X.shape[0] * X.shape[1]
        yield (X.toarray() if dense else X, y, *qid)


def as_text(y):
    """Numeric labels as the text that label rules are written in: 1.0 -> "1"."""
    values, inverse = np.unique(y, return_inverse=True)
    return np.array([f"{v:g}" for v in values])[inverse]


def _stack(blocks):
    """np.vstack that frees each block once it is copied."""
    X = np.empty((sum(len(b) for b in blocks), blocks[0].shape[1]))
    row = 0
    blocks.reverse()
    while blocks:
        block = blocks.pop()
        X[row : row + len(block)] = block
        row += len(block)
    return X
