"""Obtaining the files of a data set, in this order: mirror, official addresses, a file put in place by hand.

The verified copy in the cache is reused; its checksum is computed again each time. This module is imported
while the workflow's graph is built, so it stays light.
"""

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from reproduction.core.errors import DataError, NotObtainedError, TransportError
from reproduction.core.path_checks import get_url_name
from reproduction.core.redaction import redact_addresses
from reproduction.datasets import registry
from reproduction.datasets.download import locations
from reproduction.datasets.download.archives import compute_sha256
from reproduction.datasets.download.cache_state import has_other_content, is_source_replaced
from reproduction.datasets.download.http import download
from reproduction.datasets.download.locations import Mirror, PathLike
from reproduction.datasets.download.validate import add_to_cache
from reproduction.datasets.specs import ARCHIVE_SUFFIXES, COMPRESSION_SUFFIXES, DataFile, DataSet

log = logging.getLogger(__name__)
Verified = dict[str, tuple[Path, str]]
"""Name of the file, or of each member of an archive, to its verified local copy and its SHA-256."""


@dataclass(frozen=True)
class FetchedDataSet:
    """What was obtained of a data set.

    Attributes
    ----------
    dataset, status : str
        Name in the registry, and "obtained", "partial" (an optional file is missing) or "not obtained".
    reason : str
        One sentence, empty if obtained.
    files : list of dict
        ``{"name", "sha256", "obtained"}`` for each file or member of an archive; the checksum of what was
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

    def record(self) -> dict:
        """Return the content of fetch.json, which depends neither on the time nor on the source.

        Returns
        -------
        dict
        """
        return {"dataset": self.dataset, "status": self.status, "reason": self.reason, "files": self.files}

    def add(self, file: DataFile, verified: Verified) -> None:
        """Add what :func:`obtain` returned, with a note if no checksum proves it.

        Parameters
        ----------
        file : DataFile
        verified : dict
            Name of the file or of each member to its path and SHA-256.
        """
        for name, (path, digest) in verified.items():
            self.files.append({"name": name, "sha256": digest, "obtained": True})
            self.paths[name] = path
        unproven = [
            digest for name, (_, digest) in verified.items() if file.expected_checksums[name] != digest
        ]
        if unproven and not file.path:
            digest = unproven[0] if len(verified) == 1 else "as in fetch.json"
            self.notes.append(f"No checksum of the official {file.name} is known; found SHA-256 {digest}.")
        elif file.reconstruction:
            self.notes.append(file.reconstruction["note"])


def is_available_locally(
    dataset: str, data_folder: PathLike, mirror: Mirror, include_optional: bool = False
) -> bool:
    """Whether the files of a data set lie in the mirror folder, the data folder or the cache.

    Nothing is opened, so that a file with wrong content counts until it is refused. A mirror that is a URL
    counts as not local.

    Parameters
    ----------
    dataset : str
        Name in the registry.
    data_folder : Path or str
    mirror : Path, str or None
    include_optional : bool, default=False
        Whether the optional files are asked for, too.

    Returns
    -------
    bool
    """
    spec = registry.get(dataset)
    return all(
        any(
            locations.is_cached(spec, alternative, data_folder)
            or any(
                not locations.was_refused(spec, alternative, path, data_folder)
                for path in locations.list_local_copies(alternative, data_folder, mirror)
            )
            for alternative in file.alternatives()
        )
        for file in spec.files
        if include_optional or not file.optional
    )


def fetch(dataset: str, data_folder: PathLike, mirror: Mirror = None) -> FetchedDataSet:
    """Obtain and verify all files of a data set; what cannot be obtained is a status, not an exception.

    Parameters
    ----------
    dataset : str
        Name in the registry.
    data_folder : Path or str
    mirror : Path, str or None

    Returns
    -------
    FetchedDataSet
    """
    spec = registry.get(dataset)
    fetched, missing, reasons = FetchedDataSet(dataset, "obtained", ""), [], []
    for file in spec.files:
        try:
            fetched.add(file, obtain(spec, file, data_folder, mirror))
        except NotObtainedError as error:
            fetched.files.extend(
                {"name": n, "sha256": digest, "obtained": False}
                for n, digest in file.expected_checksums.items()
            )
            missing.append(file)
            reasons += error.reasons
    if not missing:
        return fetched
    status = "partial" if all(file.optional for file in missing) else "not obtained"
    advice = _describe_remedy(spec, missing, reasons, data_folder)
    return FetchedDataSet(dataset, status, advice, fetched.files, fetched.paths, fetched.notes)


def fetch_again(record: dict, data_folder: PathLike, mirror: Mirror = None) -> FetchedDataSet:
    """Return the files that an earlier :func:`fetch` found, from the cache or once more from their source.

    Parameters
    ----------
    record : dict
        As :meth:`FetchedDataSet.record` gives it; its status and reason are kept.
    data_folder : Path or str
    mirror : Path, str or None

    Returns
    -------
    FetchedDataSet

    Raises
    ------
    NotObtainedError
        A file that was found then cannot be obtained now.
    DataError
        A file has another content than then.
    """
    spec = registry.get(record["dataset"])
    fetched = FetchedDataSet(spec.name, record["status"], record["reason"])
    names = {entry["name"] for entry in record["files"] if entry["obtained"]}
    for file in spec.files:
        if names.issuperset(file.expected_checksums) and record["status"] != "not obtained":
            fetched.add(file, obtain(spec, file, data_folder, mirror))
    recorded = {entry["name"]: entry["sha256"] for entry in record["files"]}
    for entry in fetched.files:
        if recorded[entry["name"]] != entry["sha256"]:
            raise DataError(
                f"{entry['name']} of the data set {spec.name} was replaced during the run: run again."
            )
    return fetched


def is_replaced(record: dict, data_folder: PathLike, mirror: Mirror = None) -> bool:
    """Whether a copy on this machine has another content than the record of a fetch says.

    It never has for a file whose checksum the registry knows, except for a user's own.

    Parameters
    ----------
    record : dict
        As :meth:`FetchedDataSet.record` gives it.
    data_folder : Path or str
    mirror : Path, str or None

    Returns
    -------
    bool
    """
    spec = registry.get(record["dataset"])
    return any(
        is_source_replaced(spec, alternative, data_folder, mirror)
        or has_other_content(spec, alternative, record, data_folder)
        for file in spec.files
        for alternative in file.alternatives()
    )


def obtain(spec: DataSet, file: DataFile, data_folder: PathLike, mirror: Mirror = None) -> Verified:
    """Return one file, or the members of one archive, verified, from the first source that has it.

    Parameters
    ----------
    spec : DataSet
    file : DataFile
    data_folder : Path or str
    mirror : Path, str or None

    Returns
    -------
    dict
        Name of the file or of each member to its path and SHA-256.

    Raises
    ------
    NotObtainedError
        One sentence: what every source answered, and what to do.
    """
    reasons = []
    for alternative in file.alternatives():
        verified = None
        if not is_source_replaced(spec, alternative, data_folder, mirror):
            verified = _verify_cache(spec, alternative, data_folder)
        verified = verified or _try_sources(spec, alternative, data_folder, mirror, reasons)
        if verified:
            return verified
    if file.path:
        reasons += [] if locations.list_user_files(file) else [f"there is no file {file.path}"]
    else:
        reasons += _describe_absences(file, mirror, reasons)
    raise NotObtainedError(_describe_remedy(spec, [file], reasons, data_folder), reasons)


def _verify_cache(spec: DataSet, file: DataFile, data_folder: PathLike) -> Verified | None:
    """Return what :func:`obtain` returns if the cache holds it unchanged, otherwise None."""
    if not locations.is_cached(spec, file, data_folder):
        return None
    paths = locations.get_cache_paths(spec, file, data_folder)
    verified = {name: (path, compute_sha256(path)) for name, path in paths.items()}
    changed = [
        p for name, (p, digest) in verified.items() if file.expected_checksums[name] not in (None, digest)
    ]
    for path in changed:
        log.warning("The verified copy %s of %s was changed; it is obtained again.", path, spec.name)
        path.replace(path.with_name(f"{path.name}.rejected"))
    return None if changed else verified


def _try_sources(
    spec: DataSet, file: DataFile, data_folder: PathLike, mirror: Mirror, reasons: list[str]
) -> Verified | None:
    """Return what :func:`obtain` returns, from the first source that has it; ``reasons`` gets failures."""
    asks_mirror = True
    for source, is_mirror_url in _iterate_sources(file, data_folder, mirror):
        if is_mirror_url and not asks_mirror:
            continue
        try:
            return _add_source(source, spec, file, data_folder)
        except TransportError as error:
            log.info("%s: %s", file.name, error)
            if not (error.absent and is_mirror_url):
                reasons.append(str(error))
                # one sentence, not one for each name that the file may have
                asks_mirror = asks_mirror and not is_mirror_url
        except DataError as error:
            log.warning("%s: %s", file.name, error)
            reasons.append(str(error))
    return None


def _iterate_sources(
    file: DataFile, data_folder: PathLike, mirror: Mirror
) -> Iterator[tuple[Path | str, bool]]:
    """Yield, in order, a local path or an address, and whether that is an address in the mirror."""
    if file.path:
        yield from ((path, False) for path in locations.list_user_files(file))
        return
    cache = locations.get_cache_folder(file, data_folder)
    shared = [cache / get_url_name(url) for url in file.addresses if file.folders]
    yield from (
        (path, False) for path in [*filter(Path.exists, shared), *locations.list_mirror_paths(file, mirror)]
    )
    yield from ((url, True) for url in locations.list_mirror_urls(file, mirror))
    by_hand = locations.list_manual_paths(file, data_folder)
    yield from ((source, False) for source in [*file.addresses, *by_hand])


def _add_source(source: Path | str, spec: DataSet, file: DataFile, data_folder: PathLike) -> Verified:
    """Add a local copy, or what an address serves, to the cache."""
    if isinstance(source, Path):
        return add_to_cache(source, str(source), spec, file, data_folder, is_download=False)
    name = get_url_name(source)
    target = locations.get_cache_folder(file, data_folder) / f"{name}.{os.getpid()}.download"
    is_archive = file.members or name.endswith(ARCHIVE_SUFFIXES)  # which holds other files as well
    download(source, target, None if is_archive else spec.max_file_bytes())
    return add_to_cache(target, redact_addresses(source), spec, file, data_folder, is_download=True)


def _describe_absences(file: DataFile, mirror: Mirror, reasons: list[str]) -> list[str]:
    """Say which kinds of sources there are none of, where no reason says it yet."""
    absences = []
    address = redact_addresses(str(mirror))
    if mirror is None:
        absences.append("no mirror is named")
    elif not locations.is_url(mirror) and not Path(mirror).is_dir():
        absences.append(f"the mirror {address} is no folder")
    elif not any(address.rstrip("/") in reason for reason in reasons):
        absences.append("the mirror does not hold it")
    if file.by_hand:
        absences.append(f"its page offers {file.by_hand} only after its terms are accepted")
    elif not file.urls:
        absences.append("no official address serves it as a file")
    return absences


def _describe_remedy(
    spec: DataSet, missing: list[DataFile], reasons: list[str], data_folder: PathLike
) -> str:
    """Say in one sentence what is missing, what every source answered, and what to do."""
    names = ", ".join(file.name for file in missing)
    problem = f"The data set {spec.name} lacks {names}: {'; '.join(dict.fromkeys(reasons))}"
    if missing[0].path:
        return f"{problem}; correct the file, or its entry in {registry.get_user_registry()}, and run again."
    if missing[0].members:
        form = f"as an archive ({', '.join(ARCHIVE_SUFFIXES)})"
    else:
        form = f"as it is or packed ({', '.join(COMPRESSION_SUFFIXES)})"
    folder = f"{Path(data_folder) / spec.family}{f' from {spec.home}' if spec.home else ''}"
    return (
        f"{problem}; to use it, put {names} {form} into {folder}, or name a mirror that holds it, "
        "and run again."
    )
