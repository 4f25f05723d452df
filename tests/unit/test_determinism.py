"""The same bytes whatever the machine is told of hashes, language and time zone, and in any order.

More threads would add in another order; a job has one (tests/pipeline/test_threads.py).
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAKE_FILES_CODE = """
import sys, tempfile
from pathlib import Path

from reproduction.datasets.prepared_data import load_prepared, save_prepared
from reproduction.datasets.prepare import prepare
from reproduction.splits.splits import draw_random_splits
from reproduction.fitting.method import Method
from reproduction.fitting.cross_validation import CrossValidation

made = Path(sys.argv[1])
for name in sys.argv[2:]:
    save_prepared(prepare(name, made), made / name)
    data = load_prepared(made / name)
    splits = draw_random_splits(data.y.size, 1, 1 / 3, 3, 7, "study", name)
    splits.save(made / f"{name}.npz")
    rows = []
    for solver, grid in (("exact", {"alpha": [0.01, 1.0]}), ("admm", {"solver__rho": [0.1]})):
        method = Method("toprank.TopPush", fixed={"solver": solver, "max_iter": 50}, grid=grid)
        rows += CrossValidation(method, data.X, data.y, splits, "standardised").run_split(0)
    told = [sorted((key, value) for key, value in row.items() if key != "seconds") for row in rows]
    (made / f"{name}.txt").write_text(repr(told), encoding="utf-8")
"""
USUAL = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC", "OMP_NUM_THREADS": "1"}
UNUSUAL = {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Kiritimati"}
UNUSUAL |= {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}
UNUSUAL |= {"OMP_NUM_THREADS": "1"}


def make_files(folder, environment, *names):
    """What a process of its own makes of data sets there: file -> digest."""
    folder.mkdir()
    paths = [str(ROOT / part) for part in ("src", "workflow/lib", "tests")]
    environment_kept = {key: value for key, value in os.environ.items() if key not in UNUSUAL}
    environment = environment_kept | environment | {"PYTHONPATH": os.pathsep.join(paths)}
    subprocess.run(
        [sys.executable, "-c", MAKE_FILES_CODE, str(folder), *names], env=environment, cwd=folder, check=True
    )
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).digest() for path in files}


def test_neither_environment_nor_order_changes_a_byte(tmp_path):
    usual = make_files(tmp_path / "usual", USUAL, "overlap", "sparse-text")
    assert len(usual) == 8 and usual == make_files(tmp_path / "unusual", UNUSUAL, "sparse-text", "overlap")
