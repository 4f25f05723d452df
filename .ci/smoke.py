"""What somebody sees who has just installed the library: it is typed, alone, quick to import and to fit.

It prints one line, the last one; `.ci/package` fails if an import or a fit prints anything else.
"""

import importlib.resources
import importlib.util
import time

begin = time.process_time()
from toprank import RankSVM  # noqa: E402

imported = time.process_time() - begin

import numpy as np  # noqa: E402

import toprank  # noqa: E402

assert toprank.__version__, "no version"
assert importlib.resources.files("toprank").joinpath("py.typed").is_file(), "no py.typed"
assert importlib.util.find_spec("reproduction") is None, "the pipeline was installed with the library"
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
y = (X[:, 0] + 0.1 * rng.normal(size=60) > 0).astype(int)
qid = np.repeat(np.arange(6), 10)

begin = time.process_time()
model = RankSVM().fit(X, y, qid)
first = time.process_time() - begin
assert model.certificate_.status == "certified", model.certificate_
for model in (
    toprank.TopPush(alpha=0.1),
    toprank.InfinitePush(alpha=0.1),
    toprank.InfinitePush("l2", alpha=0.1),
    toprank.FSMRank(),
    toprank.FenchelRank(),
):
    scores = model.fit(X, y).decision_function(X)
    assert scores[y == 1].mean() > scores[y == 0].mean(), model
print(f"toprank {toprank.__version__}: import {imported:.1f} s, first fit {first:.1f} s (CPU)")
# a machine with nothing else to do needs half of this
assert imported <= 2.0, "importing an estimator took more than 2 s of CPU time"
assert first <= 8.0, "the first fit took more than 8 s of CPU time"
