"""NumPy files, .npz, with the arrays ``X`` and ``y``, as ADBench has them; nothing is unpickled."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reproduction.core.errors import DataError
from reproduction.datasets.table import Table, convert_labels_to_text

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet

ARRAYS = ("X", "y")
"""Names of the arrays: feature rows and their labels."""


def read_npz(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read the arrays ``X`` (rows × features) and ``y`` (a label a row) of an .npz file.

    Parameters
    ----------
    spec : DataSet
    paths : dict of str to Path
        Local copy of the file.

    Returns
    -------
    Table
        Labels as text, "1" for ``1`` and ``1.0``.

    Raises
    ------
    DataError
        The file is no .npz, lacks an array, holds a pickled one, or the arrays do not fit each other or the
        entry.
    """
    (file,) = spec.files
    X, y = _load_arrays(paths[file.name], file.name, spec)
    for name, array in zip(ARRAYS, (X, y), strict=True):
        # Boolean, integer, unsigned and floating point: the kinds that are numbers.
        if array.dtype.kind not in "biuf":
            raise DataError(
                f"{file.name} holds the array {name} of type {array.dtype} where numbers are needed: "
                f"{spec.remedy}"
            )
        if not np.isfinite(array).all():
            raise DataError(
                f"{file.name} holds NaN or infinity in {name} where a finite number is needed: {spec.remedy}"
            )
    if X.ndim != 2 or y.shape != X.shape[:1] or X.shape[1] != spec.features_in_files:
        raise DataError(
            f"{file.name} holds X of shape {X.shape} and y of shape {y.shape} where (n, "
            f"{spec.features_in_files}) and (n,) are expected: {spec.remedy}"
        )
    return Table(X, convert_labels_to_text(y))


def _load_arrays(path: Path, name: str, spec: DataSet) -> tuple[np.ndarray, np.ndarray]:
    """Load both arrays of a file, and no pickled one."""
    if not zipfile.is_zipfile(path):  # np.load would take it for a pickle
        raise DataError(f"{name} is not an .npz file: {spec.remedy}")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            for array in ARRAYS:
                if array not in arrays:
                    names = ", ".join(arrays.files) or "no array"
                    raise DataError(
                        f"{name} lacks the array {array!r} (it holds {names}): save it by numpy.savez(file, "
                        "X=X, y=y)."
                    )
            return arrays["X"], arrays["y"]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise DataError(f"{name} cannot be read ({error}): {spec.remedy}") from error
        raise DataError(
            f"{name} holds a pickled array, which is refused, as it could run any code: save X and y as "
            "arrays of numbers."
        ) from error
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, KeyError) as error:
        raise DataError(f"{name} is damaged ({error}): {spec.remedy}") from error
