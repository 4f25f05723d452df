"""Places and names of a file on this machine; nothing is read here.

=====================================  ==========================================
``path`` of an entry                   a user's own file
``<mirror>/<family>/<name>``           a mirror folder
``<data folder>/<family>/<name>``      put in place by hand
``<data folder>/cache/<family>/...``   unpacked and verified by this package
=====================================  ==========================================
"""

import os
from pathlib import Path

from reproduction.datasets.specs import ARCHIVE_SUFFIXES, COMPRESSION_SUFFIXES, USER_FAMILY, DataFile, DataSet

PathLike = Path | str
Mirror = PathLike | None
"""A folder, a URL prefix, or none."""


def select_mirror(configured: str | None) -> str | None:
    """Return the mirror to use: the environment variable TOPRANK_MIRROR wins over the config.

    Parameters
    ----------
    configured : str or None
        The mirror of the config.

    Returns
    -------
    str or None
    """
    return os.environ.get("TOPRANK_MIRROR") or configured or None


def is_url(mirror: Mirror) -> bool:
    """Whether a mirror is a URL prefix rather than a folder.

    Parameters
    ----------
    mirror : Path, str or None

    Returns
    -------
    bool
    """
    return mirror is not None and "://" in str(mirror)


def list_file_names(file: DataFile) -> list[str]:
    """List the names that one file, or a folder with the members of an archive, may have.

    Parameters
    ----------
    file : DataFile

    Returns
    -------
    list of str
        In the order in which they are tried.
    """
    all_suffixes = (*ARCHIVE_SUFFIXES, "") if file.members else ("", *COMPRESSION_SUFFIXES, *ARCHIVE_SUFFIXES)
    return [
        name + ending for name in (file.name, *file.also_named) for ending in file.endings or all_suffixes
    ]


def list_mirror_paths(file: DataFile, mirror: Mirror) -> list[Path]:
    """List the paths in a mirror folder that may be the file; none for a URL.

    Parameters
    ----------
    file : DataFile
    mirror : Path, str or None

    Returns
    -------
    list of Path
        Those that exist.
    """
    return [] if mirror is None or is_url(mirror) else _list_existing(Path(mirror), file)


def list_mirror_urls(file: DataFile, mirror: Mirror) -> list[str]:
    """List the addresses of a file in a mirror that is a URL prefix; its query, if any, stays at the end.

    Parameters
    ----------
    file : DataFile
    mirror : Path, str or None

    Returns
    -------
    list of str
        Empty unless the mirror is a URL.
    """
    if not is_url(mirror):
        return []
    # a token of the server is in the query, and belongs behind the name of the file
    prefix, mark, query = mirror.partition("?")
    names = list_file_names(file)
    if file.members:  # a server has no folders
        names = [name for name in names if name not in (file.name, *file.also_named)]
    return [f"{prefix.rstrip('/')}/{file.family}/{name}{mark}{query}" for name in names]


def list_manual_paths(file: DataFile, data_folder: PathLike) -> list[Path]:
    """List the paths in the data folder that may be the file, put there by hand.

    Parameters
    ----------
    file : DataFile
    data_folder : Path or str

    Returns
    -------
    list of Path
        Those that exist.
    """
    return _list_existing(Path(data_folder), file)


def list_user_files(file: DataFile) -> list[Path]:
    """List the user's own file if it exists.

    Parameters
    ----------
    file : DataFile

    Returns
    -------
    list of Path
        At most one.
    """
    path = Path(file.path)
    return [path] if file.path and (path.is_file() or (file.members and path.is_dir())) else []


def list_local_copies(file: DataFile, data_folder: PathLike, mirror: Mirror) -> list[Path]:
    """List the paths outside the cache that may be the file, in the order in which they are tried.

    Parameters
    ----------
    file : DataFile
    data_folder : Path or str
    mirror : Path, str or None

    Returns
    -------
    list of Path
    """
    if file.path:
        return list_user_files(file)
    return [*list_mirror_paths(file, mirror), *list_manual_paths(file, data_folder)]


def get_refusal_note(spec: DataSet, file: DataFile, packed: Path, data_folder: PathLike) -> Path:
    """Return the path of the note that a user's own copy was refused.

    Parameters
    ----------
    spec : DataSet
    file : DataFile
    packed : Path
        The copy.
    data_folder : Path or str

    Returns
    -------
    Path
    """
    return get_cache_folder(file, data_folder) / f"{spec.name}.{packed.name}.refused"


def was_refused(spec: DataSet, file: DataFile, packed: Path, data_folder: PathLike) -> bool:
    """Whether this copy was refused since it was put there.

    Parameters
    ----------
    spec : DataSet
    file : DataFile
    packed : Path
        The copy.
    data_folder : Path or str

    Returns
    -------
    bool
    """
    note = get_refusal_note(spec, file, packed, data_folder)
    # the time of status change, unlike that of content, cannot be set back
    return note.exists() and note.stat().st_ctime_ns >= packed.stat().st_ctime_ns


def get_cache_paths(spec: DataSet, file: DataFile, data_folder: PathLike) -> dict[str, Path]:
    """Map the name of the file, or of each member of the archive, to where its verified copy belongs.

    Parameters
    ----------
    spec : DataSet
    file : DataFile
    data_folder : Path or str

    Returns
    -------
    dict of str to Path
    """
    folder = get_cache_folder(file, data_folder)
    if file.members:
        return {member: folder / (spec.name + file.cached_as) / member for member in file.members}
    if file.family == USER_FAMILY:  # two data sets may have a file of one name
        folder /= spec.name
    return {file.name: folder / file.name}


def is_cached(spec: DataSet, file: DataFile, data_folder: PathLike) -> bool:
    """Whether the cache holds the file, or each member of the archive.

    Parameters
    ----------
    spec : DataSet
    file : DataFile
    data_folder : Path or str

    Returns
    -------
    bool
    """
    return all(path.exists() for path in get_cache_paths(spec, file, data_folder).values())


def get_cache_folder(file: DataFile, data_folder: PathLike) -> Path:
    """Return the cache of the file's family.

    Parameters
    ----------
    file : DataFile
    data_folder : Path or str

    Returns
    -------
    Path
    """
    return Path(data_folder) / "cache" / file.family


def _list_existing(folder: Path, file: DataFile) -> list[Path]:
    """List the paths below the file's family in a folder that exist."""
    paths = [folder / file.family / name for name in list_file_names(file)]
    return [path for path in paths if path.is_file() or (file.members and path.is_dir())]
