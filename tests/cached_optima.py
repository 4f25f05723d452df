"""`reproduction.verification.cvxpy_models`, each problem solved once: many tests ask for the same optimum."""

from memoize import memoize

from reproduction.verification import cvxpy_models

SOLVED = ("top_ranking", "perturbed_top_ranking", "infinite_push", "ranksvm", "fenchel_rank", "fsm_rank")
(top_ranking, perturbed_top_ranking, infinite_push, ranksvm, fenchel_rank, fsm_rank) = (
    memoize(getattr(cvxpy_models, name)) for name in SOLVED
)
dirty_model = memoize(cvxpy_models.dirty_model)
perturbed_objective = cvxpy_models.perturbed_objective
