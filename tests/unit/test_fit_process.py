"""The process in which methods of others are fitted: equal results, and an end with all that it started."""

import os
import signal
import subprocess
import sys
import time
from copy import deepcopy

import numpy as np
import psutil
import pytest
import scipy.sparse as sp
from ranking_data import gaussians, stack_classes
from threadpoolctl import threadpool_limits

from reproduction.fitting import (
    cross_validation as search,
)
from reproduction.fitting import (
    fit_process as job_process,
)
from reproduction.fitting import (
    multi_metric as measured_search,
)
from reproduction.fitting import (
    process_tree,
)
from reproduction.fitting.fit_process import LimitError
from reproduction.fitting.fit_rows import fit_once, predict_scores
from reproduction.fitting.method import STATUS_NOT_FEASIBLE, Method
from reproduction.splits.splits import draw_random_splits

PROGRAM = "reproduction.fitting.external_program.ExternalProgram"
LONG_ENOUGH_SECONDS = 60
"""Seconds that no fit of these tests takes."""
X, Y = stack_classes(*gaussians(m=40, n=60))
SLEEPS = "sleep 67 & echo $$ $! > {}; sleep 67"
"""A program that sleeps, and started another one that does."""


def unwatched(model, row):
    """Measure nothing after the fit."""


@pytest.fixture(autouse=True)
def single_thread():
    """One thread, as in a job: after several of OpenMP in this process a child of it would wait for ever."""
    import sklearn.ensemble  # noqa: F401  # only libraries that are loaded can be limited

    with threadpool_limits(1):
        yield


@pytest.fixture
def make_process_method():
    """Methods in processes that end with the test."""
    started = []

    def make_method(estimator, seconds=LONG_ENOUGH_SECONDS, memory_mb=None, **fixed):
        started.append(Method(estimator, fixed).with_process(seconds, memory_mb))
        return started[-1]

    yield make_method
    for method in started:
        method.process.close()


