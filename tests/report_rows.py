"""Synthetic result rows for the tests of the report: what the pipeline writes, made by a function.

Five methods and a sixth without objectives; two feature scaling; a partial set, a substitute, a set that was
not obtained, one on which w = 0 is optimal, one on which every score is equal; and one failed fit.
"""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
from memoize import memoize

from reproduction.core import results as inputs
from reproduction.core.result_columns import LIST_FIT_COLUMNS
from reproduction.datasets.summary import VERDICT_PARTIAL
from reproduction.papers import paper
from reproduction.papers.kadkhodaie2015.table1 import build_table1
from reproduction.specs.published_values import read_published_values

ROOT = Path(__file__).resolve().parents[1]

STUDY = "kadkhodaie2015"
PUBLISHED_VALUES = paper("kadkhodaie2015").published_values
METHODS = ("toppush", "admm", "a2dm2", "a2dm2_restart", "exact")
SIXTH = "sklearn_ridge"
MISSING_REASON = "epsilon_normalized.bz2 was found nowhere & <has> no mirror."
DATASETS = {
    "breast-cancer": ("raw", "standardised"),
    "diabetes": ("raw", "standardised"),
    "splice": ("raw", "standardised"),
    "covtype-sample": ("raw",),
    "cod-rna": ("raw",),
}
WITHOUT_OBJECTIVE = dict.fromkeys(("objective", "lower_bound", "gap", "relative_gap", "weight_norm"), "")
LEVEL = {"breast-cancer": 50, "diabetes": 20, "splice": 90, "covtype-sample": 30, "cod-rna": 120}
EXCESS = {"toppush": 0.05, "admm": 0.12, "a2dm2": 0.02, "a2dm2_restart": 0.0005}


def fits(splits: int = 10) -> pd.DataFrame:
    """Rows of fits.csv, as text."""
    rng = np.random.default_rng(20150810)
    rows = []
    for dataset, blocks in DATASETS.items():
        for feature_scaling in blocks:
            for split in range(splits):
                optimum = rng.uniform(0.5, 0.9)
                for method in METHODS:
                    job = {
                        "dataset": dataset,
                        "feature_scaling": feature_scaling,
                        "method": method,
                        "split": split,
                    }
                    excess = EXCESS.get(method, 0.0) * rng.uniform(0.5, 1.5)
                    inner = job | {"fold": split % 3}
                    rows.append(_fit(rng, inner, "search", 0.01, 0.9 * optimum, excess))
                    rows.append(_fit(rng, job, "chosen", 0.01, 1.01 * optimum, excess))
                    if method in ("toppush", "exact"):
                        rows += [_fit(rng, job, "path", a, (1 + a) * optimum, excess) for a in (0.01, 1.0)]
                row = _fit(rng, job | {"method": SIXTH}, "chosen", 0.01, 1.0, 0.0)
                rows.append(row | WITHOUT_OBJECTIVE | {"params": json.dumps({"C": 1.0, "kind": "ridge"})})
    rows[-1] |= {"status": "failed", "message": "the <solver> said no"}
    rows[-1] |= {"positives_at_top": "", "rate_at_top": ""}
    missing = {"study": STUDY, "dataset": "epsilon", "feature_scaling": "raw", "role": "chosen"}
    missing |= {"status": "not obtained", "message": MISSING_REASON}
    rows += [missing | {"method": method} for method in METHODS]
    return pd.DataFrame(rows, columns=list(LIST_FIT_COLUMNS), dtype=object).fillna("").astype(str)


def _fit(rng, job: dict, role: str, alpha: float, optimum: float, excess: float) -> dict:
    """One row; A2DM2 scores all equal on diabetes, and ADMM stops at the cap on seven of ten splits."""
    equal = job["dataset"] == "diabetes" and job["method"] == "a2dm2"
    capped = job["method"] == "admm" and job["split"] < 7
    level = LEVEL[job["dataset"]] * (3 if job["feature_scaling"] == "standardised" else 1)
    top = 0 if equal else max(0, int(rng.normal(level, 10)))
    objective, bound = optimum * (1 + excess), optimum * (1 - 1e-8)
    row = job | {"study": STUDY, "role": role, "params": json.dumps({"alpha": alpha})}
    row |= {"status": "max_iterations" if capped else "certified"}
    row |= {"n_iter": 5000 if capped else int(rng.integers(20, 400)), "seconds": float(rng.lognormal(-3, 1))}
    row |= {"objective": objective, "lower_bound": bound, "gap": objective - bound}
    row |= {"relative_gap": (objective - bound) / objective, "weight_norm": 0.0 if equal else 1.0 + excess}
    row |= {"positives_at_top": top, "rate_at_top": top / 500, "positives_at_top_train": 2 * top}
    row |= {"n_train_positives": 1000, "n_train_negatives": 900}
    return row | {"n_test_positives": 500, "n_test_negatives": 450}


