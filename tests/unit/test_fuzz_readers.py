"""Some damaged files of each reader; `python tests/fuzz_readers.py 10000` tries more."""

import pytest
from fuzz_readers import cases, try_one

CASES = cases()
FAILED_SEEDS = {  # seeds that once found something
    "header": (11, 30, 85, 87, 6977, 9473),
    "letor": (228, 450, 1196, 1432),
    "colon": (8, 20750),
    "yeast": (21276, 22607),
    "scaled": (5000087, 5000133),
    "parquet": (5000550, 5001290),
}


@pytest.mark.parametrize("name", CASES)
def test_damaged_files_are_read_right_or_refused(name, tmp_path):
    for seed in (*FAILED_SEEDS.get(name, ()), *range(1_000_000, 1_000_012)):
        message = try_one(CASES[name], tmp_path, seed)
        assert message is None, f"{name}, seed {seed}: {message}"
