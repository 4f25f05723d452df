"""
The top of an imbalanced list
=============================

One row in twenty is positive, and only the head of the list matters. TopPush aims at positives
above every negative; a classifier counts errors everywhere.
"""

# %%
# Data
# ----
import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import scale

from toprank import TopPush, make_ranking_scorer
from toprank.metrics import positives_at_top

X, y = make_classification(
    2000, 20, n_informative=8, n_clusters_per_class=1, weights=[0.95], flip_y=0.01, random_state=0
)
X_train, X_test, y_train, y_test = train_test_split(scale(X), y, stratify=y, test_size=0.5, random_state=0)

# %%
# Two models, each tuned by the rate at the top
# ---------------------------------------------
at_the_top, folds = make_ranking_scorer("rate_at_top"), StratifiedKFold(3)
models = {
    "TopPush": GridSearchCV(TopPush(), {"alpha": np.logspace(-4, 1, 6)}, scoring=at_the_top, cv=folds),
    "logistic regression": GridSearchCV(
        LogisticRegression(), {"C": np.logspace(-3, 2, 6)}, scoring=at_the_top, cv=folds
    ),
}
scores = {name: model.fit(X_train, y_train).decision_function(X_test) for name, model in models.items()}
for name, values in scores.items():
    print(f"{name}: {positives_at_top(y_test, values)} of {y_test.sum()} positives above every negative")
print(models["TopPush"].best_estimator_.certificate_)

# %%
# The head of both lists
# ----------------------
figure, ax = pyplot.subplots(layout="constrained")
for name, values in scores.items():
    ranked = y_test[np.argsort(-values, kind="stable")][:100]
    ax.plot(np.arange(1, 101), np.cumsum(ranked), label=name)
ax.set(xlabel="rows from the head of the list", ylabel="positives among them")
ax.set_title("TopPush leads at the head of the list, and falls behind further down")
ax.legend()
