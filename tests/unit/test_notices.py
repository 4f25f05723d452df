"""What a fit tells: no certificate, with gap, status and remedy; and w = 0, with its cause."""

import re
import warnings

import numpy as np
import pytest
from ranking_data import ONE_SENTENCE, gaussians, stacked, surrounded
from sklearn.exceptions import ConvergenceWarning
from test_pairwise import DATA

from toprank import A2DM2, MCP, FenchelRank, FSMRank, GroupL2, InfinitePush, RankSVM, TopPush
from toprank.estimators.rfe import RFEInfinitePush
from toprank.problems.hull import zero_is_optimal
from toprank.solvers.watch import Watch

QUERIES = DATA["graded"]
LIST = (*stacked(*gaussians()), None)
INSIDE = (*stacked(*surrounded()), None)


def told(model, data):
    """Fit, and return the messages by their category."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data)
    assert all(re.match(ONE_SENTENCE, str(said.message)) for said in caught)
    assert all(said.filename == __file__ for said in caught), "a warning names the line that fits"
    return {said.category: str(said.message) for said in caught}


CUT_SHORT = [
    (RankSVM(tol=1e-15, max_iter=1), QUERIES),
    (RankSVM(solver="fista", max_iter=3), QUERIES),
    (RankSVM(MCP(), tol=1e-15, max_iter=1), QUERIES),
    (FenchelRank(5.0, max_iter=2), QUERIES),
    (FSMRank(tol=1e-14, max_iter=1), QUERIES),
    (InfinitePush(alpha=0.01, max_iter=1), LIST),
    (InfinitePush(alpha=0.01, solver="admm", max_iter=2), LIST),
    (TopPush(1e-3, max_iter=1), LIST),
    (TopPush(1e-3, solver="dual", max_iter=2), LIST),
]


@pytest.mark.parametrize(("model", "data"), CUT_SHORT, ids=lambda value: repr(value)[:60])
def test_a_fit_that_was_cut_short_warns(model, data):
    said = told(model, data)[ConvergenceWarning]
    name = type(model).__name__
    assert said.startswith(f"{name} ended without a certificate, status 'max_iterations' after")
    assert "raise max_iter above" in said
    assert ("relative gap" in said) == (model.certificate_.relative_gap is not None)
    if getattr(model, "solver", "exact") in ("dual", "admm"):
        assert said.endswith("or take solver='exact'")


@pytest.mark.parametrize("model", [RankSVM(), FSMRank(), FenchelRank()], ids=repr)
def test_the_limit_of_time_is_named(model):
    said = told(model.set_params(time_limit=1e-9), QUERIES)
    assert "'time_limit'" in said[ConvergenceWarning] and "raise time_limit" in said[ConvergenceWarning]


def test_a_published_rule_is_no_certificate():
    said = told(TopPush(0.1, solver=A2DM2(rho=0.01)), LIST)[ConvergenceWarning]
    assert re.search(r"status 'stopped' after \d+ iterations, relative gap .* take solver='exact'$", said)


def test_a_certified_fit_says_nothing():
    for model in (RankSVM(), FSMRank(), FenchelRank(0.5, tol=0.01)):
        assert not told(model, QUERIES), model
    # the last one has small weights that rank: no zero
    for model in (InfinitePush(alpha=0.1), InfinitePush("l2", 0.1), TopPush(), TopPush(1e9)):
        assert not told(model, LIST), model


AT_TOP = [
    InfinitePush(alpha=1e-3),
    InfinitePush("l2", 1e-3),
    InfinitePush("l2", 1.0, solver="dual"),
    InfinitePush(GroupL2([0, 0, 1]), 1e-3),
    TopPush(1e-3),
    TopPush(10.0),
    TopPush(1.0, solver="dual"),
]


@pytest.mark.parametrize("model", AT_TOP, ids=repr)
def test_a_mean_among_the_negatives_is_named(model):
    said = told(model, INSIDE)[UserWarning]
    assert said.startswith("w = 0 is optimal at every alpha and")
    assert "hull of the negatives, and no alpha helps" in said
    assert "smaller" not in said


LARGE = [InfinitePush(alpha=1e3), InfinitePush("l2", 1e20), InfinitePush(GroupL2([0, 0, 1, 1]), 1e3)]


@pytest.mark.parametrize("model", [*LARGE, TopPush(1e18)], ids=repr)
def test_an_alpha_that_is_merely_large_is_named(model):
    said = told(model, LIST)[UserWarning]
    assert said.startswith("w = 0 is optimal to within tol at alpha=") and said.endswith("a smaller one")
    assert "hull" not in said


PAIRWISE = [
    (RankSVM(C=1e-9), "choose C larger than"),
    (RankSVM(MCP(), C=1e-9), "choose C larger than"),
    (FSMRank(beta=1e6), "choose beta smaller than"),
    (FenchelRank(1e-6), "choose a larger radius"),
]


@pytest.mark.parametrize(("model", "remedy"), PAIRWISE, ids=repr)
def test_strong_regularisation_of_preferences_is_named(model, remedy):
    said = told(model, QUERIES)[UserWarning]
    assert remedy in said
    assert ("stationary" in said) == isinstance(getattr(model, "penalty", None), MCP)


@pytest.mark.parametrize("model", [RankSVM(C=1e3), RankSVM("l2"), FSMRank(), FenchelRank()], ids=repr)
def test_preferences_that_cancel_are_named(model):
    """A feature and its opposite: no C helps."""
    X = np.array([[1.0], [0.0], [0.1], [1.1]])
    said = told(model, (X, [1, 0, 1, 0], [1, 1, 2, 2]))[UserWarning]
    assert said.startswith("w = 0 is optimal whatever the regularisation is") and said.endswith("cancel")


def test_recursive_elimination_tells_each_kind_once():
    said = told(RFEInfinitePush(2, alpha=1e-3), INSIDE)
    assert "no alpha helps" in said[UserWarning]


def test_who_gives_up_before_the_cap_stalled():
    """Not at the cap, whatever the solver forgot to say; with a closed gap it is certified."""
    for bound, status in ((0.5, "stalled"), (1.0, "certified")):
        watch = Watch("magic", 1e-8, 10)
        for _ in watch.iterations():
            watch.keep(np.zeros(2), 1.0)
            watch.prove(bound)
            break
        assert watch.solution().certificate.status == status
    watch = Watch("magic", 1e-8, 3)
    for _ in watch.iterations():
        watch.keep(np.zeros(2), 1.0)
    assert watch.solution().certificate.status == "max_iterations"


def test_the_hull_in_the_time_that_there_is():
    random = np.random.default_rng(0)
    negatives = random.normal(size=(2000, 10))
    assert zero_is_optimal(0.01 * random.normal(size=(5, 10)), negatives, time_limit=0.0) is None
