"""LIBSVM's text format, one file or the union of several parts."""

import numpy as np
import scipy.sparse

from ..archives import open_unpacked
from ..table import Table
from .svmlight_text import Parser


def read_svmlight(spec, paths):
    """Stack the files that are there, in the registry's order and with its number of features.

    Returns
    -------
    Table
        Labels as text, "1" for ``+1`` and ``1.000``.
    """
    parts = [
        read_csr(paths[file.name], file.name, spec.features_in_files)
        for file in spec.files
        if file.name in paths
    ]
    X = scipy.sparse.vstack([X for X, _, _ in parts], format="csr")
    return Table(X, as_text(np.concatenate([labels for _, labels, _ in parts])))


def stream_svmlight(spec, paths):
    """Yield the rows of :func:`read_svmlight` in blocks, each a Table of dense float32."""
    parser = Parser(spec.features_in_files)
    for file in spec.files:
        if file.name in paths:
            with open_unpacked(paths[file.name]) as stream:
                for rows in parser.read(stream, file.name):
                    yield Table(rows.dense(spec.features_in_files), as_text(rows.labels))


def read_csr(path, name, n_features, query_id=False):
    """Read a file whole.

    Parameters
    ----------
    path : path
        Plain, or packed by xz, gzip or bzip2.
    name : str
        For messages.
    n_features : int
    query_id : bool
        Whether each row has a ``qid:``.

    Returns
    -------
    X : csr_array of float64, shape (n, n_features)
    labels : ndarray of float64, shape (n,)
    qid : ndarray of int64, shape (n,)
        0 without ``query_id``.

    Raises
    ------
    DataError
        Not SVMlight, a feature beyond ``n_features``, NaN or infinity.
    """
    labels, qid, lengths, indices, values = [], [], [], [], []
    with open_unpacked(path) as stream:
        for rows in Parser(n_features, query_id).read(stream, name):
            labels.append(rows.labels.copy())
            qid.append(rows.qid.copy())
            lengths.append(np.diff(rows.indptr))
            indices.append(rows.indices.copy())
            values.append(rows.values.copy())
    indptr = np.cumsum(np.concatenate([[0], *lengths]), dtype=np.int64)
    nothing = np.empty(0, dtype=np.int32)
    triple = np.concatenate([nothing, *values]), np.concatenate([nothing, *indices]), indptr
    X = scipy.sparse.csr_array(triple, shape=(indptr.size - 1, n_features))
    return X, np.concatenate([nothing, *labels]), np.concatenate([nothing, *qid])


def as_text(y):
    """Numeric labels as the text that label rules are written in: 1.0 -> "1"."""
    values, inverse = np.unique(y, return_inverse=True)
    return np.array([f"{v:g}" for v in values], dtype=str)[inverse]
