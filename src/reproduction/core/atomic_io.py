"""Files are written whole or not at all; a damaged one is named with the command that repairs it."""

import csv
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


class CorruptFileError(ValueError):
    """A file of the pipeline cannot be read; the sentence names it and the command that repairs it.

    Parameters
    ----------
    path : str or Path
        The file.
    reason : str
        Continues a sentence that begins with the path.
    """

    def __init__(self, path: str | Path, reason: str) -> None:
        super().__init__(f"{path} {reason}: delete it and run again (rm {path}).")


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Give a path to write to; the file is renamed to ``path`` once it is complete.

    A node that lost its connection may still compute a job that was sent again elsewhere. So the unfinished
    file has the number of the process in its name. The suffix stays, as some writers read it.

    Parameters
    ----------
    path : str or Path
        File that is written or replaced.

    Yields
    ------
    Path
        The unfinished file, in the same folder; it is removed if the block raises.
    """
    path = Path(path)
    # In the same folder, hence the same file system, where a rename is atomic; the number of the process
    # keeps two writers apart.
    unfinished = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Let one process at a time change the files of a folder by reading and writing them.

    Parameters
    ----------
    folder : Path
        An existing folder. Only processes that lock it too are kept out; the system removes the lock of one
        that ends.

    Yields
    ------
    None
        Once the lock is held.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def atomic_write_text(path: str | Path, text: str) -> None:
    """Write a text file whole.

    Parameters
    ----------
    path : str or Path
        File that is written or replaced.
    text : str
        Its content, written as UTF-8.
    """
    with atomic_write(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def write_rows(path: str | Path, log: str | Path, columns: Iterable[str], rows: Iterable[Iterable]) -> None:
    """Write rows to a CSV file that appears once it is whole; the log has each row at once.

    Parameters
    ----------
    path : str or Path
        CSV file.
    log : str or Path
        Text file that gets each row, its cells separated by semicolons.
    columns : Iterable[str]
        Names of the columns.
    rows : Iterable[Iterable]
        Rows; floats are written with three significant digits.
    """
    with (
        Path(log).open("w", encoding="utf-8") as log_file,
        atomic_write(path) as unfinished,
        unfinished.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            # three digits: times of a race differ by more from run to run
            row = [f"{entry:.3g}" if isinstance(entry, float) else entry for entry in row]
            writer.writerow(row)
            print(*row, sep="; ", file=log_file, flush=True)


@contextmanager
def wrap_read_errors(path: str | Path) -> Iterator[None]:
    """Name the file if its content cannot be read.

    Parameters
    ----------
    path : str or Path
        File that the block reads.

    Raises
    ------
    CorruptFileError
        If the block raises anything but a `RuntimeError` (such as a `DataError`) or an error of the operating
        system.
    """
    try:
        yield
    except (CorruptFileError, RuntimeError):  # a DataError says itself what to do
        raise
    except Exception as error:
        # numpy, zipfile and json raise some ten kinds of errors on a file that was cut off or overwritten
        if isinstance(error, OSError) and error.errno is not None:
            raise
        message = " ".join(str(error).split()).rstrip(".")
        raise CorruptFileError(path, f"is cut off or damaged ({message or type(error).__name__})") from error


def write_manifest(path: str | Path, manifest: Mapping, arrays: str | Path) -> None:
    """Write the manifest of a prepared data set, with the digest of its arrays, which fits repeat.

    Parameters
    ----------
    path : str or Path
        JSON file.
    manifest : Mapping
        Content of the manifest.
    arrays : str or Path
        File of the arrays, whose SHA-256 becomes ``arrays_sha256``.
    """
    with open(arrays, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    text = json.dumps({**manifest, "arrays_sha256": digest}, indent=1, ensure_ascii=False)
    atomic_write_text(path, text + "\n")


def read_manifest(path: str | Path) -> dict:
    """Read the manifest of a prepared data set.

    Parameters
    ----------
    path : str or Path
        JSON file.

    Returns
    -------
    dict
        Content of the manifest.

    Raises
    ------
    CorruptFileError
        If it is no JSON, or no object.
    """
    with wrap_read_errors(path):
        manifest = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(manifest, dict):
            raise ValueError("no JSON object")
    return manifest
