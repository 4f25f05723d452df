"""
From a CSV file to a certified sparse model
===========================================

A table of patients is ranked so that many malignant cases are above every benign one, with few measurements.
The certificate says how far the model can be from the optimum, and a figure shows the whole path.
"""

# %%
# The file
# --------
# Any CSV file with a header will do; this one is written from a data set of scikit-learn.
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from toprank import InfinitePush, path
from toprank.metrics import rate_at_top, selected_variables

file = Path(tempfile.mkdtemp()) / "patients.csv"
data = load_breast_cancer()
header = ",".join([*data.feature_names, "malignant"])
np.savetxt(file, np.column_stack([data.data, 1 - data.target]), delimiter=",", header=header, comments="")

# %%
# One model
# ---------
# With features of equal scale the penalty treats them alike. At ``alpha_max`` the first weight leaves 0.
names = file.read_text().splitlines()[0].split(",")[:-1]
table = np.loadtxt(file, delimiter=",", skiprows=1)
X, y = StandardScaler().fit_transform(table[:, :-1]), table[:, -1]
model = InfinitePush("l1")
model.set_params(alpha=0.05 * model.alpha_max(X, y)).fit(X, y)
print(model.certificate_)
print(f"rate at the top: {rate_at_top(y, model.predict(X)):.2f}")
for j in np.flatnonzero(selected_variables(model.coef_)):
    print(f"{names[j]:>25}  {model.coef_[j]:+.3f}")

# %%
# The path
# --------
# Each fit starts from the previous one, and each has its certificate.
weight_path = path(InfinitePush("l1"), X, y, n_values=12, span=0.02)
assert all(certificate.status == "certified" for certificate in weight_path.certificates)
ax = weight_path.plot()
ax.set_title(f"{weight_path.n_selected[0]} to {weight_path.n_selected[-1]} of {X.shape[1]} features")
