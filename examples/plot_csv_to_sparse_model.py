"""
From a CSV file to a certified sparse model
===========================================

A table of patients is ranked so that many malignant cases are above every benign one, with few measurements.
The certificate says by how much the objective can exceed its minimum, and a figure shows the whole path.
"""

# %%
# The file
# --------
# Any CSV file with a header will do; this one is written from a data set of scikit-learn.
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from toprank import InfinitePush, path
from toprank.metrics import rate_at_top, selected_variables

file = Path(tempfile.mkdtemp()) / "patients.csv"
data = load_breast_cancer(as_frame=True)
data.data.assign(malignant=1 - data.target).to_csv(file, index=False)

# %%
# One model
# ---------
# With features of equal scale the penalty treats them alike. At ``alpha_max`` the first weight leaves 0.
table = pd.read_csv(file)
scaler = StandardScaler().set_output(transform="pandas")
X, y = scaler.fit_transform(table.drop(columns="malignant")), table["malignant"]
model = InfinitePush("l1")
model.set_params(alpha=0.05 * model.alpha_max(X, y)).fit(X, y)
print(model.certificate_)
print(f"rate at the top: {rate_at_top(y, model.predict(X)):.2f}")
for j in np.flatnonzero(selected_variables(model.coef_)):
    print(f"{X.columns[j]:>25}  {model.coef_[j]:+.3f}")

# %%
# The path
# --------
# Each fit starts from the previous one, and each has its certificate. From right to left the penalty falls,
# and more measurements enter the model.
weight_path = path(InfinitePush("l1"), X, y, values=12, span=0.02)
assert all(certificate.status == "certified" for certificate in weight_path.certificates)
figure, ax = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
weight_path.plot(ax).legend(title="largest weights", loc="upper left", bbox_to_anchor=(1, 1))
first, last = weight_path.n_selected[0], weight_path.n_selected[-1]
ax.set_title(f"As alpha falls, {first} features become {last} of {X.shape[1]}")
