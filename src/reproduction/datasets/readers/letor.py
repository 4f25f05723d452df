"""LETOR's folds (Qin et al. 2010) of five parts S1..S5.

Fold K trains on S_K, S_K+1, S_K+2, validates on S_K+3 and tests on S_K+4. Each part is read once, from the
fold that tests on it; the other files must repeat the parts.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from reproduction.core.errors import DataError
from reproduction.core.seeds import LETOR_FOLDS
from reproduction.datasets.readers.queries import check_grades, convert_ids
from reproduction.datasets.readers.svmlight import read_csr
from reproduction.datasets.table import Table

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet


def read_letor(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read the five parts.

    Parameters
    ----------
    spec : DataSet
    paths : dict of str to Path
        Local copies of the 15 files ``FoldK/{train,vali,test}.txt``.

    Returns
    -------
    Table
        Labels are the graded relevances (int), ``qid`` the query and ``part`` the part 1..5 of each row; rows
        come in the order S1..S5, the rows of a query together.

    Raises
    ------
    DataError
        The folds are no rotations of five parts, a query is scattered, or a grade is unknown.
    """
    check_rotation(spec.name, paths)
    blocks, grades, qids, parts = [], [], [], []
    for part in range(1, LETOR_FOLDS + 1):
        member = get_part_files(part)["test"]
        X, y, qid = read_csr(paths[member], member, spec.features_in_files, query_id=True)
        blocks.append(X)
        grades.append(y)
        qids.append(qid)
        parts.append(np.full(len(y), part))
    y, qid = np.concatenate(grades), np.concatenate(qids)
    part = np.concatenate(parts)
    # a run is a maximal block of rows of one query in one part; each query must be one run
    starts = np.flatnonzero(np.diff(qid, prepend=qid[0] - 1) | np.diff(part, prepend=0))
    if len(starts) != len(np.unique(qid)):
        values, counts = np.unique(qid[starts], return_counts=True)
        raise DataError(
            f"The rows of query {values[counts > 1][0]} of {spec.name} do not lie together in one part."
        )
    X = scipy.sparse.vstack(blocks, format="csr")
    return Table(X, check_grades(y, spec), convert_ids(qid), part.astype(np.int8))


def get_part_files(part: int) -> dict[str, str]:
    """Name the files that hold one part alone.

    Parameters
    ----------
    part : int
        1 to 5.

    Returns
    -------
    dict of str to str
        Path of the file for each of "test" and "vali".
    """
    return {
        "test": f"Fold{part % LETOR_FOLDS + 1}/test.txt",  # fold K tests on S_K+4
        "vali": f"Fold{(part + 1) % LETOR_FOLDS + 1}/vali.txt",  # and validates on S_K+3
    }


def check_rotation(name: str, paths: dict[str, Path]) -> None:
    """Check that validation and training files repeat the parts, byte for byte.

    Parameters
    ----------
    name : str
        Name of the data set, for messages.
    paths : dict of str to Path
        Local copies of the 15 files.

    Raises
    ------
    DataError
        Names the first file that does not.
    """
    # The parts as bytes: a training file is three of them, one after the other.
    parts = {s: paths[get_part_files(s)["test"]].read_bytes() for s in range(1, LETOR_FOLDS + 1)}
    for fold in range(1, LETOR_FOLDS + 1):
        train, vali = (
            ((fold + shift - 1) % LETOR_FOLDS + 1 for shift in shifts) for shifts in ((0, 1, 2), (3,))
        )
        for file, held in ((f"Fold{fold}/train.txt", train), (f"Fold{fold}/vali.txt", vali)):
            digest = hashlib.sha256()
            for part in (held := list(held)):
                digest.update(parts[part])
            if digest.digest() != hashlib.sha256(paths[file].read_bytes()).digest():
                raise DataError(
                    f"{file} of {name} does not hold the parts {', '.join(f'S{p}' for p in held)} that "
                    "the test files of the other folds give: the archive mixes versions, so take the "
                    "official one."
                )