def is_running(pid):
    """Whether a process does anything: one that ended may be listed until its parent asks."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until(holds):
    """Wait for what another process does; the longest wait is a guard against a hang."""
    deadline = time.monotonic() + LONG_ENOUGH_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class Unreturning:
    """An estimator whose fit never returns: it sleeps, or works."""

    def __init__(self, kind="sleeps"):
        self.kind = kind

    def fit(self, X, y):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # it does not end when asked to
        while True:
            if self.kind == "sleeps":
                time.sleep(0.01)

    def predict(self, X):
        return X[:, 0]


class Crashing(Unreturning):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


class Large(Unreturning):
    def fit(self, X, y):
        self.rows = np.ones(100_000_000)
        time.sleep(67)


class Warm(Unreturning):
    """A model that goes on from its last fit."""

    def __init__(self, warm_start=True, step=1.0):
        self.warm_start, self.step, self.coef_ = warm_start, step, 0.0

    def set_params(self, step):
        self.step = step

    def alpha_max(self, X, y):
        return 8.0

    def fit(self, X, y):
        self.coef_ = self.coef_ + np.array([self.step])


GRIDS = {
    "reproduction.fitting.baselines.PointwiseLogistic": {"C": [1.0, 0.1]},
    "reproduction.fitting.baselines.PointwiseSVC": {"max_iter": [3, 1000]},  # the first does not converge
    "reproduction.fitting.baselines.RandomScorer": {
        "random_state": [1, 2]
    },  # scores of a call depend on the one before
    "reproduction.fitting.baselines.boosted_trees": {"max_iter": [5, 3]},
    "sklearn.linear_model.Ridge": {"alpha": [-1.0, 1.0]},  # the first raises
    "sklearn.linear_model.Lasso": {"wrong": [1.0]},
    PROGRAM: {"shell": ["awk '{{print NF}}' {test} > {scores}", "exit 3"]},
}


@pytest.mark.parametrize("estimator", GRIDS)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_results_are_those_without_a_process(estimator, kind, make_process_method):
    splits = draw_random_splits(Y.size, range(1), 1 / 3, 2, 7)
    fixed = {"random_state": 0} if estimator.endswith(("SVC", "trees")) else {}
    rows = []
    for method in (Method(estimator, fixed), make_process_method(estimator, **fixed)):
        method = Method(method.estimator, method.fixed, GRIDS[estimator], process=method.process)
        rows.append(search.CrossValidation(method, kind(X), Y, splits).run_split(0))
        for row in rows[-1]:
            row.pop("seconds", None)
    assert rows[0] == rows[1] and len(rows[0]) > 2


def test_a_warm_start_a_share_and_a_copy_are_those_of_the_model(make_process_method):
    method = make_process_method("test_fit_process.Warm", warm_start=True)
    assert method.resolve([{"share": 0.5}], X, Y) == [{"share": 0.5, "alpha": 4.0}]
    _, model = fit_once(method, {"step": 1.0}, X, Y, unwatched)
    before = deepcopy(model)
    _, refitted = fit_once(method, {"step": 2.0}, X, Y, unwatched, model=model)
    assert refitted is model and model.coef_ == 3.0 and before.coef_ == 1.0
    assert np.array_equal(predict_scores(before, X), X[:, 0])


@pytest.mark.parametrize(
    ("kind", "message"), [("sleeps", "did not end within"), ("works", "took more than the")]
)
def test_an_estimator_that_does_not_return_is_ended_and_no_other_fit_is_tried(
    kind, message, make_process_method, monkeypatch
):
    monkeypatch.setattr(process_tree, "GRACE_SECONDS", 0.1)
    if kind == "works":
        monkeypatch.setattr(job_process, "WALL_CLOCK_FACTOR", 1000)  # whatever else the machine does
    method = make_process_method("test_fit_process.Unreturning", 0.2, kind=kind)
    row, _ = fit_once(method, {}, X, Y, unwatched)
    assert row["status"] == "failed" and message in row["message"] and "limits.seconds" in row["message"]
    assert method.process.is_too_slow == (kind == "works")
    monkeypatch.setattr(method.process, "_start", None)
    row, _ = fit_once(method, {}, X, Y, unwatched)
    assert row["status"] == "failed" and "after which none is tried" in row["message"]


def test_a_program_is_ended_with_what_it_started(tmp_path, make_process_method):
    shell = SLEEPS.format(tmp_path / "pids")
    row, _ = fit_once(make_process_method(PROGRAM, 0.3, shell=shell), {}, X, Y, unwatched)
    assert row["status"] == "failed" and "by the clock" in row["message"]
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2 and not any(map(is_running, pids))


def test_what_ignores_the_first_signal_or_left_the_group_is_ended(tmp_path, make_process_method, monkeypatch):
    monkeypatch.setattr(process_tree, "GRACE_SECONDS", 0.1)
    shell = f"trap '' TERM; setsid sleep 67 & {SLEEPS.format(tmp_path / 'pids')}"
    fit_once(make_process_method(PROGRAM, 0.3, shell=shell), {}, X, Y, unwatched)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    wait_until(lambda: not any(map(is_running, pids)))
    assert not [
        process for process in psutil.process_iter(["cmdline"]) if process.info["cmdline"] == ["sleep", "67"]
    ]


def test_what_a_program_left_running_ends_with_the_job(tmp_path, make_process_method):
    scored = "awk '{{print 1}}' {test} > {scores}"
    shell = f"sleep 67 >{tmp_path}/out 2>&1 & echo $! > {tmp_path}/pids; {scored}"
    method = make_process_method(PROGRAM, shell=shell)
    row, _ = fit_once(method.with_score_rows(X), {}, X, Y, unwatched)
    pid = int((tmp_path / "pids").read_text())
    assert row["status"] == "fitted" and is_running(pid)
    method.process.close()
    wait_until(lambda: not is_running(pid))


def test_a_job_that_is_killed_leaves_no_program_behind(tmp_path):
    script = (
        "import numpy as np\nfrom reproduction.fitting.method import Method\n"
        f"method = Method({PROGRAM!r}, {{'shell': {SLEEPS.format(tmp_path / 'pids')!r}}}).with_process(600)\n"
        "method.build().fit(np.eye(4), np.arange(4) % 2)\n"
    )
    job = subprocess.Popen([sys.executable, "-c", script])
    path = tmp_path / "pids"
    wait_until(lambda: path.is_file() and path.read_text().endswith("\n"))
    job.kill()
    job.wait()
    wait_until(lambda: not any(is_running(int(pid)) for pid in path.read_text().split()))


def test_memory_has_a_limit(make_process_method):
    row, _ = fit_once(make_process_method("test_fit_process.Large", 5, memory_mb=600), {}, X, Y, unwatched)
    assert row["status"] == "failed" and "more than the 600 MB of its job" in row["message"]
    assert "resources: mem_mb" in row["message"]


def test_a_crash_is_a_failed_fit(make_process_method):
    row, _ = fit_once(make_process_method("test_fit_process.Crashing"), {}, X, Y, unwatched)
    assert row["status"] == "failed" and row["message"].endswith("ended by SIGKILL")


@pytest.mark.parametrize("pid", [0, 1, -1])
def test_only_a_child_is_ended(pid, monkeypatch):
    monkeypatch.setattr(os, "killpg", None)
    with pytest.raises(ValueError, match="is not a child"):
        process_tree.end_tree(pid)


def test_a_process_that_cannot_be_started_is_a_failed_fit(make_process_method, monkeypatch):
    def fork():
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(process_tree.os, "fork", fork)
    row, _ = fit_once(make_process_method("test_fit_process.Unreturning"), {}, X, Y, unwatched)
    assert row["status"] == "failed" and "no more processes" in row["message"]


def test_what_interrupts_a_job_ends_its_process(make_process_method, monkeypatch):
    method = make_process_method("test_fit_process.Unreturning")

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(process_tree, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(method.process, "_wait_for_answer", interrupt)
    with pytest.raises(KeyboardInterrupt):
        method.build().fit(X, Y)
    with pytest.raises(LimitError):
        method.build().fit(X, Y)


def test_a_method_too_slow_for_a_set_is_not_feasible_where_all_methods_have_a_limit(
    make_process_method, monkeypatch
):
    monkeypatch.setattr(process_tree, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(job_process, "WALL_CLOCK_FACTOR", 1000)
    method = make_process_method("test_fit_process.Unreturning", 0.2, kind="works")
    prepared = type("Prepared", (), {"X": X, "y": Y, "qid": None})
    splits = draw_random_splits(Y.size, 1, 1 / 3, 3, 0, "x")
    run = measured_search.make_split_runner(
        method, prepared, splits, "raw", {"candidates": None, "seconds": 0.2}
    )
    (row,) = run(0)
    assert row["status"] == STATUS_NOT_FEASIBLE and "the limit of 0.2 s" in row["message"]


def test_the_import_of_a_package_is_no_part_of_a_fit(tmp_path, make_process_method, monkeypatch):
    text = "import time\ntime.sleep(1.5)\nfrom sklearn.linear_model import Ridge\n"
    (tmp_path / "slowly_imported.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    row, _ = fit_once(make_process_method("slowly_imported.Ridge", 0.3), {}, X, Y, unwatched)
    assert "slowly_imported" not in sys.modules and row["status"] == "fitted", row["message"]
