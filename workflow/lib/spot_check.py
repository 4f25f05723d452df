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
from optional_dependencies import explain_unavailable

from reproduction.collection.collect import collect_fits
from reproduction.core.results import STATUS_NOT_OBTAINED, ResultsError, read_text
from reproduction.core.row_order import sort_fits
from reproduction.snapshot.archive import list_archives, unpack
from reproduction.snapshot.diff import compare_tables

RESULTS_FOLDER = "results/again"
#: Columns that are not compared: times, and differences of two others, which have few digits left.
UNCOMPARED_COLUMNS = ["seconds", "gap", "relative_gap"]
#: Relative difference that two machines may have; on one machine all digits agree.
RTOL = 1e-9


def read_fit_files(snapshot: Path) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Read which files of fits a snapshot has, and the fits of its studies.

    Parameters
    ----------
    snapshot : pathlib.Path
        Folder of the snapshot.

    Returns
    -------
    tuple[pandas.DataFrame, dict[str, pandas.DataFrame]]
        The files whose data were obtained, one a row, and the fits by study.

    Raises
    ------
    ResultsError
        The folder is no snapshot.
    """
    archives = [path.name.partition(".")[0] for path in list_archives(snapshot)]
    studies = [name for name in archives if name != "run"]
    if not studies:
        raise ResultsError(f"{snapshot} has no fits/<study>.tar.xz: name the folder of a snapshot.")
    fits, rows = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for study in studies:
            files = [Path(folder, study, name) for name in ("fits.csv", "provenance.csv")]
            unpack(snapshot, folder, files)
            fits[study], provenance = (read_text(file, ()) for file in files)
            # data sets and methods of which the snapshot has rows
            obtained = fits[study].loc[fits[study]["status"] != "not obtained", ["dataset", "method"]]
            # Files of data sets that the snapshot did not obtain cannot be computed again, and are not drawn.
            rows.append(provenance.merge(obtained.drop_duplicates(), on=["dataset", "method"]))
    return pd.concat(rows, ignore_index=True), fits


def draw_fit_files(fit_files: pd.DataFrame, number: int, seed: int) -> pd.DataFrame:
    """Draw files of fits at random, without replacement.

    Parameters
    ----------
    fit_files : pandas.DataFrame
        Files to draw from, one a row.
    number : int
        Number of files; all if there are fewer.
    seed : int
        Seed of the sample.

    Returns
    -------
    pandas.DataFrame
        The drawn files in their order.
    """
    sample = random.Random(seed).sample(range(len(fit_files)), min(number, len(fit_files)))
    return fit_files.iloc[sorted(sample)]


def describe_difference(old: pd.DataFrame, new: pd.DataFrame) -> str:
    """Describe the first difference between the rows of two versions of a file, apart from times.

    Parameters
    ----------
    old : pandas.DataFrame
        Rows of the snapshot's file.
    new : pandas.DataFrame
        Rows of the file that was computed again.

    Returns
    -------
    str
        One sentence; empty if there is none.
    """
    old, new = (sort_fits(rows).drop(columns=UNCOMPARED_COLUMNS) for rows in (old, new))
    return next(compare_tables(old, new, RTOL), "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the status is 1 if a fit differs.

    Parameters
    ----------
    arguments : Sequence[str], optional
        Arguments of the command line; by default those of this process.

    Returns
    -------
    int
        0 or 1.
    """
    parser = argparse.ArgumentParser(prog="python workflow/lib/spot_check.py", description=__doc__)
    parser.add_argument("snapshot", type=Path, help="folder of the snapshot")
    parser.add_argument("--cells", type=int, default=20, help="number of files of fits to compute again")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    parser.add_argument("--configfile", nargs="*", default=[], help="configuration of the snapshot's run")
    options = parser.parse_args(arguments)
    try:
        fit_files, fits = read_fit_files(options.snapshot)
    except ResultsError as error:
        print(error, file=sys.stderr)
        return 1
    unavailable = explain_unavailable(sorted(set(fit_files["method"])))
    print(*unavailable.values(), sep="\n", end="\n" if unavailable else "")
    sample = draw_fit_files(fit_files[~fit_files["method"].isin(unavailable)], options.cells, options.seed)
    if sample.empty:
        # without a target Snakemake would compute everything
        print(f"No method of {options.snapshot} can run here: install its packages.", file=sys.stderr)
        return 1
    names = [
        f"{RESULTS_FOLDER}/{row.study}/fits/{row.dataset}.{row.feature_scaling}.{row.method}.{row.split_batch}.csv"
        for row in sample.itertuples()
    ]
    command = ["snakemake", *names, "--cores", "1", "--config", f"results={RESULTS_FOLDER}"]
    command += ["--configfile", *options.configfile] if options.configfile else []
    print(*command)
    if subprocess.run([sys.executable, "-m", *command], check=False).returncode:
        return 1
    n_same = n_different = 0
    for row, name in zip(sample.to_dict("records"), names, strict=True):
        first, last = map(int, row["split_batch"].split("-"))
        published = fits[row["study"]]
        for key in ("dataset", "feature_scaling", "method"):
            published = published[published[key] == row[key]]
        # the published rows of the batch's splits
        published = published[pd.to_numeric(published["split"]).between(first, last)]
        recomputed = collect_fits([name], list(published.columns))
        if (recomputed["status"] == STATUS_NOT_OBTAINED).all():
            print(f"{name}: not compared, since its data were not obtained ({recomputed['message'].iloc[0]})")
            continue
        difference = describe_difference(published, recomputed)
        n_different += bool(difference)
        n_same += not difference
        print(f"{name}: {difference or 'the same'}")
    print(f"{n_same} of {n_same + n_different} compared files are the same, apart from times.")
    return int(n_different > 0 or n_same == 0)


if __name__ == "__main__":
    sys.exit(main())
