"""A method that is a program of any language: it reads the rows of a fold as files and writes scores.

docs/add_a_method.md describes what a program is given and what it has to write.
"""

from __future__ import annotations

import shlex
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from reproduction.datasets.table import name_arrays
from reproduction.fitting.sklearn_adapter import group_rows_by_query, use_int32_indices

if TYPE_CHECKING:
    from typing import Any, Self

    from reproduction.fitting.feature_scaling import Rows

INPUT_FILES = {"train": "train.svm", "test": "test.svm", "train_npz": "train.npz", "test_npz": "test.npz"}
"""What a command may read -> how the file is called."""

OUTPUT_FILES = {"scores": "scores.txt", "weights": "weights.txt"}
"""What it may write, likewise."""


BRACE_HINT = "a brace of the program itself must be written twice: {{ and }}"


class ProgramError(RuntimeError):
    """A program breaks its contract; the message is one sentence."""


class ExternalProgram:
    """A program that is trained and scores rows in one call, with the interface of an estimator.

    Parameters
    ----------
    shell : str
        The command. Names in braces stand for files, the folder of the job, the number of features, or
        parameters.
    setup : str
        A command that is run once a job, say a compiler.
    **params : number or str
        Parameters of the fit.

    Attributes
    ----------
    score_rows : tuple
        Pairs of rows that shall be scored and their queries or None, which are known before the fit.
    seconds_ : float
        Of the command, which learns and scores, without writing the files of the fold.
    coef_ : ndarray of shape (n_features,)
        There if the command wrote a file of weights.
    """

    def __init__(self, shell: str, setup: str = "", **params: Any) -> None:
        self.shell, self.setup, self.params, self.score_rows = shell, setup, params, ()

    def fit(self, X: Rows, y: np.ndarray, qid: np.ndarray | None = None) -> Self:
        """Run the program: it learns from these rows, and scores those in ``score_rows``.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            Training rows.
        y : ndarray of shape (n_rows,)
            Labels or grades.
        qid : ndarray of shape (n_rows,), optional
            Query of each row.

        Returns
        -------
        Self
            The fitted program.

        Raises
        ------
        ProgramError
            If the command fails, or does not write one finite score a row.
        """
        score_rows, self._n_features = self.score_rows or ((X, qid),), X.shape[1]
        if self.setup:
            _set_up(self._fill_in(self.setup))
        folder = _folder()
        for name in OUTPUT_FILES.values():
            (folder / name).unlink(missing_ok=True)
        _PROGRAM_FILES.write(self.shell, X, y, qid, score_rows)
        command, start = self._fill_in(self.shell), perf_counter()
        _run(command)
        self.seconds_ = perf_counter() - start
        lengths = [part.shape[0] for part, _ in score_rows]
        scores = np.empty(sum(lengths))
        # The program had the rows query by query: its scores are put back in the order of the caller.
        scores[_PROGRAM_FILES.order] = self._read("scores", scores.size)
        self._scores = list(zip(score_rows, np.split(scores, np.cumsum(lengths)[:-1]), strict=True))
        if (folder / OUTPUT_FILES["weights"]).is_file():
            self.coef_ = self._read("weights", X.shape[1])
        return self

    def decision_function(self, X: Rows) -> np.ndarray:
        """Return the scores that the program gave these rows, which it knew at its fit.

        Parameters
        ----------
        X : the same array object as in ``score_rows``
            Rows that were given to the fit.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores; larger ones rank higher.

        Raises
        ------
        ProgramError
            If these rows were not given to the fit.
        """
        for (part, _), scores in self._scores:
            if part is X:
                return scores
        raise ProgramError("a program scores only the rows that were given to its fit")

    def _fill_in(self, command: str) -> str:
        names = {
            name: shlex.quote(str(_folder() / file)) for name, file in (INPUT_FILES | OUTPUT_FILES).items()
        }
        values = self.params | {"folder": _folder(), "features": self._n_features}
        names |= {name: shlex.quote(str(value)) for name, value in values.items()}
        try:
            return command.format(**names)
        except KeyError as unknown:
            name, known_names = unknown.args[0], ", ".join(names)
            if name.isidentifier():
                raise ProgramError(f"the command names {{{name}}}, which is none of {known_names}") from None
            raise ProgramError(BRACE_HINT) from None
        except (IndexError, ValueError):
            raise ProgramError(BRACE_HINT) from None

    def _read(self, kind: str, length: int) -> np.ndarray:
        path = _folder() / OUTPUT_FILES[kind]
        if not path.is_file():
            raise ProgramError(f"the program wrote no {kind}: it must write the file {{{kind}}}")
        words = path.read_text(encoding="utf-8").split()
        try:
            numbers = np.array(words, dtype=float)
        except ValueError as error:
            raise ProgramError(f"the {kind} of the program are not all numbers: {error}") from None
        if numbers.size != length:
            raise ProgramError(f"the program wrote {numbers.size} {kind} instead of {length}")
        if not np.isfinite(numbers).all():
            row = np.argmin(np.isfinite(numbers))
            raise ProgramError(f"number {row} of the {kind} of the program is NaN or infinite")
        return numbers


