"""The process of a job in which a method of others is fitted, and ended with its children at its limits.

Only a process can be ended whatever it does: a program that sleeps, or compiled code that does not return. A
job has one such process for all its fits, so that only the first of them imports and compiles.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from reproduction.fitting.model_server import (
    FITTED_ATTRIBUTES,
    ArrayName,
    receive_message,
    send_message,
    serve_models,
)
from reproduction.fitting.process_tree import end_tree, read_tree_usage
from toprank.problems.rows import SelectedRows

if TYPE_CHECKING:
    from typing import Any, Self

    from reproduction.fitting.feature_scaling import Rows
    from reproduction.fitting.model_server import ModelBuilder

WALL_CLOCK_FACTOR = 4
"""A fit may take so many times its limit by the clock: a job that shares its core waits as well."""

MIN_POLL_SECONDS, MAX_POLL_SECONDS = 0.05, 0.5
"""Seconds between two looks at the clock and the memory, of short fits and of long ones."""

MIN_IMPORT_SECONDS = 120
"""Processor time that the import of a method's package may take, before its first fit, if that is longer."""


class LimitError(RuntimeError):
    """A fit took more than it may, and its process was ended; the message is one sentence."""


class JobProcess:
    """The process in which the models of a method live.

    Parameters
    ----------
    method : ModelBuilder
        Builds the models.
    seconds : float
        Processor time of a fit, or of scoring rows, with all processes that it starts. By the clock it may
        take `WALL_CLOCK_FACTOR` times as long.
    memory_mb : float, optional
        Megabytes of the process and all that it starts, together.

    Attributes
    ----------
    reason : str
        Why it was ended, after which no other fit is tried; empty before.
    is_too_slow : bool
        Whether it was ended since a fit took too much processor time.
    """

    def __init__(self, method: ModelBuilder, seconds: float, memory_mb: float | None = None) -> None:
        self.method, self.seconds, self.memory_mb = method, seconds, memory_mb
        self.reason, self.is_too_slow = "", False
        self.released: list[int] = []
        self._pid, self._n_models, self._n_arrays, self._sent = 0, 0, 0, {}

    def ask(self, action: str, *arguments: Any, score_rows: tuple = (), keep: bool = False) -> Any:
        """Have the process do something; return its answer.

        Parameters
        ----------
        action : str
            Name of a method of `ModelServer`.
        *arguments : Any
            Arguments of the action; arrays among them are sent once and then named.
        score_rows : tuple of pairs, optional
            Parts that are scored and their queries; sent likewise.
        keep : bool, optional
            Whether the process keeps these arrays, and forgets all others.

        Returns
        -------
        Any
            Whatever the action returns.

        Raises
        ------
        LimitError
            If the process was ended.
        RuntimeError
            Of a class with the name of the original error, if the action raised.
        """
        # after one fit at a limit, the others of this job would end there as well
        if self.reason:
            raise LimitError(f"{self.reason} (in an earlier fit of this job, after which none is tried)")
        is_new = not self._pid
        if is_new:
            self._start()
        # the first answer comes after the import of the method's package, which has a limit of its own
        try:
            if is_new:
                self._wait_for_answer(max(self.seconds, MIN_IMPORT_SECONDS))
                receive_message(self._pipe)
            request, arrays = self._encode(action, arguments, score_rows, keep)
            send_message(self._pipe, (request, arrays))
            self._wait_for_answer(self.seconds)
            kind, answer, unconverged = receive_message(self._pipe)
        except (EOFError, OSError):
            self._end(f"the process of the method {self._describe_exit()}")
            raise LimitError(self.reason) from None
        except BaseException as error:  # what interrupts a job ends its processes
            self._end(str(error) or type(error).__name__)
            raise
        for text in unconverged:
            from sklearn.exceptions import ConvergenceWarning

            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        # the class of the error exists in the other process only: its name is kept
        if kind == "error":
            name, text = answer
            raise type(name, (RuntimeError,), {})(text)
        return answer

    def close(self) -> None:
        """End the process, and whatever a program left running."""
        if self._pid:
            self._end("the job is done")

    def new_model(self) -> int:
        """Return a number for another model.

        Returns
        -------
        int
        """
        self._n_models += 1
        return self._n_models

    def _start(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # otherwise the child has what is not yet written, too
        self._pipe, child_pipe = Pipe()
        # the process holds the read end of this pipe, and the job alone the write end: it closes with the job
        read_end, self._write_end = os.pipe()
        with warnings.catch_warnings():
            # a job runs nothing of its method before, so no threads of OpenMP, which a child would wait for.
            # Python 3.12 warns if there are threads: the child runs nothing that they hold
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if not self._pid:
            self._pipe.close()
            os.close(self._write_end)
            serve_models(replace(self.method, process=None), child_pipe, read_end)
        child_pipe.close()
        os.close(read_end)

    def _encode(self, action: str, arguments: tuple, score_rows: tuple, keep: bool) -> tuple[tuple, dict]:
        """Replace arrays by names; returns the request, and the arrays that the process does not have."""
        sent, arrays = {}, {}

        def name(value: Any) -> Any:
            if not isinstance(value, np.ndarray | SelectedRows) and not sp.issparse(value):
                return value
            # arrays that the process keeps from the last request are named, not sent
            if id(value) not in sent:
                if id(value) in self._sent:
                    sent[id(value)] = self._sent[id(value)]
                else:
                    self._n_arrays += 1
                    sent[id(value)] = ArrayName(self._n_arrays), value
                    # rows of a memory map become an array here, as for any method of others
                    arrays[self._n_arrays] = np.asarray(value) if isinstance(value, SelectedRows) else value
            return sent[id(value)][0]

        arguments = [name(value) for value in arguments]
        # pairs of rows to score and their queries
        score_rows = tuple(tuple(map(name, pair)) for pair in score_rows)
        if keep:
            self._sent = sent  # with the arrays, so that no other one gets the id of one of these
        released, self.released = self.released, []
        return (action, arguments, score_rows, keep, released), arrays

    def _wait_for_answer(self, seconds: float) -> None:
        """Wait for the answer, or end the process at its limits."""
        import psutil  # late: only jobs with methods of others need it

        # processor time counts, read from the tree of processes; the clock is the second limit
        process, start, wait = psutil.Process(self._pid), monotonic(), MIN_POLL_SECONDS
        earlier_seconds = None
        while not self._pipe.poll(wait):
            seconds_used, memory_mb = read_tree_usage(process, self.memory_mb)
            # Processor time of the tree before this request does not count against it.
            earlier_seconds = seconds_used if earlier_seconds is None else earlier_seconds
            # Short fits are looked at often; for long ones, reading the tree of processes twice a second
            # costs nothing.
            wait = min(2 * wait, MAX_POLL_SECONDS)
            raises = "limits.seconds of the study raises the limit"
            if seconds_used - earlier_seconds > seconds:
                self.is_too_slow = True
                reason = f"a fit took more than the limit of {seconds:g} s ({raises})"
            elif monotonic() - start > WALL_CLOCK_FACTOR * seconds:
                reason = (
                    f"a fit did not end within {WALL_CLOCK_FACTOR * seconds:g} s by the clock, "
                    f"{WALL_CLOCK_FACTOR} times the limit of {seconds:g} s of processor time ({raises})"
                )
            elif self.memory_mb and memory_mb > self.memory_mb:
                reason = (
                    f"a fit took {memory_mb:.0f} MB, more than the {self.memory_mb:g} MB of its job "
                    "(resources: mem_mb=... in the method's rule raises the limit)"
                )
            else:
                continue
            raise LimitError(reason)

    def _describe_exit(self) -> str:
        with suppress(ChildProcessError):
            _, status = os.waitpid(self._pid, 0)
            code = os.waitstatus_to_exitcode(status)
            return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        return "ended by itself"

    def _end(self, reason: str) -> None:
        self.reason = reason
        self._pipe.close()
        end_tree(self._pid)
        os.close(self._write_end)
        self._pid = 0


class RemoteModel:
    """A model in the process of a job, with the interface of an estimator; attributes come with the fit.

    Parameters
    ----------
    process : JobProcess
    score_rows : tuple of pairs
        Parts that are scored after each fit, and their queries.
    params : dict
        Parameters of the estimator.
    """

    def __init__(self, process: JobProcess, score_rows: tuple, params: dict) -> None:
        self._process, self._score_rows, self._params = process, score_rows, params
        self._number = process.new_model()

    def set_params(self, **params: Any) -> Self:
        """Set parameters before the next fit.

        Parameters
        ----------
        **params : dict
            Parameters of the estimator.

        Returns
        -------
        Self
            The model itself.
        """
        self._params = self._params | params
        return self

    def fit(self, X: Rows, y: np.ndarray, qid: np.ndarray | None = None) -> Self:
        """Fit the model in its process.

        Parameters
        ----------
        X : ndarray, csr_array or SelectedRows of shape (n_rows, n_features)
            Training rows.
        y : ndarray of shape (n_rows,)
            Labels or grades.
        qid : ndarray of shape (n_rows,), optional
            Query of each row.

        Returns
        -------
        Self
            The model itself, with those of `FITTED_ATTRIBUTES` that the fit gives.

        Raises
        ------
        LimitError
            If the fit took more than it may, and its process was ended.
        """
        rows = X, y, qid
        attributes = self._process.ask(
            "fit", self._number, self._params, *rows, score_rows=self._score_rows, keep=True
        )
        for name in FITTED_ATTRIBUTES:
            vars(self).pop(name, None)
        vars(self).update(attributes)
        return self

    def decision_function(self, X: Rows) -> np.ndarray:
        """Score rows by whatever the model ranks with.

        Parameters
        ----------
        X : ndarray, csr_array or SelectedRows of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores; larger ones rank higher.
        """
        return self._process.ask("score", self._number, X)

    def __deepcopy__(self, memo: dict) -> RemoteModel:
        # a copy of the model stays in the process: only its number comes back
        copied = RemoteModel(self._process, self._score_rows, self._params)
        vars(copied).update({name: vars(self)[name] for name in FITTED_ATTRIBUTES if name in vars(self)})
        self._process.ask("copy", self._number, copied._number)
        return copied

    def __del__(self) -> None:
        self._process.released.append(self._number)
