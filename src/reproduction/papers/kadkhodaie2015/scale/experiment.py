"""Cost and memory of top ranking against the number of rows, up to the size of epsilon (K15, section 5).

Each fit has a process of its own, so that its peak of resident memory is its own, on a generated set that is
mapped from a file. The memory bandwidth is measured in the same process and at the same time. After each of
the first iterations a BLAS product of all rows with a vector reads the file once, and the clock of the solver
stands still. The file is in the page cache: what is measured is memory and not the disk.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from reproduction.core.seeds import derive_seed
from reproduction.fitting.fit_rows import suppress_convergence_warnings, warm_up
from reproduction.fitting.method import Method
from toprank.estimators.top_push import TopPush

if TYPE_CHECKING:
    from toprank.problems.top import TopRanking
    from toprank.solvers.monitor import Solution, Step

COST_COLUMNS = (
    *("solver", "rows", "features", "gigabytes", "setup_seconds", "seconds_per_iteration"),
    *("pass_seconds", "gigabytes_per_second", "ratio_to_two_passes"),
    *("seconds", "n_iter", "status", "objective", "relative_gap", "peak_resident_mb"),
)
ADMM_VARIANTS = ("admm", "a2dm2", "a2dm2_restart")
SOLVER_PARAMETERS = {
    "toppush": {"solver": "dual", "solver__stop": "published"},
    **{name: {"solver": name.replace("_", "-")} for name in ADMM_VARIANTS},
    "exact": {"solver": "exact"},
}
"""TopPush and the ADMM family to their published stop, the exact solver to a relative gap of 1e-8."""

ROWS_PER_CHUNK = 4096
"""Rows that are drawn at a time: a set larger than the memory can be written."""

#: Features that separate the classes, and by how many of their standard deviations.
N_SHIFTED_FEATURES, MEAN_SHIFT = 20, 1.0


def write_dataset(folder: str | Path, rows: int, features: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Write a set like epsilon: two overlapping Gaussian classes, dense, float32, rows of length one.

    Half of the rows are positive, in random order. Feature j has the deviation j^(-1/2), as correlated
    features have in the basis of their principal components. The means of the first `N_SHIFTED_FEATURES`
    differ by `MEAN_SHIFT` deviations.

    Parameters
    ----------
    folder : path
        Where ``X.npy`` is written.
    rows, features : int
    seed : int

    Returns
    -------
    X : memmap of shape (rows, features)
        Read-only.
    y : ndarray of shape (rows,)
        1 is positive, 0 negative.

    Raises
    ------
    OSError
        If the disk has no room for the file.
    """
    size, free = 4 * rows * features, shutil.disk_usage(folder).free
    if size > free:
        raise OSError(
            f"a set of {rows} rows and {features} features needs {size / 1e9:.1f} GB below {folder}, where "
            f"{free / 1e9:.1f} GB are free; let TMPDIR name a larger disk, or take fewer rows"
        )
    random = np.random.default_rng(seed)
    # balanced labels, in random order
    y = random.permutation(np.arange(rows) % 2)
    # Standard deviations j^(−1/2): a spectrum that decays, so that the problem is not well conditioned.
    deviation = (np.arange(1, features + 1) ** -0.5).astype(np.float32)
    offset = np.where(np.arange(features) < N_SHIFTED_FEATURES, 0.5 * MEAN_SHIFT, 0.0).astype(np.float32)
    file = Path(folder, "X.npy")
    X = np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=(rows, features))
    for start in range(0, rows, ROWS_PER_CHUNK):
        signs = np.where(y[start : start + ROWS_PER_CHUNK] == 1, 1.0, -1.0).astype(np.float32)
        chunk = random.standard_normal((signs.size, features), dtype=np.float32)
        chunk += signs[:, None] * offset
        chunk *= deviation
        # unit length, as the rows of epsilon have
        chunk /= np.linalg.norm(chunk, axis=1, keepdims=True)
        X[start : start + ROWS_PER_CHUNK] = chunk
    X.flush()
    return np.load(file, mmap_mode="r"), y


def measure_costs(
    rows: int,
    features: int,
    alpha: float,
    rho: float,
    iterations: int,
    time_limits: Mapping[str, float],
    seed: int,
) -> Iterator[dict]:
    """Measure the cost of each solver on one generated set.

    Parameters
    ----------
    rows, features : int
        Size of the set.
    alpha : float
        Weight of the ridge.
    rho : float
        Penalty of the augmented Lagrangian (ADMM family).
    iterations : int
        The cost of an iteration is the median time of so many after the first one, or of those that the fit
        had.
    time_limits : mapping of str to float
        Key of `SOLVER_PARAMETERS` -> seconds after which its fit is stopped.
    seed : int
        Master seed.

    Yields
    ------
    dict
        With the keys `COST_COLUMNS`.

    Raises
    ------
    RuntimeError
        If a fit failed.
    """
    with TemporaryDirectory(prefix="toprank-") as folder:
        X, y = write_dataset(folder, rows, features, derive_seed(seed, rows, features, "scale"))
        np.save(Path(folder, "y.npy"), y)
        del X  # the parent holds no page of it
        for solver, seconds in time_limits.items():
            parameters = {**SOLVER_PARAMETERS[solver], "alpha": alpha, "time_limit": seconds}
            if solver in ADMM_VARIANTS:
                parameters["solver__rho"] = rho
            task = {"folder": folder, "parameters": parameters, "iterations": iterations}
            yield {"solver": solver, **_measure_in_subprocess(task)}