class ProgramFiles:
    """The input files of the current fit, which are written again only for other rows."""

    def __init__(self):
        self.key, self.order, self.references = None, slice(None), ()

    def write(self, command: str, X: Rows, y: np.ndarray, qid: np.ndarray | None, score_rows: tuple) -> None:
        """Write the files that the command names, unless they hold these very arrays already.

        Parameters
        ----------
        command : str
            The command line with names in braces, before they are filled in.
        X : ndarray or csr_array of shape (n_rows, n_features)
            Training rows.
        y : ndarray of shape (n_rows,)
            Labels or grades of the training rows.
        qid : ndarray of shape (n_rows,) or None
            Query of each training row.
        score_rows : tuple of (rows, queries)
            Parts that are scored; their labels are written as 0.
        """
        file_names = tuple(name for name in INPUT_FILES if f"{{{name}}}" in command)
        array_ids = [id(array) for array in (X, y, qid, *(part for part, _ in score_rows))]
        # the same arrays, by identity: the files of the last fit serve as they are
        if self.key == (file_names, array_ids):
            return
        stack = sp.vstack if any(sp.issparse(part) for part, _ in score_rows) else np.vstack
        parts = {"train": (X, y, qid)}
        queries = None if qid is None else np.concatenate([query for _, query in score_rows])
        tested = stack([part if sp.issparse(part) else np.asarray(part) for part, _ in score_rows])
        # the labels of the rows that are scored stay hidden
        parts["test"] = (tested, np.zeros(tested.shape[0]), queries)
        for name, (rows, labels, queries) in parts.items():
            # documents of a query lie together, as svmlight readers expect; scores are put back by this order
            order, sizes = group_rows_by_query(queries, rows.shape[0])
            numbers = np.repeat(np.arange(1, sizes.size + 1), sizes)
            rows = use_int32_indices(rows.tocsr()[order]) if sp.issparse(rows) else np.asarray(rows)[order]
            if name in file_names:
                from sklearn.datasets import dump_svmlight_file  # late: not every program reads text

                path = str(_folder() / INPUT_FILES[name])
                dump_svmlight_file(rows, labels[order], path, zero_based=False, query_id=numbers)
            if f"{name}_npz" in file_names:
                path = _folder() / INPUT_FILES[f"{name}_npz"]
                np.savez(path, **name_arrays(rows), y=labels[order], qid=numbers)
        # references are kept, so that no other array gets the id of one of these
        self.key, self.order, self.references = (file_names, array_ids), order, (X, y, qid, score_rows)


_PROGRAM_FILES = ProgramFiles()


@cache
def _job_folder() -> TemporaryDirectory:
    return TemporaryDirectory(prefix="toprank-program-")


def _folder() -> Path:
    return Path(_job_folder().name)


@cache
def _set_up(command: str) -> None:
    _run(command)


def _run(command: str) -> None:
    process = subprocess.run(
        # A failure anywhere in the command ends it, also within a pipe.
        ["bash", "-c", f"set -euo pipefail\n{command}"],
        stdin=subprocess.DEVNULL,  # one that reads it ends, and does not wait for a key
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    if process.returncode:
        output = (process.stderr.strip() or process.stdout.strip() or "no output").splitlines()
        raise ProgramError(f"the program ends with status {process.returncode}: {output[-1]}")
