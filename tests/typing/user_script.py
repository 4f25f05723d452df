"""What a type checker tells a user of toprank, in comments; tests/unit/test_typing.py compares.

A line with ``# error: CODE`` must be reported with that code, and no other line; ``# type: TYPE`` is what
``reveal_type`` shows. Nothing here is run.
"""

from typing import reveal_type

import numpy as np

import toprank
from toprank import ADMM, L1, MCP, FSMRank, GroupL2, InfinitePush, RankSVM, TopPush, make_ranking_scorer, path
from toprank.export import from_json, to_json
from toprank.metrics import bedroc, capacity_report, ndcg, precision_at_k, rate_at_top, recall_at_fpr

X = np.ones((4, 2))
y, qid = [1, 1, 0, 0], np.zeros(4)

model = RankSVM(MCP(gamma=3.0), C=10, solver="fista", max_iter=100).fit(X, y, qid=qid)
reveal_type(model)  # type: RankSVM
reveal_type(model.coef_)  # type: ndarray
reveal_type(model.certificate_.relative_gap)  # type: float | None
reveal_type(model.decision_function(X))  # type: ndarray
reveal_type(model.predict([[1.0, 2.0]]))  # type: ndarray
reveal_type(model.score(X, y, qid))  # type: float
reveal_type(model.C_zero_max(X, y))  # type: float
reveal_type(TopPush(alpha=0.1, solver=ADMM(rho=1.0, stop="combined")).fit(X, y))  # type: TopPush
reveal_type(InfinitePush("group").set_params(penalty=GroupL2([[0], [1]])))  # type: InfinitePush
reveal_type(path(RankSVM(), X, y, values=5).coefs)  # type: ndarray
reveal_type(ndcg(y, [4.0, 3.0, 2.0, 1.0], k=2))  # type: float
reveal_type(precision_at_k(y, [4.0, 3.0, 2.0, 1.0], 0.5, ties="pessimistic"))  # type: float
reveal_type(bedroc(y, X[:, 0], alpha=20))  # type: float
reveal_type(capacity_report(y, X[:, 0], k=2).next_hits_interval)  # type: tuple[int, int]
reveal_type(make_ranking_scorer("recall_at_fpr", max_fpr=0.1)(model, X, y))  # type: float
reveal_type(to_json(model, ["a", "b"]))  # type: str
reveal_type(from_json("{}").decision_function(X))  # type: ndarray
reveal_type(RankSVM(query_weight="equal", verbose=1, callback=print))  # type: RankSVM
reveal_type(L1([1.0, 2.0]).value(np.ones(2)))  # type: float
reveal_type(make_ranking_scorer("map")(model, X, y))  # type: float
reveal_type(toprank.TopPushCV(alphas=5, depths=(1, 0.1), scoring="roc_auc").fit(X, y).alpha_)  # type: float
reveal_type(toprank.RankSVMCV(RankSVM("l2", "auto"), Cs=[0.1, 1.0]).fit(X, y, qid).scores_)  # type: ndarray
reveal_type(toprank.InfinitePushCV().fit(X, y).cv_results_)  # type: dict[str, Any]
reveal_type(path(TopPush(), X, y, param="depth").values)  # type: ndarray
reveal_type(toprank.solve_two_block)  # type: TwoBlockResult

toprank.Banana()  # error: attr-defined
RankSVM(banana=3)  # error: call-arg
RankSVM(C="x")  # error: arg-type
toprank.TopPushCV(selection="first")  # error: arg-type
RankSVM(query_weight="same")  # error: arg-type
RankSVM(callback=3)  # error: arg-type
RankSVM(penalty="l3")  # error: arg-type
RankSVM().fit(X, y, quid=qid)  # error: call-arg
FSMRank().fit(X, y, sample_weight=y)  # error: call-arg
TopPush(solver="fista")  # error: arg-type
FSMRank(importance="auc")  # error: arg-type
MCP(gama=3.0)  # error: call-arg
rate_at_top(y)  # error: call-arg
make_ranking_scorer("auc")  # error: arg-type
make_ranking_scorer("precision", banana=3)  # error: call-arg
precision_at_k(y, X[:, 0])  # error: call-arg
recall_at_fpr(y, X[:, 0], 0.1, ties="best")  # error: arg-type
