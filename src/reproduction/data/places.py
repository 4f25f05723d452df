"""Places and names of a file on this machine; nothing is read here.

=====================================  ==========================================
``path`` of an entry                   a user's own file
``<mirror>/<family>/<name>``           a mirror folder
``<data folder>/<family>/<name>``      put in place by hand
``<data folder>/cache/<family>/...``   unpacked and verified by this package
=====================================  ==========================================
"""

import os
import re
from pathlib import Path

from reproduction.data.records import ARCHIVES, OWN, PACKED


def mirror_from(configured):
    """Return the mirror to use, or None: the environment variable TOPRANK_MIRROR wins over the config."""
    return os.environ.get("TOPRANK_MIRROR") or configured or None


def is_url(mirror):
    """Whether a mirror is a URL prefix rather than a folder."""
    return mirror is not None and "://" in str(mirror)


def packed_names(file):
    """List the names that one file, or a folder with the members of an archive, may have."""
    every = (*ARCHIVES, "") if file.members else ("", *PACKED, *ARCHIVES)
    return [name + ending for name in (file.name, *file.also_named) for ending in file.endings or every]


def in_mirror(file, mirror):
    """List the paths in a mirror folder that may be the file; none for a URL."""
    return [] if mirror is None or is_url(mirror) else _below(Path(mirror), file)


def address_in_mirror(mirror, file, name):
    """Return the address of a file in a mirror that is a URL prefix; its query, if any, stays at the end."""
    prefix, mark, query = mirror.partition("?")
    return f"{prefix.rstrip('/')}/{file.family}/{name}{mark}{query}"


def put_by_hand(file, data_folder):
    """List the paths in the data folder that may be the file, put there by hand."""
    return _below(Path(data_folder), file)


def own(file):
    """List the user's own file if it exists."""
    path = Path(file.path)
    return [path] if file.path and (path.is_file() or (file.members and path.is_dir())) else []


def refusal(spec, file, packed, data_folder):
    """Return the path of the note that a user's own copy was refused."""
    return cache_folder(file, data_folder) / f"{spec.name}.{packed.name}.refused"


def was_refused(spec, file, packed, data_folder):
    """Whether this copy was refused since it was put there."""
    note = refusal(spec, file, packed, data_folder)
    return note.exists() and note.stat().st_ctime_ns >= packed.stat().st_ctime_ns


def cached(spec, file, data_folder):
    """Map the name of the file, or of each member of the archive, to where its verified copy belongs."""
    folder = cache_folder(file, data_folder)
    if file.members:
        return {member: folder / (spec.name + file.cached_as) / member for member in file.members}
    if file.family == OWN:  # two data sets may have a file of one name
        folder /= spec.name
    return {file.name: folder / file.name}


def cache_folder(file, data_folder):
    """Return the cache of the file's family."""
    return Path(data_folder) / "cache" / file.family


def url_name(url):
    """Return the name of the file that a URL ends with, without its query, which may be secret."""
    return re.split(r"[?#]", url, maxsplit=1)[0].rsplit("/", 1)[-1]


def _below(folder, file):
    paths = [folder / file.family / name for name in packed_names(file)]
    return [path for path in paths if path.is_file() or (file.members and path.is_dir())]
