"""Types of the arguments and results of the public functions, for editors and type checkers.

Modules import them under ``TYPE_CHECKING`` alone, so they cost no time at run time.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

#: Rows of features: arrays, data frames, nested lists, or a sparse matrix.
Rows: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix
#: One label, score, query or size for each row or query.
Values: TypeAlias = ArrayLike
Weights: TypeAlias = NDArray[np.float64]
#: How metrics treat ties, short lists and queries without a relevant document.
Convention: TypeAlias = Literal["letor", "standard"]
#: How metrics order equal scores: the mean over all orders, or the negatives first.
Ties: TypeAlias = Literal["average", "pessimistic"]
