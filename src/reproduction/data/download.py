"""Obtaining the files of a data set, in this order: mirror, official addresses, a file put in place by hand.

The verified copy in the cache is reused; its checksum is computed again each time. This module is imported
while the workflow's graph is built, so it stays light.
"""

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path

from reproduction.addresses import redact_addresses
from reproduction.data import origin, registry
from reproduction.data.admit import admit
from reproduction.data.archives import sha256
from reproduction.data.errors import DataError, NotObtained, TransportError
from reproduction.data.places import (
    address_in_mirror,
    cache_folder,
    cached,
    in_mirror,
    is_url,
    mirror_from,
    own,
    packed_names,
    put_by_hand,
    url_name,
    was_refused,
)
from reproduction.data.records import ARCHIVES, PACKED
from reproduction.data.transport import download

__all__ = ["Fetched", "available_locally", "fetch", "fetch_again", "is_replaced", "mirror_from", "obtain"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fetched:
    """What was obtained of a data set.

    Attributes
    ----------
    status : str
        "obtained", "partial" (an optional file is missing) or "not obtained".
    reason : str
        One sentence, empty if obtained.
    files : list of dict
        ``{"name", "sha256", "found"}`` for each file or member of an archive; the checksum of what was
        found, or the expected one where nothing was.
    paths : dict of str to Path
        Name to verified local copy, of the found ones.
    notes : list of str
        What no checksum could prove.
    """

    dataset: str
    status: str
    reason: str
    files: list = field(default_factory=list)
    paths: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)

    def record(self):
        """Return the content of fetch.json, which depends neither on the time nor on the source."""
        return {"dataset": self.dataset, "status": self.status, "reason": self.reason, "files": self.files}

    def add(self, file, found):
        """Add what :func:`obtain` returned, with a note if no checksum proves it."""
        for name, (path, digest) in found.items():
            self.files.append({"name": name, "sha256": digest, "found": True})
            self.paths[name] = path
        unproven = [name for name, (_, digest) in found.items() if file.expected[name] != digest]
        if unproven and not file.path:
            shown = found[unproven[0]][1] if len(found) == 1 else "as in fetch.json"
            self.notes.append(f"No checksum of the official {file.name} is known; found SHA-256 {shown}.")
        elif file.reconstruction:
            self.notes.append(file.reconstruction["note"])


def available_locally(dataset, data_folder, mirror, everything=False):
    """Whether the files of a data set lie in the mirror folder, the data folder or the cache.

    Nothing is opened, so that a file with wrong content counts until it is refused.

    `mirror` (path, URL or None): a URL counts as not local. `everything`: also the optional files.
    """
    spec = registry.get(dataset)
    return all(
        any(
            all(path.exists() for path in cached(spec, choice, data_folder).values())
            or any(
                not was_refused(spec, choice, path, data_folder)
                for path in _copies(choice, data_folder, mirror)
            )
            for choice in file.alternatives()
        )
        for file in spec.files
        if everything or not file.optional
    )


def fetch(dataset, data_folder, mirror=None):
    """Obtain and verify all files of a data set; what cannot be obtained is a status, not an exception.

    `dataset`: name in the registry. `mirror`: path, URL prefix or None.
    """
    spec = registry.get(dataset)
    got, missing, told = Fetched(dataset, "obtained", ""), [], []
    for file in spec.files:
        try:
            got.add(file, obtain(spec, file, data_folder, mirror))
        except NotObtained as error:
            got.files.extend(
                {"name": n, "sha256": digest, "found": False} for n, digest in file.expected.items()
            )
            missing.append(file)
            told += error.told
    if not missing:
        return got
    status = "partial" if all(file.optional for file in missing) else "not obtained"
    return Fetched(
        dataset, status, _advice(spec, missing, told, data_folder), got.files, got.paths, got.notes
    )


def fetch_again(record, data_folder, mirror=None):
    """Return the files that an earlier :func:`fetch` found, from the cache or once more from their source.

    `record`: as :meth:`Fetched.record` gives it. `mirror`: path, URL prefix or None. Returns: with the status
    and the reason of the record. Raises `NotObtained`: a file that was found then cannot be obtained now.
    """
    spec = registry.get(record["dataset"])
    got = Fetched(spec.name, record["status"], record["reason"])
    found = {entry["name"] for entry in record["files"] if entry["found"]}
    for file in spec.files:
        if found.issuperset(file.expected) and record["status"] != "not obtained":
            got.add(file, obtain(spec, file, data_folder, mirror))
    recorded = {entry["name"]: entry["sha256"] for entry in record["files"]}
    for entry in got.files:
        if recorded[entry["name"]] != entry["sha256"]:
            raise DataError(
                f"{entry['name']} of the data set {spec.name} was replaced during the run: run again."
            )
    return got


def is_replaced(record, data_folder, mirror=None):
    """Whether a copy on this machine has another content than the record says.

    `record`: as :meth:`Fetched.record` gives it. `mirror`: path, URL prefix or None. Returns: always False
    for a file whose checksum the registry knows, except for a user's own.
    """
    spec = registry.get(record["dataset"])
    return any(
        origin.was_replaced(spec, file, data_folder, mirror)
        or origin.differs(spec, file, record, data_folder)
        for choice in spec.files
        for file in choice.alternatives()
    )


