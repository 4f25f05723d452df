"""What a fit tells: no certificate, with gap, status and remedy; and w = 0, with its cause."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from ranking_data import SINGLE_LINE, gaussians, stack_classes, surrounded_positives
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from test_pairwise import DATA

from toprank import (
    A2DM2,
    MCP,
    FenchelRank,
    FSMRank,
    GroupL2,
    InfinitePush,
    RankSVM,
    RankSVMCV,
    TopPush,
    TopPushCV,
)
from toprank.estimators.rfe import RFEInfinitePush
from toprank.problems.zero_solution import is_zero_optimal
from toprank.solvers.monitor import Monitor

QUERIES = DATA["graded"]
LIST = (*stack_classes(*gaussians()), None)
HULL_CLASSES = (*stack_classes(*surrounded_positives()), None)


def get_warnings(model, data):
    """Fit, and return the messages by their category."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data)
    assert all(re.match(SINGLE_LINE, str(warning_records.message)) for warning_records in caught)
    assert all(Path(warning_records.filename).name == Path(__file__).name for warning_records in caught), (
        "a warning names the line that fits"
    )
    assert len(caught) == len({warning_records.category for warning_records in caught}), "each kind once"
    return {warning_records.category: str(warning_records.message) for warning_records in caught}


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
    message = get_warnings(model, data)[ConvergenceWarning]
    name = type(model).__name__
    assert message.startswith(f"{name} ended without a certificate, status 'max_iterations' after")
    assert "raise max_iter above" in message
    assert ("relative gap" in message) == (model.certificate_.relative_gap is not None)
    if getattr(model, "solver", "exact") in ("dual", "admm"):
        assert message.endswith("or use solver='exact'")


@pytest.mark.parametrize("model", [RankSVM(), FSMRank(), FenchelRank()], ids=repr)
def test_the_limit_of_time_is_named(model):
    messages = get_warnings(model.set_params(time_limit=1e-9), QUERIES)
    assert (
        "'time_limit'" in messages[ConvergenceWarning] and "raise time_limit" in messages[ConvergenceWarning]
    )


def test_a_published_rule_is_no_certificate():
    message = get_warnings(TopPush(0.1, solver=A2DM2(rho=0.01)), LIST)[ConvergenceWarning]
    assert re.search(r"status 'stopped' after \d+ iterations, relative gap .* use solver='exact'$", message)


ENDED_FITS = [(TopPush(1e-4), LIST), (TopPush(1e-4, solver="admm"), LIST), (RankSVM(solver="fista"), QUERIES)]
ENDED_FITS += [(FenchelRank(5.0), QUERIES)]


@pytest.mark.parametrize(("model", "data"), ENDED_FITS, ids=lambda value: repr(value)[:60])
def test_a_fit_that_its_callback_ended_names_it(model, data):
    model = clone(model).set_params(callback=lambda step: step.iteration >= 0, tol=1e-12)
    message = get_warnings(model, data)[ConvergenceWarning]
    n_iter = f"{model.n_iter_} iteration{'s' * (model.n_iter_ != 1)}"
    assert f"status 'stopped' after {n_iter}, " in message
    assert message.endswith("Its callback ended the fit; let the callback go on for longer")
    message = get_warnings(model.set_params(callback=lambda step: None, max_iter=1), data)[ConvergenceWarning]
    assert "'max_iterations' after 1 iteration, " in message


SEARCHES = [(RankSVMCV(RankSVM(), Cs=2, cv=2), QUERIES), (TopPushCV(TopPush(), alphas=2, cv=2), LIST)]


@pytest.mark.parametrize(("search", "data"), SEARCHES, ids=lambda value: repr(value)[:60])
def test_a_search_whose_callback_ends_fits_names_it_and_the_best_solver(search, data):
    search.set_params(estimator__callback=lambda step: True, estimator__tol=1e-14)
    with pytest.warns(ConvergenceWarning, match="status 'stopped'") as records:
        search.fit(*data)
    (message,) = (str(record.message) for record in records if "fits of" in str(record.message))
    best = next(iter(search.estimator.SOLVERS))
    assert message.endswith(f"; let the callback of the estimator end no fit, and take solver {best!r}")


@pytest.mark.parametrize("model", [RankSVM(), FSMRank(), FSMRank(warm_start=True)], ids=repr)
def test_a_warning_of_queries_in_blocks_names_the_line_that_fits(model):
    X, y, qid = QUERIES
    rows = np.column_stack([X, qid])[np.argsort(qid, kind="stable")]
    assert "no queries are named" in get_warnings(model, (rows, y))[UserWarning]


