"""
Fifty alerts a day
==================

A team can check 50 alerts of a list. How many of the highest-scored negatives should enter the loss? A loss
for the very top uses one negative, and a classifier all of them; the depth lies between.
"""

# %%
# Data
# ----
# Two rows in a hundred are positive, in three clusters: no line separates them from the negatives.
import warnings

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from toprank import TopPush, TopPushCV, make_ranking_scorer
from toprank.metrics import capacity_report, precision_at_k

X, y = make_classification(
    6000, 12, n_informative=6, n_clusters_per_class=3, weights=[0.98], class_sep=1.5, random_state=3
)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, test_size=0.5, random_state=0)
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)

# %%
# The smallest depth that can work
# --------------------------------
# A linear program tells before any fit: up to this depth, w = 0 is the best model at every alpha.
n_negatives = int((y_train == 0).sum())
smallest = TopPush().smallest_depth(X_train, y_train)
print(f"a depth above {smallest:.1f} of {n_negatives} negatives can work")

# %%
# Precision in the first 50 rows against the depth
# ------------------------------------------------
# Logistic regression is the rival to beat. With balanced weights it would be an easier one: they give the
# few positives as much weight as all negatives, which costs it precision at the top.
depths = np.geomspace(1.0, n_negatives, 13)
precisions = []
for depth in depths:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # w = 0 at the smallest depths
        model = TopPush(depth=depth).fit(X_train, y_train)
    # "auto" is a share of the alpha_max of each depth
    precisions.append(precision_at_k(y_test, model.decision_function(X_test), 50))

figure, ax = pyplot.subplots(layout="constrained")
ax.plot(depths, precisions, marker="o", label="TopPush")
for label, style, class_weight in (("", "-", None), (", balanced weights", "--", "balanced")):
    logistic = LogisticRegression(class_weight=class_weight).fit(X_train, y_train)
    precision = precision_at_k(y_test, logistic.decision_function(X_test), 50)
    print(f"logistic regression{label}: {precision:.2f}; TopPush at its best depth: {max(precisions):.2f}")
    ax.axhline(precision, color="0.5", ls=style, label=f"logistic regression{label}")
ax.axhline(y_test.mean(), color="0.5", ls=":", label="random order")
ax.axvline(max(smallest, 1.0), color="tab:red", ls="--", lw=1, label="smallest depth that can work")
ax.set(xscale="log", xlabel="depth (negatives)", ylabel="precision in the first 50 rows")
ax.set_title("Below the smallest depth the order is random")
ax.legend()

# %%
# The depth that a search chooses, and what to expect tomorrow
# ------------------------------------------------------------
# A fold has a third of the rows, so its capacity is a share of them: 50 of 3000 rows.
search = TopPushCV(
    depths=(1, 0.02, 0.1, 0.5), alphas=5, cv=3, scoring=make_ranking_scorer("precision", k=50 / 3000)
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", UserWarning)
    search.fit(X_train, y_train)
print(f"depth {search.depth_:g}, alpha {search.alpha_:.3g}, {search.certificate_.status}")
print(capacity_report(y_test, search.decision_function(X_test), 50))
