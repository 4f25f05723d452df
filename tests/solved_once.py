"""`reproduction.verification.cvxpy_models`, each problem solved once: many tests ask for the same optimum."""

from once import once

from reproduction.verification import cvxpy_models as references

SOLVED = ("top_ranking", "perturbed_top_ranking", "infinite_push", "ranksvm", "fenchel_rank", "fsm_rank")
(top_ranking, perturbed_top_ranking, infinite_push, ranksvm, fenchel_rank, fsm_rank) = (
    once(getattr(references, name)) for name in SOLVED
)
dirty_model = once(references.dirty_model)
perturbed_objective = references.perturbed_objective
