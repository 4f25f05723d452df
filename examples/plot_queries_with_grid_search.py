"""
Queries with a grid search
==========================

Documents of many queries, as in LETOR, have graded relevance, and only documents of the same query are
compared.
NDCG@10 on held-out queries chooses C and the penalty.
"""

# %%
# Queries
# -------
# 40 queries of 15 documents. Each query has its own offset, which must not matter. Of 100 features three do.
import numpy as np
import pandas as pd
from matplotlib import pyplot
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from toprank import RankSVM, make_ranking_scorer

rng = np.random.default_rng(0)
qid = np.repeat(np.arange(40), 15)
X = rng.normal(size=(600, 100))
y = np.digitize(X[:, :3].sum(axis=1) + 1.5 * rng.normal(size=600), [0.5, 2.5])
X += rng.normal(size=40)[qid, None]
grid = {"ranksvm__penalty": ["l1", "mcp"], "ranksvm__C": np.geomspace(0.001, 0.1, 5)}
ndcg_at_10 = make_ranking_scorer("ndcg", k=10)

# %%
# With metadata routing
# ---------------------
# ``qid`` reaches the fits and the scores by itself; ``groups`` keeps the documents of a query together.
with config_context(enable_metadata_routing=True):
    search = GridSearchCV(
        make_pipeline(StandardScaler(), RankSVM()), grid, scoring=ndcg_at_10, cv=GroupKFold(4)
    )
    search.fit(X, y, groups=qid, qid=qid)
print(search.best_params_, f"NDCG@10 {search.best_score_:.3f}")

# %%
# Without metadata routing
# ------------------------
# The column ``qid`` of a data frame stays with its rows. The scaler passes it through, and the model
# reads it.
frame = pd.DataFrame(X, columns=[f"feature {j}" for j in range(100)]).assign(qid=qid)
scaler = ColumnTransformer(
    [("qid", "passthrough", ["qid"])], remainder=StandardScaler(), verbose_feature_names_out=False
).set_output(transform="pandas")
frame_search = GridSearchCV(make_pipeline(scaler, RankSVM()), grid, scoring=ndcg_at_10, cv=GroupKFold(4))
frame_search.fit(frame, y, groups=qid)
assert frame_search.best_params_ == search.best_params_
assert np.isclose(frame_search.best_score_, search.best_score_)

# %%
# What the choice is worth
# ------------------------
# As C grows, features that do not matter enter the model, and the order of new queries suffers.
figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
for penalty in grid["ranksvm__penalty"]:
    means = search.cv_results_["mean_test_score"][search.cv_results_["param_ranksvm__penalty"] == penalty]
    left.plot(grid["ranksvm__C"], means, marker="o", label=penalty)
    sizes = []
    for C in grid["ranksvm__C"]:
        model = make_pipeline(StandardScaler(), RankSVM(penalty, C=C)).fit(X, y, ranksvm__qid=qid)
        sizes.append(np.count_nonzero(model[-1].coef_))
    right.plot(grid["ranksvm__C"], sizes, marker="o", label=penalty)
right.axhline(3, color="0.5", ls=":", label="features that matter")
left.set(xscale="log", xlabel="C", title="mean NDCG@10 of four folds")
right.set(xscale="log", xlabel="C", title="features of the model")
right.legend()