def _measure_in_subprocess(task: Mapping) -> dict:
    """Run `measure_fit` in a process of its own, so that its peak of resident memory is its own."""
    package_root = str(Path(__file__).resolve().parents[3])
    python_path = os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))
    process = subprocess.run(
        [sys.executable, "-m", "reproduction.papers.kadkhodaie2015.scale.experiment"],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": python_path},
        check=False,
    )
    if process.returncode:
        error_lines = process.stderr.strip().splitlines() or [f"the process ended with {process.returncode}"]
        raise RuntimeError(f"{task['parameters']['solver']} on {task['folder']}: {error_lines[-1]}")
    return json.loads(process.stdout.splitlines()[-1])


class _TimedTopPush(TopPush):
    """TopPush that records when its iterations ended, and reads all rows after each of the first ones."""

    def timed_fit(self, X: np.ndarray, y: np.ndarray, iterations: int) -> float:
        """Fit, and return the seconds without what the clock itself took.

        Parameters
        ----------
        X : ndarray of shape (n, d)
        y : ndarray of shape (n,)
        iterations : int
            After each of so many first iterations all rows are read, to measure the bandwidth.

        Returns
        -------
        float
        """
        self.timed_rows, self.iterations = X, iterations
        self.iteration_ends, self.pass_times, self.solve_start, self.last_callback_end = [], [], 0.0, 0.0
        with suppress_convergence_warnings():
            started = perf_counter()
            self.fit(X, y)
            seconds = perf_counter() - started
        # wall time, less what only the clock needs: the solve metrics its own time without the callbacks
        if not self.iteration_ends:
            return seconds
        return seconds - (self.last_callback_end - self.solve_start - self.iteration_ends[-1])

    def _solve(self, problem: TopRanking, solver: object, **more) -> Solution:
        self.solve_start = perf_counter()
        return super()._solve(problem, solver, **more)

    def _callback(self, step: Step) -> None:
        self.iteration_ends.append(step.seconds)
        if len(self.pass_times) < self.iterations:
            self.pass_times.append(_pass_seconds(self.timed_rows))
        self.last_callback_end = perf_counter()


def measure_fit(folder: str | Path, parameters: Mapping, iterations: int) -> dict:
    """Fit once to the set in a folder, and measure the memory bandwidth between the first iterations.

    Parameters
    ----------
    folder : path
        With the files ``X.npy`` and ``y.npy`` of `measure_costs`.
    parameters : mapping
        Of `TopPush`.
    iterations : int
        See `measure_costs`.

    Returns
    -------
    dict
        With the keys `COST_COLUMNS` but the solver. ``seconds`` are for the whole fit; what the clock needs
        for itself (the dual residual of every iteration) is not counted.
    """
    X, y = np.load(Path(folder, "X.npy"), mmap_mode="r"), np.load(Path(folder, "y.npy"))
    # without the limit: compiling may take longer, and would go on in the fit
    warm_up(Method("toprank.TopPush", {**parameters, "time_limit": None}), X, "raw")
    _pass_seconds(X)  # brings the file into the page cache
    model = _TimedTopPush().set_params(**parameters)
    seconds = model.timed_fit(X, y, iterations)
    iteration_ends = model.iteration_ends
    # Medians: other processes on the machine only ever lengthen a single time.
    pass_seconds = float(np.median(model.pass_times or [_pass_seconds(X)]))
    iteration_times = np.diff(iteration_ends)[:iterations]
    seconds_per_iteration = float(np.median(iteration_times)) if iteration_times.size else None
    certificate = model.certificate_
    return {
        "rows": X.shape[0],
        "features": X.shape[1],
        "gigabytes": X.nbytes / 1e9,
        # the first iteration comes with the Gram matrix and its factor, or with the search for a first step;
        # the limit may end the fit before it
        "setup_seconds": float(iteration_ends[0] - (seconds_per_iteration or 0.0))
        if iteration_ends
        else None,
        "seconds_per_iteration": seconds_per_iteration,
        "pass_seconds": pass_seconds,
        "gigabytes_per_second": X.nbytes / 1e9 / pass_seconds,
        "ratio_to_two_passes": seconds_per_iteration and seconds_per_iteration / (2.0 * pass_seconds),
        "seconds": seconds,
        "n_iter": model.n_iter_,
        "status": certificate.status,
        "objective": certificate.objective,
        "relative_gap": certificate.relative_gap,
        "peak_resident_mb": peak_resident_mb(),
    }


def _pass_seconds(X: np.ndarray) -> float:
    """Measure the seconds of a product that reads all rows once."""
    w = np.ones(X.shape[1], dtype=X.dtype)
    started = perf_counter()
    X @ w
    return perf_counter() - started


def peak_resident_mb() -> float | None:
    """Return the largest resident memory of this process so far, with the pages of mapped files.

    Returns
    -------
    float or None
        Megabytes; None but on Linux.
    """
    status = Path("/proc/self/status")
    if not status.is_file():
        return None
    (peak,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    # VmHWM is given in kB and counts the pages of mapped files.
    return int(peak.split()[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(measure_fit(**json.load(sys.stdin))))


def run_experiment(settings: Mapping, *, seed: int, **_) -> Iterator[tuple[str, dict]]:
    """Measure cost and memory of each solver on one generated set.

    Parameters
    ----------
    settings : mapping
        Arguments of `measure_costs` but the seed.
    seed : int
        Master seed.

    Yields
    ------
    table : {"scale"}
    row : dict
        With the keys `COST_COLUMNS`.
    """
    yield from (("scale", row) for row in measure_costs(**settings, seed=seed))