def test_a_certified_fit_says_nothing():
    for model in (RankSVM(), FSMRank(), FenchelRank(0.5, tol=0.01)):
        assert not get_warnings(model, QUERIES), model
    # the last one has small weights that rank: no zero
    for model in (InfinitePush(alpha=0.1), InfinitePush("l2", 0.1), TopPush(), TopPush(1e9)):
        assert not get_warnings(model, LIST), model


HULL = (
    "at every alpha and [^:]*: the mean of .* convex hull of the negatives, and no alpha helps"
    "(; depth above [0-9.]+ of [0-9]+ can work)?"
)
ALPHA_TOO_LARGE = "to within tol at alpha=[^:]*: alpha is too large; choose a smaller one"
CANCEL = "at every regularisation and .* values cancel"
#: a feature and its opposite
OPPOSITE = (np.array([[1.0], [0.0], [0.1], [1.1]]), [1, 0, 1, 0], [1, 1, 2, 2])
ZEROS = [
    *((InfinitePush(penalty, 1e-3), HULL_CLASSES, HULL) for penalty in ("l1", "l2", GroupL2([0, 0, 1]))),
    *((TopPush(alpha), HULL_CLASSES, HULL) for alpha in (1e-3, 10.0)),
    (InfinitePush("l2", 1.0, solver="dual"), HULL_CLASSES, HULL),
    (TopPush(1.0, solver="dual"), HULL_CLASSES, HULL),
    (RFEInfinitePush(2, alpha=1e-3), HULL_CLASSES, HULL),
    (InfinitePush(alpha=1e3), LIST, ALPHA_TOO_LARGE),
    (InfinitePush("l2", 1e20), LIST, ALPHA_TOO_LARGE),
    (InfinitePush(GroupL2([0, 0, 1, 1]), 1e3), LIST, ALPHA_TOO_LARGE),
    (TopPush(1e18), LIST, ALPHA_TOO_LARGE),
    (RankSVM(C=1e-9), QUERIES, "at C=.*: choose C larger than .*"),
    (RankSVM(MCP(), C=1e-9), QUERIES, "at C=.*: choose C larger than .*"),
    (FSMRank(beta=1e6), QUERIES, "at beta=.*: choose beta smaller than .*"),
    (FenchelRank(1e-6), QUERIES, ".*choose a larger radius"),
    *((model, OPPOSITE, CANCEL) for model in (RankSVM(C=1e3), RankSVM("l2"), FSMRank(), FenchelRank())),
]


@pytest.mark.parametrize(("model", "data", "why"), ZEROS, ids=lambda value: repr(value)[:40])
def test_why_zero_is_the_answer(model, data, why):
    kind = "stationary" if isinstance(getattr(model, "penalty", None), MCP) else "optimal"
    assert re.fullmatch(f"w = 0 is {kind} {why}", get_warnings(model, data)[UserWarning])


@pytest.mark.parametrize("penalty", ["l1", MCP()])
def test_the_least_C_is_named_up_to_itself(penalty):
    """At C_zero_max w is 0 still: a larger C helps, and the sentence says than which."""
    smallest = RankSVM(penalty).C_zero_max(*QUERIES)
    for C in (0.5 * smallest, smallest):
        message = get_warnings(RankSVM(penalty, C=C), QUERIES)[UserWarning]
        assert message.endswith(f"choose C larger than {smallest:g}"), message
    assert UserWarning not in get_warnings(RankSVM(penalty, C=1.01 * smallest), QUERIES)


def test_who_gives_up_before_the_cap_stalled():
    """Not at the cap, whatever the solver forgot to say; with a closed gap it is certified."""
    for bound, status in ((0.5, "stalled"), (1.0, "certified")):
        watch = Monitor("magic", 1e-8, 10)
        for _ in watch.iterations():
            watch.update_best(np.zeros(2), 1.0)
            watch.update_lower_bound(bound)
            break
        assert watch.solution().certificate.status == status
    watch = Monitor("magic", 1e-8, 3)
    for _ in watch.iterations():
        watch.update_best(np.zeros(2), 1.0)
    assert watch.solution().certificate.status == "max_iterations"


def test_the_hull_in_the_time_that_there_is():
    random = np.random.default_rng(0)
    negatives = random.normal(size=(2000, 10))
    assert is_zero_optimal(0.01 * random.normal(size=(5, 10)), negatives, time_limit=0.0) is None
