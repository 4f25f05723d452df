"""What runs in the process of a job: a server of the models, and the messages between it and the job.

`reproduction.fitting.fit_process.JobProcess` starts it by `serve_models` and asks it by messages.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import warnings
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import numpy as np

from reproduction.fitting.process_tree import end_with_parent
from toprank.estimators.warning_context import skip_zero_warnings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from multiprocessing.connection import Connection
    from typing import Any

    from reproduction.fitting.feature_scaling import Rows

FITTED_ATTRIBUTES = ("seconds_", "n_iter_", "coef_", "certificate_")
"""What the row of a fit takes from a model."""


class ModelBuilder(Protocol):
    """What the server asks of a method: `reproduction.fitting.method.Method` without a process."""

    def build(self, **params: Any) -> Any:
        """Return an unfitted estimator.

        Parameters
        ----------
        **params
            Parameters of the fit.

        Returns
        -------
        estimator
        """

    def resolve(
        self, points: list[dict], X: Rows, y: np.ndarray, qid: np.ndarray | None = None
    ) -> list[dict]:
        """Add to each point with a share the regularisation that it means on these rows.

        Parameters
        ----------
        points : list[dict]
            Points of a grid.
        X : ndarray or csr_array
            Training rows.
        y : ndarray
            Labels or grades.
        qid : ndarray, optional
            Query of each row.

        Returns
        -------
        list[dict]
            The points with their regularisation.
        """


class ArrayName(int):
    """The name of an array that was sent."""


class ModelServer:
    """The models in the process, by number, and what they are asked.

    Parameters
    ----------
    method : ModelBuilder
        Builds the estimators.
    """

    def __init__(self, method: ModelBuilder) -> None:
        self.method, self.models, self.arrays = method, {}, {}

    def run_action(self, request: tuple, arrays: dict) -> tuple[str, Any, list[str]]:
        """Run an action on the models.

        Parameters
        ----------
        request : tuple
            Action, arguments, score_rows, keep, and numbers of models to forget; see `JobProcess._encode`.
        arrays : dict of int to array
            Arrays that the process did not have yet, by number.

        Returns
        -------
        kind : {"answer", "error"
            }: Whether the action raised.
        answer : Any
            What the action returned, or the name and text of its error.
        unconverged : list of str
            Messages of convergence warnings.
        """
        action, arguments, score_rows, keep, released = request
        arrays_by_name = self.arrays | arrays
        # models that the job has dropped
        for number in released:
            self.models.pop(number, None)
        # record warnings of fits only: warnings during import or scoring do not concern convergence
        with warnings.catch_warnings(record=action == "fit") as caught_warnings, skip_zero_warnings():
            try:
                if action == "fit":
                    warnings.simplefilter("always")
                method = replace(
                    self.method, score_rows=tuple(_insert_arrays(pair, arrays_by_name) for pair in score_rows)
                )
                answer = "answer", getattr(self, action)(method, *_insert_arrays(arguments, arrays_by_name))
            except Exception as error:  # the row of the fit has it
                answer = "error", (type(error).__name__, str(error))
        # names and arrays of this request replace the names and arrays of the previous request
        if keep:
            names = (*arguments, *(name for pair in score_rows for name in pair))
            self.arrays = {name: arrays_by_name[name] for name in names if isinstance(name, ArrayName)}
        return *answer, _convergence_messages(caught_warnings or ())

    @staticmethod
    def resolve(
        method: ModelBuilder, points: list[dict], X: Rows, y: np.ndarray, qid: np.ndarray | None
    ) -> list[dict]:
        """Resolve the shares of a grid, see `ModelBuilder.resolve`.

        Parameters
        ----------
        method : ModelBuilder
            Method without a process.
        points : list[dict]
            Points of a grid.
        X : ndarray or csr_array
            Training rows.
        y : ndarray
            Labels or grades.
        qid : ndarray or None
            Query of each row.

        Returns
        -------
        list[dict]
            The points with their regularisation.
        """
        return method.resolve(points, X, y, qid)

    def fit(
        self, method: ModelBuilder, number: int, params: dict, X: Rows, y: np.ndarray, qid: np.ndarray | None
    ) -> dict[str, Any]:
        """Fit a model, a new one where none has this number.

        Parameters
        ----------
        method : ModelBuilder
            Method without a process.
        number : int
            Number of the model.
        params : dict
            Parameters of the fit.
        X : ndarray or csr_array
            Training rows.
        y : ndarray
            Labels or grades.
        qid : ndarray or None
            Query of each row.

        Returns
        -------
        dict[str, Any]
            Those of `FITTED_ATTRIBUTES` that the model has, with the seconds of the fit.
        """
        model = self.models.get(number)
        model = method.build(**params) if model is None else model.set_params(**params)
        self.models[number] = model
        start = perf_counter()
        model.fit(X, y, qid)
        attributes = {"seconds_": perf_counter() - start}
        return attributes | {name: getattr(model, name) for name in FITTED_ATTRIBUTES if hasattr(model, name)}

    def score(self, _: ModelBuilder, number: int, X: Rows) -> np.ndarray:
        """Score rows with a fitted model.

        Parameters
        ----------
        _ : ModelBuilder
            Not used.
        number : int
            Number of the model.
        X : ndarray or csr_array
            Feature rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores; larger ones rank higher.
        """
        return np.asarray(self.models[number].decision_function(X))

    def copy(self, _: ModelBuilder, number: int, target: int) -> None:
        """Keep a deep copy of a model under another number.

        Parameters
        ----------
        _ : ModelBuilder
            Not used.
        number : int
            Number of the model.
        target : int
            Number of its copy.
        """
        self.models[target] = deepcopy(self.models[number])


def _insert_arrays(values: Iterable, arrays: dict) -> tuple:
    return tuple(arrays[value] if isinstance(value, ArrayName) else value for value in values)


def _convergence_messages(caught_warnings: Iterable[warnings.WarningMessage]) -> list[str]:
    from sklearn.exceptions import ConvergenceWarning

    return [
        str(warning.message)
        for warning in caught_warnings
        if issubclass(warning.category, ConvergenceWarning)
    ]


def serve_models(method: ModelBuilder, pipe: Connection, read_end: int) -> None:
    """Answer until the job closes the pipe. Never returns: nothing of the job is run twice.

    Parameters
    ----------
    method : ModelBuilder
        Builds the estimators.
    pipe : Connection
        Connection to the job.
    read_end : int
        File descriptor of the read end of a pipe whose only write end the job holds.
    """
    try:
        # A session and group of its own: the whole group can be ended without the job.
        os.setsid()
        # the job's own handlers of these signals are not the child's
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPROF):
            signal.signal(name, signal.SIG_DFL)
        end_with_parent(read_end)
        with suppress(Exception):  # the fits meet the same error, and report it
            method.build()
        send_message(pipe, ("answer", None, []))
        models = ModelServer(method)
        with suppress(EOFError, OSError):
            while True:
                request, arrays = receive_message(pipe)
                send_message(pipe, models.run_action(request, arrays))
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    finally:
        os._exit(0)


def send_message(pipe: Connection, message: Any) -> None:
    """Send a message, arrays without a copy of them: buffers out of band, PEP 574.

    Parameters
    ----------
    pipe : Connection
        Connection to the other process.
    message : Any
        Any object that pickle can write.
    """
    buffers = []
    body = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    # Sizes first, so that the receiver allocates each buffer once and reads into it.
    views = [buffer.raw() for buffer in buffers]
    # sizes and pickled body in one message, then each buffer as it lies in memory
    pipe.send(([view.nbytes for view in views], body))
    for view in views:
        pipe.send_bytes(view)


def receive_message(pipe: Connection) -> Any:
    """Receive a message with its arrays, see `send_message`.

    Parameters
    ----------
    pipe : Connection
        End of the pipe of this process.

    Returns
    -------
    Any
        The message.
    """
    sizes, body = pipe.recv()
    buffers = [bytearray(size) for size in sizes]
    for buffer in buffers:
        if buffer:
            pipe.recv_bytes_into(buffer)
        else:
            pipe.recv_bytes()
    return pickle.loads(body, buffers=buffers)
