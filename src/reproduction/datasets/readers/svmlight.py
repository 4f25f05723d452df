"""LIBSVM's text format, one file or the union of several parts, read by scikit-learn piece by piece.

A line is ``label [qid:number] feature:value ... [# comment]``, features counted from 1 and increasing. Pieces
are whole lines: a file, packed or not, is never in memory as a whole.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from sklearn.datasets import load_svmlight_file

from reproduction.core.errors import DataError
from reproduction.datasets.download.archives import open_unpacked
from reproduction.datasets.readers.queries import assign_parts, number_queries, read_query_sizes
from reproduction.datasets.table import Table, convert_labels_to_text

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet

_COMMENT, _SIGNED_FEATURE = re.compile(rb"#[^\n]*"), re.compile(rb"\s[+-]\d+:")
_ALLOWED_BYTES = b"0123456789.+-eE: \t\r\n"
CHUNK_BYTES = 1 << 22  # bytes, and the most that a line may go on beyond a piece


def read_svmlight(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Stack the files that are there, in the registry's order and with its number of features.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["group_sizes"]`` may name a file with the sizes of the queries.
    paths : dict of str to Path
        Local copies; optional files may be absent.

    Returns
    -------
    Table
        Labels as text, "1" for ``+1`` and ``1.000``; for grades the queries of all files, in five parts.
    """
    graded, sizes = spec.task == "graded", read_query_sizes(spec, paths)
    parts = [
        read_csr(paths[file.name], file.name, spec.features_in_files, query_id=graded and sizes is None)
        for file in spec.tables
        if file.name in paths
    ]
    X = scipy.sparse.vstack([X for X, _, _ in parts], format="csr")
    labels, qid = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
    if sizes is not None:
        qid = number_queries(sizes, len(labels), spec)
    return assign_parts(X, labels, qid, spec) if graded else Table(X, convert_labels_to_text(labels))


def stream_svmlight(spec: DataSet, paths: dict[str, Path]) -> Iterator[Table]:
    """Yield the rows of :func:`read_svmlight` in blocks.

    Parameters
    ----------
    spec : DataSet
    paths : dict of str to Path
        Local copies; optional files may be absent.

    Yields
    ------
    Table
        X dense, of float32.
    """
    for file in spec.files:
        if file.name in paths:
            for X, labels, _ in _read_chunks(paths[file.name], file.name, spec.features_in_files):
                with np.errstate(over="ignore"):  # what float32 cannot hold is told when it is written
                    yield Table(X.toarray().astype(np.float32), convert_labels_to_text(labels))


def read_csr(
    path: Path, name: str, n_features: int, query_id: bool = False
) -> tuple[scipy.sparse.csr_array, np.ndarray, np.ndarray]:
    """Read a file whole.

    Parameters
    ----------
    path : Path
        Plain, or packed by xz, gzip or bzip2.
    name : str
        Name of the file, for messages.
    n_features : int
    query_id : bool, default=False
        Whether each row must have a ``qid:``; where it need not, one is passed over.

    Returns
    -------
    X : csr_array of float64, shape (n, n_features)
    labels : ndarray of float64, shape (n,)
    qid : ndarray of int64, shape (n,)
        0 without ``query_id``.

    Raises
    ------
    DataError
        Not SVMlight, a feature beyond ``n_features``, NaN or infinity; names file, line and cause.
    """
    # a file without lines gives arrays of the right shape
    empty = _parse([], name, n_features, query_id, 0)
    X, labels, qid = zip(empty, *_read_chunks(path, name, n_features, query_id), strict=True)
    return scipy.sparse.vstack(X, format="csr"), np.concatenate(labels), np.concatenate(qid)


def _refuse_lenience(text: bytes) -> None:
    """Refuse what scikit-learn takes and the format does not: 1_0, +2:1, qid.:1, other bytes than its own."""
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    if text.replace(b"qid:", b"").translate(None, _ALLOWED_BYTES) or _SIGNED_FEATURE.search(text):
        raise ValueError("not a number in plain digits")


def _read_chunks(
    path: Path, name: str, n_features: int, query_id: bool = False
) -> Iterator[tuple[scipy.sparse.csr_array, np.ndarray, np.ndarray]]:
    """Yield what :func:`read_csr` returns, for some lines at a time."""
    n_lines = 0
    with open_unpacked(path) as stream:
        while text := stream.read(CHUNK_BYTES) + stream.readline(CHUNK_BYTES):
            if not text.endswith(b"\n") and stream.read(1):
                raise DataError(
                    f"{name} holds a line of more than {CHUNK_BYTES >> 20} MB, so it is not SVMlight text: "
                    "replace the file by the official one."
                )
            lines = text.splitlines(keepends=True)
            yield _parse(lines, name, n_features, query_id, n_lines)
            n_lines += len(lines)


def _parse(
    lines: list[bytes], name: str, n_features: int, query_id: bool, n_before: int
) -> tuple[scipy.sparse.csr_array, np.ndarray, np.ndarray]:
    """Parse lines, of which the first is line ``n_before`` + 1 of the file; halving finds the bad one."""
    try:
        X, labels, *qid = load_svmlight_file(
            io.BytesIO(b"".join(lines)), n_features=n_features, zero_based=False, query_id=query_id
        )
        if not (np.isfinite(X.data).all() and np.isfinite(labels).all()):
            raise ValueError("NaN or infinity where a finite number is needed")
        _refuse_lenience(b"".join(lines))
        if query_id and len(qid[0]) != len(labels):
            raise ValueError("no qid, which names the query of the row")
    except (ValueError, OverflowError) as error:
        if len(lines) > 1:
            # bisection: the half with the bad line raises, down to a single line
            middle = len(lines) // 2
            _parse(lines[:middle], name, n_features, query_id, n_before)
            _parse(lines[middle:], name, n_features, query_id, n_before + middle)
        raise DataError(
            f"{name} cannot be read as SVMlight text in line {n_before + 1} ({str(error).rstrip('.')}): "
            "replace the file by the official one."
        ) from error
    return scipy.sparse.csr_array(X), labels, qid[0] if query_id else np.zeros(len(labels), dtype=np.int64)