def obtain(spec, file, data_folder, mirror=None):
    """One file, or the members of one archive, verified, from the first source that has it.

    `mirror`: path, URL prefix or None. Returns: name of the file or member to its verified local copy and the
    checksum found. Raises `NotObtained`: one sentence: what every source said, and what to do.
    """
    told = []
    for choice in file.alternatives():
        replaced = origin.was_replaced(spec, choice, data_folder, mirror)
        found = None if replaced else _verified_cache(spec, choice, data_folder)
        found = found or _try_sources(spec, choice, data_folder, mirror, told)
        if found:
            return found
    if file.path:
        told += [] if own(file) else [f"there is no file {file.path}"]
        raise NotObtained(_advice(spec, [file], told, data_folder), told)
    if mirror is None:
        told.append("no mirror is named")
    elif not is_url(mirror) and not Path(mirror).is_dir():
        told.append(f"the mirror {redact_addresses(str(mirror))} is no folder")
    elif not any(redact_addresses(str(mirror)).rstrip("/") in said for said in told):
        told.append("the mirror does not hold it")
    if file.by_hand:
        told.append(f"its page offers {file.by_hand} only after its terms are accepted")
    elif not file.urls:
        told.append("no official address serves it as a file")
    raise NotObtained(_advice(spec, [file], told, data_folder), told)


def _verified_cache(spec, file, data_folder):
    """Return what :func:`obtain` returns if the cache holds it unchanged, otherwise None."""
    places = cached(spec, file, data_folder)
    if not all(path.exists() for path in places.values()):
        return None
    found = {name: (path, sha256(path)) for name, path in places.items()}
    changed = [path for name, (path, digest) in found.items() if file.expected[name] not in (None, digest)]
    for path in changed:
        log.warning("The verified copy %s of %s was changed; it is obtained again.", path, spec.name)
        path.replace(path.with_name(f"{path.name}.rejected"))
    return None if changed else found


def _try_sources(spec, file, data_folder, mirror, told):
    """Return what :func:`obtain` returns, from the first source that has it; ``told`` collects failures."""
    from_mirror = redact_addresses(str(mirror)).rstrip("/") if is_url(mirror) else None
    asks_mirror = True
    for source, get in _sources(file, data_folder, mirror):
        is_mirrors = from_mirror is not None and source.startswith(f"{from_mirror}/")
        if is_mirrors and not asks_mirror:
            continue
        try:
            path, ours = get()
            return admit(path, ours, source, spec, file, data_folder)
        except TransportError as error:
            log.info("%s: %s", file.name, error)
            if not (error.absent and is_mirrors):
                told.append(str(error))
                asks_mirror = asks_mirror and not is_mirrors  # one sentence, not one for each name of a file
        except DataError as error:
            log.warning("%s: %s", file.name, error)
            told.append(str(error))
    return None


def _sources(file, data_folder, mirror):
    """Yield, in order, a source and a function that returns a local copy and whether it may be moved."""

    def of_path(path):
        return str(path), lambda: (path, False)

    def of_url(url):
        target = cache_folder(file, data_folder) / f"{url_name(url)}.{os.getpid()}.download"

        def get():
            download(url, target)
            return target, True

        return redact_addresses(url), get

    if file.path:
        yield from (of_path(path) for path in own(file))
        return
    kept = [cache_folder(file, data_folder) / url_name(url) for url in file.addresses if file.inside]
    yield from (of_path(path) for path in [*filter(Path.exists, kept), *in_mirror(file, mirror)])
    if is_url(mirror):
        served = [
            name
            for name in packed_names(file)
            if not file.members or name not in (file.name, *file.also_named)
        ]
        yield from (of_url(address_in_mirror(mirror, file, name)) for name in served)
    yield from (of_url(url) for url in file.addresses)
    yield from (of_path(path) for path in put_by_hand(file, data_folder))


def _copies(file, data_folder, mirror):
    """List the local paths outside the cache that may be the file."""
    return own(file) if file.path else [*in_mirror(file, mirror), *put_by_hand(file, data_folder)]


def _advice(spec, missing, told, data_folder):
    """One sentence: what is missing, what every source said, and what to do."""
    names = ", ".join(file.name for file in missing)
    said = f"The data set {spec.name} lacks {names}: {'; '.join(dict.fromkeys(told))}"
    if missing[0].path:
        return f"{said}; correct the file, or its entry in {registry.own_file()}, and run again."
    if missing[0].members:
        form = f"as an archive ({', '.join(ARCHIVES)})"
    else:
        form = f"as it is or packed ({', '.join(PACKED)})"
    where = f"{Path(data_folder) / spec.family}{f' from {spec.home}' if spec.home else ''}"
    return (
        f"{said}; to use it, put {names} {form} into {where}, or name a mirror that holds it, and run again."
    )
