"""The only way into the cache: a copy is unpacked, verified, and only then gets its name.

A copy that fails is kept as ``<name>.rejected`` and never used. A note says which of the user's own copies
was refused: it does not count as available until it is replaced.
"""

import os
from pathlib import Path

from reproduction.core.errors import BadArchiveError, DataError
from reproduction.core.path_checks import get_url_name
from reproduction.datasets.download import archives
from reproduction.datasets.download.cache_state import record_source
from reproduction.datasets.download.http import remove_stale_parts
from reproduction.datasets.download.locations import (
    PathLike,
    get_cache_folder,
    get_cache_paths,
    get_refusal_note,
)
from reproduction.datasets.specs import DataFile, DataSet

# LETOR 3.0 calls the files of a fold differently from LETOR 4.0, which the registry follows.
_LETOR_3_NAMES = {"train.txt": "trainingset.txt", "vali.txt": "validationset.txt", "test.txt": "testset.txt"}


def add_to_cache(
    packed: Path, source: str, spec: DataSet, file: DataFile, data_folder: PathLike, is_download: bool
) -> dict[str, tuple[Path, str]]:
    """Unpack and verify one copy.

    Parameters
    ----------
    packed : Path
        The copy: plain, packed, an archive, or (for an archive) a folder.
    source : str
        URL or path, for messages.
    spec : DataSet
    file : DataFile
    data_folder : Path or str
    is_download : bool
        Whether the copy may be moved or deleted; a user's own file is left as it is.

    Returns
    -------
    dict
        Name of the file or member to its path in the cache and its SHA-256.

    Raises
    ------
    DataError
        A web page, a damaged archive, a missing member, a wrong checksum; the message says where the bad copy
        is kept and what to do.
    """
    paths = get_cache_paths(spec, file, data_folder)
    # unfinished files carry the number of the process: two runs may unpack the same file
    parts = {name: path.with_name(f"{path.name}.{os.getpid()}.part") for name, path in paths.items()}
    for folder in {path.parent for path in paths.values()}:
        folder.mkdir(parents=True, exist_ok=True)
        remove_stale_parts(folder)
    try:
        _unpack(packed, source, file, parts, spec.max_file_bytes())
        verified = {name: (path, _verify(parts[name], path, source, file)) for name, path in paths.items()}
        if not is_download:
            # of a local copy, the state is noted, so that a replaced one is seen in the next run
            digests = {name: digest for name, (_, digest) in verified.items()}
            record_source(spec, file, packed, digests, data_folder)
        elif file.folders:  # other data sets lie in the same archive
            packed.replace(get_cache_folder(file, data_folder) / get_url_name(source))
        return verified
    except DataError as error:
        message = str(error).replace(str(packed), source).rstrip(".")
        # a user's file stays where it is, with a note why it was refused; a broken download is set aside
        if not is_download:
            get_refusal_note(spec, file, packed, data_folder).write_text(f"{message}\n", encoding="utf-8")
        elif isinstance(error, BadArchiveError):
            rejected = get_cache_folder(file, data_folder) / f"{get_url_name(source)}.rejected"
            packed.replace(rejected)
            message += f" (kept aside as {rejected} and not used)"
        raise DataError(message) from error
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
        if is_download:
            packed.unlink(missing_ok=True)


def _unpack(packed: Path, source: str, file: DataFile, parts: dict[str, Path], max_bytes: int | None) -> None:
    """Unpack a copy into unfinished files, unless it is a web page or not the official packed file."""
    # a login or licence page comes with status 200; a user's own file may begin with "<"
    if not file.path and packed.is_file() and archives.is_web_page(packed):
        raise BadArchiveError(
            f"{source} gives a web page instead of {file.name}: open it in a browser, since it may ask "
            "to accept a licence"
        )
    expected = file.served_sha256.get(archives.detect_format(packed)) if file.served_sha256 else None
    if expected and (digest := archives.compute_sha256(packed)) != expected:
        raise BadArchiveError(
            f"{file.name} from {source} has the wrong checksum as it is packed (SHA-256 expected {expected}, "
            f"got {digest}): replace that copy by the official file"
        )
    if file.members:
        member_paths = find_members(packed, file)
        archives.unpack_members(packed, {member_paths[m]: part for m, part in parts.items()}, max_bytes)
    else:
        archives.unpack_file(packed, (file.name, *file.also_named), parts[file.name], max_bytes)


def find_members(packed: Path, file: DataFile) -> dict[str, str]:
    """Find each wanted member in an archive, below any folders that the archive adds.

    One archive may hold several data sets (``file.folders`` names the folders of this one) in several
    normalisations, of which QueryLevelNorm is the one of the benchmark.

    Parameters
    ----------
    packed : Path
        Archive or folder.
    file : DataFile

    Returns
    -------
    dict of str to str
        Member as the registry names it to its path in the archive.

    Raises
    ------
    BadArchiveError
        A member is missing or there are several that could be it.
    """
    paths_in_archive = archives.list_members(packed)
    member_paths = {}
    for member in file.members:
        folder, _, last = member.rpartition("/")
        endings = tuple(f"/{folder}/{name}".lower() for name in (last, _LETOR_3_NAMES.get(last, last)))
        # the end of the path decides, since archives put their members below folders of their own
        matches = [path for path in paths_in_archive if f"/{path}".lower().endswith(endings)]
        # of several versions of a fold: the registry's folder, then the normalised features that L14 uses
        for folders in (file.folders, ("QueryLevelNorm",)):
            folder_names = {name.lower() for name in folders}
            matches = [path for path in matches if folder_names & set(path.lower().split("/"))] or matches
        if len(matches) != 1:
            raise BadArchiveError(f"{packed} holds {len(matches)} members for {member} where one is needed")
        member_paths[member] = matches[0]
    return member_paths


def _verify(part: Path, path: Path, source: str, file: DataFile) -> str:
    """Give an unpacked file its name and return its SHA-256, or refuse it."""
    expected = file.members[f"{path.parent.name}/{path.name}"] if file.members else file.sha256
    digest = archives.compute_sha256(part)
    # no known checksum: the content is taken, and its digest noted
    if expected in (None, digest):
        part.replace(path)
        return digest
    if file.path:
        raise DataError(
            f"the content of {source} is not the one that was added (SHA-256 expected {expected}, got "
            f"{digest}): add it again with --replace, or write sha256: null for a file that may change"
        )
    rejected = path.with_name(f"{path.name}.rejected")
    part.replace(rejected)
    raise DataError(
        f"the content of {path.name} from {source} has the wrong checksum (SHA-256 expected {expected}, "
        f"got {digest}; kept aside as {rejected} and not used): replace that copy by the official file"
    )
