"""Types of the arguments and results of the public functions, for editors and type checkers.

Modules import them under ``TYPE_CHECKING`` alone, so they cost no time at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias, Union

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from toprank.problems.rows import SelectedRows
    from toprank.solvers.monitor import Step

#: Rows of features: arrays, data frames, nested lists, or a sparse matrix.
Rows: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix
#: Checked rows of features inside the library: dense, CSR, or dense rows that are read where they are stored.
RowMatrix: TypeAlias = Union[np.ndarray, sp.csr_array, "SelectedRows"]
#: One label, score, query or size for each row or query.
Values: TypeAlias = ArrayLike
Weights: TypeAlias = NDArray[np.float64]
#: How metrics treat ties, short lists and queries without a relevant document.
Convention: TypeAlias = Literal["letor", "standard"]
#: A solver's callback; the run ends when it returns True.
StepCallback: TypeAlias = Callable[["Step"], object]
