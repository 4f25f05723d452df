"""One split of one data set, for measurements beside the fits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction.core.atomic_io import read_manifest
from reproduction.datasets.prepared_data import load_prepared
from reproduction.splits.splits import Splits
from toprank.problems.rows import take_rows

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp

    from reproduction.datasets.prepared_data import PreparedDataSet


@dataclass(frozen=True)
class SplitData:
    """Read one split of a prepared data set when it is asked for.

    Attributes
    ----------
    dataset : str
        Name in the registry.
    split : int
        Number of the split.
    manifest, arrays, splits : str or Path
        Files of the prepared data set and of its splits.
    """

    dataset: str
    split: int
    manifest: str | Path
    arrays: str | Path
    splits: str | Path

    @cached_property
    def missing_data(self) -> dict[str, str]:
        """Return status and message of a data set that was not obtained; empty where it is there."""
        manifest = read_manifest(self.manifest)
        if manifest["status"] != "not obtained":
            return {}
        return {"status": "not obtained", "message": manifest["reason"]}

    @cached_property
    def data(self) -> PreparedDataSet:
        """Return the whole data set."""
        return load_prepared(Path(self.arrays).parent)

    @cached_property
    def _splits(self) -> Splits:
        """Read the splits of the data set."""
        return Splits.load(self.splits)

    def train(self) -> tuple[np.ndarray | sp.csr_array, np.ndarray]:
        """Return rows and labels of the training part.

        Returns
        -------
        X : ndarray or csr_array of shape (n, d)
        y : ndarray of shape (n,)
        """
        return self._take_part(self._splits.train(self.split))

    def test(self) -> tuple[np.ndarray | sp.csr_array, np.ndarray]:
        """Return rows and labels of the test part.

        Returns
        -------
        X : ndarray or csr_array of shape (n, d)
        y : ndarray of shape (n,)
        """
        return self._take_part(self._splits.test(self.split))

    def train_queries(self) -> tuple[np.ndarray | sp.csr_array, np.ndarray, np.ndarray]:
        """Return rows, labels and queries of the training part of a data set that comes in folds.

        Returns
        -------
        X : ndarray or csr_array of shape (n, d)
        y, qid : ndarray of shape (n,)
        """
        # LETOR's folds have exactly one validation part: unpacking fails where a data set has inner folds.
        # `train` are S_K to S_K+2, without it.
        ((_, train, _),) = self._splits.folds(self.split)
        return self.data.X[train], self.data.y[train], self.data.qid[train]

    def _take_part(self, rows: np.ndarray) -> tuple[np.ndarray | sp.csr_array, np.ndarray]:
        """Return features and labels of some rows, given by a mask."""
        return take_rows(self.data.X, rows), self.data.y[rows]
