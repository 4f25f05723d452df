"""A note of the copy from which the cache was filled, so that a replaced copy is noticed.

It matters for a user's own files, and where no checksum is known. The note keeps sizes and times too: a file
with the same ones is not read again.
"""

import hashlib
import json
from pathlib import Path

from reproduction.data.archives import sha256
from reproduction.data.places import cache_folder, cached, in_mirror, own, put_by_hand
from reproduction.whole import write_whole


def write(spec, file, packed, found, data_folder):
    """Note from which copy the files in the cache were admitted.

    `found`: what :func:`reproduction.data.admit.admit` returns.
    """
    if not file.follows_content:
        return
    digests = {name: digest for name, (_, digest) in found.items()}
    _save(_note(spec, file, data_folder), _seen(packed), _digest(packed), digests)


def was_replaced(spec, file, data_folder, mirror):
    """Whether a copy on this machine is no longer the one from which the cache was filled.

    A download stays until there is a copy in the mirror's folder.
    """
    if not _matters(spec, file, data_folder):
        return False
    path = _note(spec, file, data_folder)
    note = _read(path)
    by_hand = put_by_hand(file, data_folder) if note else ()
    copies = own(file) if file.path else [*in_mirror(file, mirror), *by_hand]
    if not copies:
        return False
    if note is None:
        return True
    seen = _seen(copies[0])
    if note["seen"] == seen:
        return False
    if note["sha256"] != _digest(copies[0]):
        return True
    _save(path, seen, note["sha256"], note["content"])
    return False


def differs(spec, file, record, data_folder):
    """Whether the cache holds another content than a record of an earlier fetch."""
    note = _read(_note(spec, file, data_folder)) if _matters(spec, file, data_folder) else None
    recorded = {entry["name"]: entry["sha256"] for entry in record["files"] if entry["found"]}
    return note is not None and any(recorded.get(name, d) != d for name, d in note["content"].items())


def _matters(spec, file, data_folder):
    """Whether the cache holds copies whose content no checksum of the registry proves."""
    places = cached(spec, file, data_folder).values()
    return file.follows_content and all(path.exists() for path in places)


def _note(spec, file, data_folder):
    return cache_folder(file, data_folder) / f"{spec.name}.{file.name}{file.cached_as}.origin"


def _read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # none, or one that was cut off: the copy is admitted again
        return None


def _save(path, seen, digest, content):
    write_whole(path, json.dumps({"seen": seen, "sha256": digest, "content": content}) + "\n")


def _files(packed):
    packed = Path(packed)
    return sorted(p for p in packed.rglob("*") if p.is_file()) if packed.is_dir() else [packed]


def _seen(packed):
    """Path, size and times of a file, or of those below a folder; the second time cannot be set back."""
    told = [(str(path.resolve()), path.stat()) for path in _files(packed)]
    return [[path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns] for path, stat in told]


def _digest(packed):
    files = _files(packed)
    if len(files) == 1:
        return sha256(files[0])
    told = "".join(f"{path.name} {sha256(path)}\n" for path in files)
    return hashlib.sha256(told.encode()).hexdigest()
