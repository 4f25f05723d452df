"""``verbose`` and ``callback``: what they see is in the units of the model, and neither changes a fit."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from test_pairwise import DATA, differences

from toprank import FenchelRank, FSMRank, RankSVM
from toprank.estimators.base import LinearRanker
from toprank.estimators.progress import make_observer
from toprank.solvers.monitor import Step

X, Y, QID = DATA["graded"]
MODELS = [
    RankSVM("l1", 0.02),
    RankSVM("l2", 0.02, query_weight="equal"),
    RankSVM("l1", 0.02, solver="fista"),
    RankSVM("mcp", 0.02),
    RankSVM("mcp", 0.02, solver="monotone-fista"),
    FenchelRank(2.0),
    FSMRank(0.01, 0.01),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def record(model, rows=X):
    """Fit a copy, and return it with its steps."""
    steps = []
    model = clone(model).set_params(callback=steps.append)
    return model.fit(rows, Y, QID), steps


@each_model
def test_a_callback_sees_the_units_of_the_certificate_and_changes_nothing(model):
    observed, steps = record(model)
    silent = clone(model).fit(X, Y, QID)
    assert np.array_equal(observed.coef_, silent.coef_) and observed.certificate_ == silent.certificate_
    assert steps and all(isinstance(step, Step) and step.w.shape == (X.shape[1],) for step in steps)
    certificate = observed.certificate_
    last_best = min(steps, key=lambda step: step.objective)
    assert last_best.objective == pytest.approx(certificate.objective, rel=1e-6)
    if certificate.lower_bound is not None:
        assert steps[-1].lower_bound == pytest.approx(certificate.lower_bound, rel=1e-9)
    if isinstance(model, RankSVM) and model.penalty == "l1":
        hinges = np.maximum(1 - differences(X, Y, QID) @ steps[0].w, 0)
        expected_objective = model.C * hinges @ hinges + np.abs(steps[0].w).sum()
        assert steps[0].objective == pytest.approx(expected_objective)


@pytest.mark.parametrize("solver", ["prox-newton", "monotone-fista"])
def test_wide_rows_are_rotated_and_the_callback_sees_weights_of_the_features(solver):
    rows = np.random.default_rng(0).normal(size=(Y.size, 150))
    model, steps = record(RankSVM("l2", 0.01, solver=solver), rows)
    assert {step.w.shape for step in steps} == {(150,)}
    best = min(steps, key=lambda step: step.objective)
    np.testing.assert_allclose(best.w, model.coef_, atol=1e-6)


@each_model
def test_a_callback_ends_the_fit(model):
    model = clone(model).set_params(callback=lambda step: True)
    with pytest.warns(UserWarning):  # without a certificate, or w = 0
        model.fit(X, Y, QID)
    assert model.certificate_.status == "stopped" and model.n_iter_ <= 1


@each_model
def test_a_line_for_each_step(model, capsys):
    _, steps = record(model)
    assert not capsys.readouterr().out
    clone(model).set_params(verbose=1).fit(X, Y, QID)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(steps)
    for line, step in zip(lines, steps, strict=True):
        assert line.startswith(f"{type(model).__name__} ")
        number, objective = re.search(r": iteration (\d+), objective (\S+)[,]", line).groups()
        assert int(number) == step.iteration and float(objective) == pytest.approx(step.objective, rel=1e-6)
        bound = re.search(r"lower bound (\S+), relative gap (\S+),", line)
        assert (bound is None) == (step.lower_bound is None)
        if bound:
            assert float(bound[1]) == pytest.approx(step.lower_bound, rel=1e-6)
            gap = (step.objective - step.lower_bound) / step.objective
            assert float(bound[2]) == pytest.approx(gap, rel=0.06, abs=1e-12)


def test_copies_searches_and_pickles():
    steps = []
    model = RankSVM(C=0.02, callback=lambda step: steps.append(step)).fit(X, Y, QID)  # which no pickle holds
    n_steps = len(steps)
    assert clone(model).callback is model.callback
    restored = pickle.loads(pickle.dumps(model))
    assert restored.callback is None and model.callback is not None
    assert np.array_equal(restored.coef_, model.coef_)
    restored.fit(X, Y, QID)
    assert len(steps) == n_steps
    GridSearchCV(model, {"C": [0.01, 0.02]}, cv=2, error_score="raise").fit(X, Y)
    assert len(steps) > n_steps


@pytest.mark.parametrize("model", [RankSVM(), RankSVM("mcp"), FenchelRank(), FSMRank()], ids=repr)
def test_parameters_of_the_wrong_kind_have_one_sentence(model):
    for verbose in (-1, 0.5, "yes"):
        with pytest.raises(ValueError, match="verbose must be a whole number from 0 on; got "):
            clone(model).set_params(verbose=verbose).fit(X, Y, QID)
    with pytest.raises(ValueError, match="callback must be a function of a step, or None; got 3"):
        clone(model).set_params(callback=3).fit(X, Y, QID)


def test_a_measurement_sees_the_step_of_the_solver():
    class Measured(LinearRanker):
        """A ranker with the private callback of the experiments beside the public one."""

        def __init__(self, callback=None):
            self.callback, self.measured_steps = callback, []

        def _callback(self, step):
            self.measured_steps.append(step)
            return step.iteration == 2

    steps = []
    model = Measured(steps.append)
    observe = make_observer(model, "any", factor=3.0)
    assert [observe(Step(number, np.ones(2), 2.0, 1.0, 0.0)) for number in (1, 2)] == [False, True]
    assert [step.objective for step in model.measured_steps] == [2.0, 2.0]
    assert [(step.objective, step.lower_bound) for step in steps] == [(6.0, 3.0)] * 2
    assert make_observer(Measured(), "any") is not None  # the measurement alone
