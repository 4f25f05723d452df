"""The packed rows of a run, from which its tables, figures and page can be rebuilt without a fit."""

import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from reproduction.core.atomic_io import atomic_write
from reproduction.core.results import ResultsError

FITS_FOLDER = "fits"
"""Folder of a snapshot that holds them: an archive a study, and one of the run."""

BENCH_FOLDER = "bench"
"""Folder of the results, and of a snapshot, with the seconds of other solvers."""

STUDY_FILES = ("fits.csv", "diagnosis.csv", "queries.csv", "provenance.csv", "experiments/*.jsonl")
RUN_FILES = ("data.csv", "verification.csv", "data/*/manifest.json")


def pack(results: str | Path, target: str | Path, studies: Sequence[str]) -> None:
    """Pack the rows of a finished run into one archive a study and one of the run.

    Parameters
    ----------
    results : path-like
        Folder of the run.
    target : path-like
        Folder of the snapshot.
    studies : sequence of str
        Names of the studies.
    """
    results, folder = Path(results), Path(target, FITS_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    patterns_of = {study: [f"{study}/{name}" for name in STUDY_FILES] for study in studies} | {
        "run": RUN_FILES
    }
    for name, patterns in patterns_of.items():
        with (
            atomic_write(folder / f"{name}.tar.xz") as unfinished,
            tarfile.open(unfinished, "w:xz") as archive,
        ):
            # Sorted and anonymised: the same run makes the same archive, byte by byte, wherever it is packed.
            for file in sorted(file for pattern in patterns for file in results.glob(pattern)):
                archive.add(file, str(file.relative_to(results)), filter=anonymise)


def list_archives(snapshot: str | Path) -> list[Path]:
    """List the archives of a snapshot.

    Parameters
    ----------
    snapshot : path-like
        Folder of the snapshot.

    Returns
    -------
    list of Path
        Sorted by name; empty if the folder is no snapshot.
    """
    return sorted(Path(snapshot, FITS_FOLDER).glob("*.tar.xz"))


def unpack(source: str | Path, results: str | Path, files: Iterable[str | Path]) -> None:
    """Unpack files of a run as they were.

    Parameters
    ----------
    source : path-like
        Folder of the snapshot.
    results : path-like
        Folder to which the files go.
    files : iterable of path-like
        Files below that folder.

    Raises
    ------
    ResultsError
        If the snapshot does not hold one of them.
    """
    missing = {str(Path(path).relative_to(results)) for path in files}
    # archives in turn until all files were seen; a run asks for those that a rule needs
    for archive_file in list_archives(source):
        with tarfile.open(archive_file) as archive:
            for member in archive:
                if member.name in missing:
                    missing.remove(member.name)
                    path = Path(results, member.name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with atomic_write(path) as unfinished:
                        unfinished.write_bytes(archive.extractfile(member).read())
    if missing:
        raise ResultsError(
            f"{source} holds no {min(missing)}: it was made of a run without it; run it instead "
            "(snakemake --cores 2)."
        )


def anonymise(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove owner and time, so that the same rows give the same archive.

    Parameters
    ----------
    member : tarfile.TarInfo
        Changed in place.

    Returns
    -------
    tarfile.TarInfo
        The same.
    """
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    member.mode = 0o644
    return member
