"""Compute a sample of a snapshot's fits again, with the present code, data and machine, and compare the rows.

``python workflow/lib/spot_check.py reports/snapshot --cells 20``
"""

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from reproduction.collection.collect import collect_fits
from reproduction.core.results import ResultsError, read_text, sort_fits
from reproduction.snapshot.archive import restore
from reproduction.snapshot.diff import compare_tables

MADE_IN = "results/again"
#: Columns that are not compared: times, and differences of two others, which have few digits left.
LEFT_OUT = ["seconds", "gap", "relative_gap"]
#: Relative difference that two machines may have; on one machine all digits agree.
RTOL = 1e-9


def cells(snapshot: Path, number: int, seed: int) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Draw files of fits of a snapshot at random; also return the fits of its studies."""
    archives = sorted(path.name.partition(".")[0] for path in snapshot.glob("fits/*.tar.xz"))
    studies = [name for name in archives if name != "run"]
    fits, made = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for study in studies:
            files = [Path(folder, study, name) for name in ("fits.csv", "provenance.csv")]
            restore(snapshot, folder, files)
            fits[study], of_study = (read_text(file, ()) for file in files)
            there = fits[study].loc[fits[study]["status"] != "not obtained", ["dataset", "method"]]
            made.append(of_study.merge(there.drop_duplicates(), on=["dataset", "method"]))
    every = pd.concat(made, ignore_index=True)
    drawn = random.Random(seed).sample(range(len(every)), min(number, len(every)))
    return every.iloc[sorted(drawn)], fits


def compare(old: pd.DataFrame, new: pd.DataFrame) -> str:
    """Say how the rows of two versions of a file differ first, apart from times; empty if they do not."""
    old, new = (sort_fits(rows).drop(columns=LEFT_OUT) for rows in (old, new))
    return next(compare_tables(old, new, RTOL), "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the status is 1 if a fit differs."""
    parser = argparse.ArgumentParser(prog="python workflow/lib/spot_check.py", description=__doc__)
    parser.add_argument("snapshot", type=Path, help="folder of the snapshot")
    parser.add_argument("--cells", type=int, default=20, help="number of files of fits to compute again")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    parser.add_argument("--configfile", nargs="*", default=[], help="configuration of the snapshot's run")
    given = parser.parse_args(arguments)
    try:
        drawn, fits = cells(given.snapshot, given.cells, given.seed)
    except ResultsError as error:
        print(error, file=sys.stderr)
        return 1
    names = [
        f"{MADE_IN}/{row.study}/fits/{row.dataset}.{row.features}.{row.method}.{row.block}.csv"
        for row in drawn.itertuples()
    ]
    command = ["snakemake", *names, "--cores", "1", "--config", f"results={MADE_IN}"]
    command += ["--configfile", *given.configfile] if given.configfile else []
    print(*command)
    if subprocess.run([sys.executable, "-m", *command], check=False).returncode:
        return 1
    n_other = 0
    for row, name in zip(drawn.to_dict("records"), names, strict=True):
        first, last = map(int, row["block"].split("-"))
        kept = fits[row["study"]]
        for key in ("dataset", "features", "method"):
            kept = kept[kept[key] == row[key]]
        kept = kept[pd.to_numeric(kept["split"]).between(first, last)]
        said = compare(kept, collect_fits([name], list(kept.columns)))
        n_other += bool(said)
        print(f"{name}: {said or 'the same'}")
    print(f"{len(names) - n_other} of {len(names)} files are the same, apart from times.")
    return int(n_other > 0)


if __name__ == "__main__":
    sys.exit(main())