def data() -> pd.DataFrame:
    """Rows of data.csv."""
    part = "cod-rna.r was found nowhere: 331152 of 488565 rows."
    missing_text = "not obtained"
    rows = f"""\
dataset|family|task|status|reason|rows|features|positives|negatives|verdict|licence
breast-cancer|libsvm|binary|obtained||683|10|239|444|as expected|none found
diabetes|libsvm|binary|obtained||768|8|500|268|as expected|none found
splice|libsvm|binary|obtained||3175|60|1648|1527|as expected|none found
covtype-sample|covtype-sample|binary|obtained||20000|54|9728|10272|as expected|none found
covtype|libsvm|binary|{missing_text}|covtype.data.gz was found nowhere.|||||{missing_text}|
cod-rna|libsvm|binary|partial|{part}|331152|8|110384|220768|{VERDICT_PARTIAL}|none found
epsilon|libsvm|binary|{missing_text}|{MISSING_REASON}|||||{missing_text}|none found
"""
    table = pd.read_csv(StringIO(rows), sep="|", dtype=str, keep_default_na=False)
    table["substitute_for"] = ["covtype" if name == "covtype-sample" else "" for name in table["dataset"]]
    return table


def diagnosis(splits: int = 10) -> pd.DataFrame:
    """Rows of diagnosis.csv: on diabetes w = 0 is the optimum."""
    rows = [
        (name, block, split, 0.0 if name == "diabetes" else 0.4, name == "diabetes", 0, 1000, 900)
        for name, blocks in DATASETS.items()
        for block in blocks
        for split in range(splits)
    ]
    columns = ("dataset", "feature_scaling", "split", "lambda_max", "zero_is_optimal", "constant_features")
    return pd.DataFrame(rows, columns=[*columns, "n_train_positives", "n_train_negatives"])


def verification(passed: bool = True) -> pd.DataFrame:
    """Rows of verification.csv."""
    rows = [(method, "generated, 40 x 5", 0.8, 0.8, 1e-9, 1e-6, True, "certified") for method in METHODS]
    rows.append(("exact", "breast-cancer, alpha 1", 0.9, 0.8, 0.125, 1e-6, passed, "certified"))
    columns = ("method", "case", "objective", "reference", "relative_gap", "tolerance", "passed", "status")
    return pd.DataFrame(rows, columns=list(columns))


def write_results(folder: Path, passed: bool = True) -> Path:
    """Write the files that the rules of the report read, below `folder`."""
    (folder / STUDY).mkdir(parents=True, exist_ok=True)
    fits().to_csv(folder / STUDY / "fits.csv", index=False)
    diagnosis().to_csv(folder / STUDY / "diagnosis.csv", index=False)
    data().to_csv(folder / "data.csv", index=False)
    verification(passed).to_csv(folder / "verification.csv", index=False)
    return folder


NUMBERS = [name for name in LIST_FIT_COLUMNS if name not in (*inputs.FITS_TEXT_COLUMNS, "split", "fold")]


def results_of(folder: Path, **changes: pd.DataFrame) -> dict:
    """Read the written rows back as the scripts do; `changes` replaces what is named (fits, data, ...)."""
    read = {
        "fits": inputs.read_fits(folder / STUDY / "fits.csv", NUMBERS),
        "data": inputs.read_data(folder / "data.csv"),
        "diagnosis": inputs.read_diagnosis(folder / STUDY / "diagnosis.csv"),
        "published": read_published_values(PUBLISHED_VALUES),
    }
    return read | changes


def table1_of(folder: Path, **changes) -> pd.DataFrame:
    """Table 1 of the written rows; `changes` as in `results_of`."""
    return build_once(**results_of(folder, **changes)).copy()


build_once = memoize(build_table1)
