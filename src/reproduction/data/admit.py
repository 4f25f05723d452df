"""The only way into the cache: a copy is unpacked, verified, and only then gets its name.

A copy that fails is kept as ``<name>.rejected`` and never used. A note says which of the user's own copies
was refused: it does not count as available until it is replaced.
"""

import os

from reproduction.data import archives, origin
from reproduction.data.errors import BadArchive, DataError
from reproduction.data.places import cache_folder, cached, refusal, url_name
from reproduction.data.transport import sweep

# LETOR 3.0 calls the files of a fold differently from LETOR 4.0, which the registry follows.
_ALSO_CALLED = {"train.txt": "trainingset.txt", "vali.txt": "validationset.txt", "test.txt": "testset.txt"}


def admit(packed, ours, source, spec, file, data_folder):
    """Unpack and verify one copy.

    `packed`: the copy: plain, packed, an archive, or (for an archive) a folder. `ours`: whether this package
    downloaded it and may move or delete it; a user's own file is left as it is. `source`: URL or path, for
    messages. Returns: name of the file or member to its place in the cache and the checksum found. Raises
    `DataError`: a web page, a damaged archive, a missing member, a wrong checksum; the message says where the
    bad copy is kept and what to do.
    """
    places = cached(spec, file, data_folder)
    unfinished = {name: place.with_name(f"{place.name}.{os.getpid()}.part") for name, place in places.items()}
    for place in places.values():
        place.parent.mkdir(parents=True, exist_ok=True)
        sweep(place.parent)
    most = spec.most_bytes()
    try:
        if packed.is_file() and archives.is_web_page(packed):
            raise BadArchive(
                f"{source} gives a web page instead of {file.name}: open it in a browser, since it may ask "
                "to accept a licence"
            )
        _check_served(packed, source, file)
        if file.members:
            inside = find_members(packed, file)
            archives.unpack_members(packed, {inside[m]: path for m, path in unfinished.items()}, most)
        else:
            archives.unpack_file(packed, (file.name, *file.also_named), unfinished[file.name], most)
        found = {name: _verify(unfinished[name], place, source, file) for name, place in places.items()}
        if not ours:
            origin.write(spec, file, packed, found, data_folder)
        elif file.inside:  # other data sets lie in the same archive
            packed.replace(cache_folder(file, data_folder) / url_name(source))
        return found
    except DataError as error:
        said = str(error).replace(str(packed), source).rstrip(".")
        if not ours:
            refusal(spec, file, packed, data_folder).write_text(f"{said}\n", encoding="utf-8")
        elif isinstance(error, BadArchive):
            rejected = cache_folder(file, data_folder) / f"{url_name(source)}.rejected"
            packed.replace(rejected)
            said += f" (kept aside as {rejected} and not used)"
        raise DataError(said) from error
    finally:
        for path in unfinished.values():
            path.unlink(missing_ok=True)
        if ours:
            packed.unlink(missing_ok=True)


def find_members(packed, file):
    """Find each wanted member in an archive, below any folders that the archive adds.

    One archive may hold several data sets (``file.inside`` names the folders of this one) in several
    normalisations, of which QueryLevelNorm is the one of the benchmark.

    Returns: member as the registry names it to its path in the archive. Raises `BadArchive`: a member is
    missing or there are several that could be it.
    """
    held = archives.members(packed)
    found = {}
    for member in file.members:
        folder, _, last = member.rpartition("/")
        endings = tuple(f"/{folder}/{name}".lower() for name in (last, _ALSO_CALLED.get(last, last)))
        paths = [path for path in held if f"/{path}".lower().endswith(endings)]
        for folders in (file.inside, ("QueryLevelNorm",)):
            wanted = {name.lower() for name in folders}
            paths = [path for path in paths if wanted & set(path.lower().split("/"))] or paths
        if len(paths) != 1:
            raise BadArchive(f"{packed} holds {len(paths)} members for {member} where one is needed")
        found[member] = paths[0]
    return found


def _verify(unfinished, place, source, file):
    expected = file.members[f"{place.parent.name}/{place.name}"] if file.members else file.sha256
    digest = archives.sha256(unfinished)
    if expected not in (None, digest) and file.path:
        raise DataError(
            f"the content of {source} is not the one that was added (SHA-256 expected {expected}, got "
            f"{digest}): add it again with --replace, or write sha256: null for a file that may change"
        )
    if expected not in (None, digest):
        rejected = place.with_name(f"{place.name}.rejected")
        unfinished.replace(rejected)
        raise DataError(
            f"the content of {place.name} from {source} has the wrong checksum (SHA-256 expected {expected}, "
            f"got {digest}; kept aside as {rejected} and not used): replace that copy by the official file"
        )
    unfinished.replace(place)
    return place, digest


def _check_served(packed, source, file):
    """Check a packed copy if only the checksum of its packed form is known."""
    expected = file.served_sha256.get(archives.kind(packed)) if file.served_sha256 else None
    if expected and (digest := archives.sha256(packed)) != expected:
        raise BadArchive(
            f"{file.name} from {source} has the wrong checksum as it is packed (SHA-256 expected {expected}, "
            f"got {digest}): replace that copy by the official file"
        )
