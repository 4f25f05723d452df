"""A dense matrix of float32 as a file that is mapped into memory: numpy's own .npy, written block by block.

Writing needs one block in memory. Reading needs only the pages that the system keeps, which it may drop at
any time.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from reproduction.core.atomic_io import atomic_write
from reproduction.core.errors import DataError
from reproduction.datasets.table import Table

FILE = "X.npy"
DTYPE = np.dtype("<f4")
#: Rows of a block: of epsilon's 2000 features 33 MB at a time.
BLOCK_ROWS = 4096
_HEADER = {"descr": DTYPE.str, "fortran_order": False}


def write(tables: Iterable[Table], folder: Path, n_features: int, name: str) -> tuple[Table, list[int]]:
    """Write the rows of a data set to ``folder/X.npy``, in one pass and in the memory of a block.

    Parameters
    ----------
    tables : iterable of Table
        Dense blocks of rows.
    folder : Path
        Made if it is not there; the file in it gets its name once it is complete.
    n_features : int
    name : str
        Name of the data set, for messages.

    Returns
    -------
    table : Table
        X is the mapped file.
    constant : list of int
        Features, from 0, that have one value in all rows.

    Raises
    ------
    DataError
        There are no rows, or a value is beyond what float32 can hold.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    low, high = np.full(n_features, np.inf, DTYPE), np.full(n_features, -np.inf, DTYPE)
    n_rows, labels, dropped = 0, [], {}
    with atomic_write(folder / FILE) as unfinished, open(unfinished, "w+b", buffering=0) as file:
        # the number of rows is known at the end: reserve the header now, correct it then
        _write_header(file, 0, n_features)
        for table in tables:
            with np.errstate(over="ignore"):  # checked below
                block = np.ascontiguousarray(table.X, dtype=DTYPE)
            if not np.isfinite(block).all():
                row, column = np.argwhere(~np.isfinite(block))[0]
                raise DataError(
                    f"{name} holds a value beyond float32 in row {n_rows + row + 1}, feature "
                    f"{column + 1}: correct it, or take 'storage: mapped' out of the registry's entry."
                )
            _write_all(file, block)
            n_rows += len(block)
            if len(block):
                # A feature whose least and largest value are equal over all blocks is constant.
                np.minimum(low, block.min(axis=0), out=low)
                np.maximum(high, block.max(axis=0), out=high)
            # Labels are small: they stay in memory, one block after another.
            labels.append(table.labels)
            for entry in table.dropped:
                dropped[entry["why"]] = dropped.get(entry["why"], 0) + entry["count"]
        if not n_rows:
            raise DataError(f"{name} has no rows: replace its files by the official ones.")
        file.seek(0)
        _write_header(file, n_rows, n_features)
    dropped_rows = tuple({"count": count, "why": why} for why, count in dropped.items())
    X = load(folder / FILE, (n_rows, n_features))
    return Table(X, np.concatenate(labels), dropped=dropped_rows), np.flatnonzero(low == high).tolist()


def save(X: np.ndarray, path: Path) -> None:
    """Write a dense matrix to a file of its own, unless X is the mapping of that very file.

    Parameters
    ----------
    X : ndarray or memmap, shape (n, d)
    path : Path
        Its folder is made if it is not there.
    """
    path = Path(path)
    is_of_that_file = getattr(X, "filename", None) == path.resolve() and path.exists()
    if is_of_that_file and X.offset + X.nbytes == path.stat().st_size:  # a slice of it is shorter
        return
    # block by block, so that the copy needs no more memory than a block
    blocks = (Table(X[first : first + BLOCK_ROWS], np.empty(0)) for first in range(0, len(X), BLOCK_ROWS))
    write(blocks, path.parent, X.shape[1], path.parent.name)


def load(path: Path, shape: tuple[int, int]) -> np.memmap:
    """Map a file that :func:`write` wrote, read-only.

    Parameters
    ----------
    path : Path
    shape : tuple of int
        Rows and features according to the manifest.

    Returns
    -------
    memmap of float32, shape ``shape``, C order

    Raises
    ------
    DataError
        The file is missing, shorter or longer than its header says, or the header differs from the manifest;
        names the expected and the actual content, and the remedy.
    """
    path = Path(path)
    remedy = f"delete {path.with_name('arrays.npz')} and prepare the data set again."
    if not path.is_file():
        raise DataError(f"{path} is missing, where the rows of the data set belong: {remedy}")
    with open(path, "rb") as file:
        try:
            # The header is read by hand, since np.load would map any type and order.
            version = np.lib.format.read_magic(file)
            if version != (1, 0):
                raise ValueError(f"version {version[0]}.{version[1]}, which is for other types")
            header_shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(file)
        except ValueError as error:
            raise DataError(f"{path} has no header of numpy's .npy format ({error}): {remedy}") from error
        offset = file.tell()
    # exactly the type, order and shape of the manifest: anything else would be read as wrong numbers
    if (dtype, fortran_order, header_shape) != (DTYPE, False, shape):
        order = "columns" if fortran_order else "rows"
        raise DataError(
            f"{path} holds {' x '.join(map(str, header_shape))} values of {dtype}, {order} together, where "
            f"the manifest says {' x '.join(map(str, shape))} of {DTYPE}, rows together: {remedy}"
        )
    # a file that a full disk cut off has a valid header
    expected_size, size = offset + shape[0] * shape[1] * DTYPE.itemsize, path.stat().st_size
    if size != expected_size:
        raise DataError(
            f"{path} is {'shorter' if size < expected_size else 'longer'} than its header says ({size} bytes "
            f"where {shape[0]} x {shape[1]} values of {DTYPE} take {expected_size}): {remedy}"
        )
    return np.memmap(path.resolve(), dtype=DTYPE, mode="r", offset=offset, shape=shape)


def _write_header(file: BinaryIO, n_rows: int, n_features: int) -> None:
    """Write the header, whose length does not depend on the number of rows: numpy leaves room in it."""
    np.lib.format.write_array_header_1_0(file, _HEADER | {"shape": (n_rows, n_features)})


def _write_all(file: BinaryIO, block: np.ndarray) -> None:
    """Write a whole block: an unbuffered file may accept only a part of it."""
    remaining = memoryview(block).cast("B") if block.size else b""
    while remaining:
        remaining = remaining[file.write(remaining) :]
