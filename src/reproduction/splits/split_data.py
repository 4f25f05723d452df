"""One split of one data set, for measurements beside the fits."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reproduction.core.atomic_io import read_manifest
from reproduction.datasets.prepare import load_prepared
from reproduction.splits.splits import Splits
from toprank.problems.rows import take_rows


@dataclass(frozen=True)
class SplitData:
    """A split of a prepared data set, read when it is asked for."""

    dataset: str
    split: int
    manifest: str | Path
    arrays: str | Path
    splits: str | Path

    @cached_property
    def missing_data(self) -> dict[str, str]:
        """Status and message of a data set that was not obtained; empty where it is there."""
        manifest = read_manifest(self.manifest)
        if manifest["status"] != "not obtained":
            return {}
        return {"status": "not obtained", "message": manifest["reason"]}

    @cached_property
    def data(self):
        """The whole data set."""
        return load_prepared(Path(self.arrays).parent)

    @cached_property
    def _splits(self) -> Splits:
        return Splits.load(self.splits)

    def train(self):
        """Rows and labels of the training part."""
        return self._take_part(self._splits.train(self.split))

    def test(self):
        """Rows and labels of the test part."""
        return self._take_part(self._splits.test(self.split))

    def train_queries(self):
        """Rows, labels and queries of the training part of a data set that comes in folds."""
        ((_, train, _),) = self._splits.folds(self.split)
        return self.data.X[train], self.data.y[train], self.data.qid[train]

    def _take_part(self, rows):
        return take_rows(self.data.X, rows), self.data.y[rows]
