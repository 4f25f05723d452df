"""State of the cache: a note of the copy from which it was filled, so that a replaced copy is noticed.

It matters for a user's own files, and where no checksum is known. The note keeps sizes and times too: a file
with the same ones is not read again.
"""

import hashlib
import json
from pathlib import Path

from reproduction.core.atomic_io import atomic_write_text
from reproduction.datasets.download.archives import compute_sha256
from reproduction.datasets.download.locations import (
    Mirror,
    PathLike,
    get_cache_folder,
    is_cached,
    list_local_copies,
    list_mirror_paths,
)
from reproduction.datasets.specs import DataFile, DataSet


def record_source(spec: DataSet, file: DataFile, packed: Path, digests: dict, data_folder: PathLike) -> None:
    """Note from which copy the cache was filled, where a copy decides what the content is.

    Parameters
    ----------
    spec : DataSet
    file : DataFile
    packed : Path
        The copy.
    digests : dict of str to str
        SHA-256 of the cached files, by name.
    data_folder : Path or str
    """
    if file.follows_content:
        _write_note(
            _get_note_path(spec, file, data_folder), _stat_files(packed), _compute_digest(packed), digests
        )


def is_source_replaced(spec: DataSet, file: DataFile, data_folder: PathLike, mirror: Mirror) -> bool:
    """Whether a copy on this machine is no longer the one from which the cache was filled.

    A download stays until there is a copy in the mirror's folder.

    Parameters
    ----------
    spec : DataSet
    file : DataFile
    data_folder : Path or str
    mirror : Path, str or None

    Returns
    -------
    bool
    """
    if not _has_unproven_copy(spec, file, data_folder):
        return False
    path = _get_note_path(spec, file, data_folder)
    note = _read_note(path)
    copies = list_local_copies(file, data_folder, mirror)
    if note is None and not file.path:  # a download, which comes before a file put by hand
        copies = list_mirror_paths(file, mirror)
    # The source is gone, as a mirror that is no longer mounted: the verified cache stays valid.
    if not copies:
        return False
    if note is None:
        return True
    stats = _stat_files(copies[0])
    # same path, size and times: not read again
    if note["seen"] == stats:
        return False
    # Touched or copied again: only another content counts as a replacement.
    if note["sha256"] != _compute_digest(copies[0]):
        return True
    _write_note(path, stats, note["sha256"], note["content"])  # only its times changed
    return False


def has_other_content(spec: DataSet, file: DataFile, record: dict, data_folder: PathLike) -> bool:
    """Whether the cache holds another content than a record of an earlier fetch.

    Parameters
    ----------
    spec : DataSet
    file : DataFile
    record : dict
        As :meth:`fetch.FetchedDataSet.record` gives it.
    data_folder : Path or str

    Returns
    -------
    bool
    """
    note = (
        _read_note(_get_note_path(spec, file, data_folder))
        if _has_unproven_copy(spec, file, data_folder)
        else None
    )
    # A record of an earlier version may lack the key; its fetch runs again in any case.
    recorded = {entry["name"]: entry["sha256"] for entry in record["files"] if entry.get("obtained")}
    return note is not None and any(recorded.get(name, d) != d for name, d in note["content"].items())


def _has_unproven_copy(spec: DataSet, file: DataFile, data_folder: PathLike) -> bool:
    """Whether the cache holds copies whose content no checksum of the registry proves."""
    return file.follows_content and is_cached(spec, file, data_folder)


def _get_note_path(spec: DataSet, file: DataFile, data_folder: PathLike) -> Path:
    """Return the path of the note on the copy of one file of a data set."""
    return get_cache_folder(file, data_folder) / f"{spec.name}.{file.name}{file.cached_as}.origin"


def _read_note(path: Path) -> dict | None:
    """Read a note; None if there is none that can be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # none, or one that was cut off: the cache is filled again
        return None


def _write_note(path: Path, stats: list, digest: str, content: dict) -> None:
    """Write a note: what the copy looked like, its SHA-256, and the digests of the cached files."""
    atomic_write_text(path, json.dumps({"seen": stats, "sha256": digest, "content": content}) + "\n")


def _list_files(packed: Path) -> list[Path]:
    """List the copy itself, or the files below it where it is a folder."""
    return sorted(p for p in packed.rglob("*") if p.is_file()) if packed.is_dir() else [packed]


def _stat_files(packed: Path) -> list[list]:
    """List path, size and times of a file, or of those below a folder; the second time cannot be set back."""
    stats = [(str(path.resolve()), path.stat()) for path in _list_files(packed)]
    return [[path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns] for path, stat in stats]


def _compute_digest(packed: Path) -> str:
    """Return the SHA-256 of a file, or of the names and digests of the files below a folder."""
    files = _list_files(packed)
    if len(files) == 1:
        return compute_sha256(files[0])
    # Of a folder the names count too: two files with exchanged contents are other data.
    names_and_digests = "".join(f"{path.name} {compute_sha256(path)}\n" for path in files)
    return hashlib.sha256(names_and_digests.encode()).hexdigest()
