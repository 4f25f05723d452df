"""How many variables the optima of R12's l1 problems use: made problems whose optima are known."""

import numpy as np
import pytest

from reproduction.papers.rakotomamonjy2012.optimal_face import experiment, faces
from toprank import InfinitePush
from toprank.penalties import L1
from toprank.problems.pairwise import PairwiseRanking


def make_list(copies=0):
    """Forty rows of six features, some of them twice: then the weight of a feature may stand on its copy."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 6))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.5 * random.normal(size=40) > 0, 1, 0)
    return np.column_stack([X, X[:, :copies]]), y


def find_faces(X, y, share):
    """The face of each method at a share of its own largest regularisation."""
    problem = PairwiseRanking.from_data(X, y, None, 1.0, L1())
    return {
        "push": faces.find_push_face(X, y, share * InfinitePush("l1").alpha_max(X, y)),
        "ranksvm": faces.find_ranksvm_face(problem.with_alpha(share * problem.lambda_max()), y, 20),
    }


@pytest.mark.parametrize("share", [0.3, 0.03, 0.003])
def test_independent_features_have_one_optimum(share):
    for method, face in find_faces(*make_list(), share).items():
        counts = face.count_variables()
        assert counts["freedom"] == 0 and face.status == "certified", method
        assert counts["fewest"] == counts["variables"] == counts["most"] > 0


@pytest.mark.parametrize("share", [0.3, 0.03, 0.003])
def test_a_copy_of_a_feature_may_take_its_place(share):
    single, copied = (find_faces(*make_list(copies), share) for copies in (0, 1))
    for method, face in copied.items():
        counts, n_used = face.count_variables(), np.count_nonzero(single[method].weights)
        assert counts["freedom"] == 1, method
        assert (counts["fewest"], counts["most"]) == (n_used - 1, n_used + 1)


def test_the_linear_program_has_the_optimum_of_the_fits():
    X, y = make_list()
    alpha = 0.1 * InfinitePush("l1").alpha_max(X, y)
    face = faces.find_push_face(X, y, alpha)
    fitted = InfinitePush("l1", alpha=alpha).fit(X, y)
    assert face.weights == pytest.approx(fitted.coef_, abs=1e-7) and face.relative_gap < 1e-10


def test_a_move_is_bounded_by_what_would_change():
    """Two equal columns, of which one weight is fixed from below by a row with a slack."""
    face = faces.OptimalFace(
        weights=np.array([1.0, 0.0, 0.0]),
        signs=np.array([1.0, 1.0, 0.0]),
        fixed=np.array([[1.0, 1.0]]),
        bounded=np.array([[1.0, 0.0]]),
        slack=np.array([0.25]),
        status="certified",
        relative_gap=0.0,
    )
    assert face.count_variables() == {"variables": 1, "fewest": 1, "most": 2, "freedom": 1}


def test_the_table_averages_over_the_splits():
    row = {
        "dataset": "sonar",
        "method": "l1_ranksvm",
        "share": 0.1,
        "status": "certified",
        "relative_gap": 0.0,
    }
    rows = [row | {"split": 0, "variables": 4, "fewest": 4, "most": 4, "freedom": 0}]
    rows += [row | {"split": 1, "variables": 6, "fewest": 5, "most": 8, "freedom": 1, "status": "stalled"}]
    (line,) = experiment.summarise_faces(rows).to_dict("records")
    assert (line["splits"], line["unique"], line["certified"]) == (2, 1, 1)
    assert (line["variables_mean"], line["fewest_mean"], line["most_mean"]) == (5, 4.5, 6)
    assert list(experiment.summarise_faces([])) == list(experiment.COLUMNS)
