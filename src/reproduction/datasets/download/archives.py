"""Unpacking .xz, .gz, .bz2 (one file) and .zip, .tar, .tar.*, .7z, .rar (archives), within a limit of bytes.

The first bytes tell the form. Everything is streamed in blocks, so that memory stays bounded; py7zr unpacks a
.7z to a folder beside the target. A .rar whose members are compressed needs unrar, unar, 7z or bsdtar on the
PATH. pooch's own processors bound no size, go by the ending of a name, and know neither .7z nor .rar.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import lzma
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from reproduction.core.errors import BadArchiveError
from reproduction.core.path_checks import check_relative_path
from reproduction.datasets.specs import COMPRESSION_SUFFIXES

if TYPE_CHECKING:
    from py7zr import SevenZipFile
    from rarfile import RarFile

#: Bytes that are unpacked at a time.
BLOCK_BYTES = 1 << 20
MAGIC = {
    "xz": b"\xfd7zXZ\x00",
    "gz": b"\x1f\x8b",
    "bz2": b"BZh",
    "zip": b"PK\x03\x04",
    "7z": b"7z\xbc\xaf\x27\x1c",
    "rar": b"Rar!\x1a\x07",
}
_OPENERS = {"xz": lzma.open, "gz": gzip.open, "bz2": bz2.open}
# All that the standard library raises on damaged input, beside the errors of py7zr and rarfile.
_DAMAGE_ERRORS = (EOFError, OSError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, tarfile.TarError)


def detect_format(path: Path) -> str:
    """Tell by the content how a file is packed.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str
        A key of MAGIC, "tar" or "plain".
    """
    # the content decides, not the name: mirrors rename files, and a packed file may lack its ending
    with open(path, "rb") as stream:
        # the magic of tar, "ustar", stands at byte 257
        head = stream.read(262)
    for name, magic in MAGIC.items():
        if head.startswith(magic):
            return name
    return "tar" if head[257:262] == b"ustar" else "plain"


def is_web_page(path: Path) -> bool:
    """Whether a file is HTML or XML: no data file starts with "<".

    Parameters
    ----------
    path : Path

    Returns
    -------
    bool
    """
    with open(path, "rb") as stream:
        return stream.read(512).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def compute_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's content as 64 hex digits.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str
    """
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def unpack_file(packed: Path, names: list[str], target: Path, max_bytes: int | None = None) -> None:
    """Write the one file that ``packed`` holds to ``target``.

    Parameters
    ----------
    packed : Path
        The plain file, the file compressed with xz, gzip or bzip2, or an archive with a member of one of the
        names.
    names : list of str
        Names that the file may have in an archive, in order of preference.
    target : Path
    max_bytes : int, optional
        Bytes that the file may have.

    Raises
    ------
    BadArchiveError
        Truncated, damaged or too large, or an archive without such a member.
    """
    # one packed file, or an .npz, which is a .zip that readers take as it is
    if detect_format(packed) not in ("zip", "7z", "rar", "tar") or _is_npz(packed):
        with open_unpacked(packed) as source:
            _copy(source, target, max_bytes)
        return
    member_paths = list_members(packed)
    for name in names:
        for ending in ("", *COMPRESSION_SUFFIXES):
            # folders in the archive do not matter, but two files of one name would leave the choice to chance
            matches = [member for member in member_paths if member.rsplit("/", 1)[-1] == name + ending]
            if len(matches) != 1:
                continue
            if not ending:
                unpack_members(packed, {matches[0]: target}, max_bytes)
                return
            inner = Path(f"{target}{ending}")  # a packed file in an archive, as UCI serves some
            try:
                unpack_members(packed, {matches[0]: inner}, max_bytes)
                unpack_file(inner, names, target, max_bytes)
            finally:
                inner.unlink(missing_ok=True)
            return
    raise BadArchiveError(f"{packed} does not hold exactly one file named {' or '.join(names)}.")


@contextlib.contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file, plain or packed by xz, gzip or bzip2, as a binary stream of its content.

    Parameters
    ----------
    path : Path

    Yields
    ------
    binary file

    Raises
    ------
    BadArchiveError
        Truncated or damaged, found while the stream is read.
    """
    opener = _OPENERS.get(detect_format(path), open)
    with _explain_damage(path), opener(path, "rb") as source:
        yield source


def list_members(packed: Path) -> list[str]:
    """List the paths of the files in an archive (with "/" between folders), or below a folder.

    Parameters
    ----------
    packed : Path

    Returns
    -------
    list of str

    Raises
    ------
    BadArchiveError
        Truncated, damaged, or no archive at all; or a member is a link or leads out of the archive's folder.
    """
    packed = Path(packed)
    if packed.is_dir():
        return [p.relative_to(packed).as_posix() for p in sorted(packed.rglob("*")) if p.is_file()]
    with _explain_damage(packed):
        if detect_format(packed) == "7z":
            with _open_7z(packed) as archive:
                return list(_list_7z_sizes(packed, archive))
        with _open_members(packed) as files:
            return [name for name, _ in files]


@contextlib.contextmanager
def _open_members(packed: Path) -> Iterator[Iterator[tuple[str, Callable]]]:
    """Open a .zip, .rar or .tar, and give the path of each file in it and a function that opens it."""
    archive_format = detect_format(packed)
    if archive_format in ("zip", "rar"):
        with zipfile.ZipFile(packed) if archive_format == "zip" else _open_rar(packed) as archive:
            is_link = _is_zip_link if archive_format == "zip" else methodcaller("is_symlink")
            entries = ((i, i.filename.replace("\\", "/")) for i in archive.infolist() if not i.is_dir())
            yield ((_check_member(packed, n, is_link(i)), partial(archive.open, i)) for i, n in entries)
        return
    # Not the stream mode "r|*": on a highly compressible .tar.xz it is slower by two orders of magnitude.
    with tarfile.open(packed, "r:*") as archive:
        entries = (i for i in archive if i.isfile() or i.issym() or i.islnk())
        yield (
            (_check_member(packed, i.name, not i.isfile()), partial(archive.extractfile, i)) for i in entries
        )


def _is_npz(packed: Path) -> bool:
    """Whether an archive is a NumPy file itself, .npz: a .zip of arrays and of nothing else."""
    if detect_format(packed) != "zip":
        return False
    member_paths = list_members(packed)
    return bool(member_paths) and all(member.endswith(".npy") for member in member_paths)


def _is_zip_link(member: zipfile.ZipInfo) -> bool:
    """Whether the mode that a Unix system stored with a member is that of a symbolic link."""
    return stat.S_ISLNK(member.external_attr >> 16)


def _check_member(packed: Path, name: str, is_link: bool) -> str:
    """Return the path of a member; refuse a link, and what leads out of the folder of the archive."""
    remedy = "replace it by the official archive, or pack the files again without that member."
    if is_link:
        raise BadArchiveError(f"{packed} has the member {name!r}, which is a link and no file: {remedy}")
    relative_path = name.removeprefix("./")  # as tar writes a whole folder
    check_relative_path(
        relative_path, f"{packed} has the member", remedy, has_folders=True, error=BadArchiveError
    )
    return name


def unpack_members(packed: Path, targets: dict[str, Path], max_bytes: int | None = None) -> None:
    """Write members of an archive, or files below a folder, to given paths.

    Parameters
    ----------
    packed : Path
        Archive or folder.
    targets : dict of str to Path
        Path of each member as :func:`list_members` gives it, to where it goes.
    max_bytes : int, optional
        Bytes that each of them may have.

    Raises
    ------
    BadArchiveError
        Too large, truncated or damaged, or no tool for this .rar; or as :func:`list_members` does.
    """
    packed = Path(packed)
    # sizes are checked while the bytes are written: what an archive states may be wrong
    for target in targets.values():
        Path(target).parent.mkdir(parents=True, exist_ok=True)
    if packed.is_dir():
        for member, target in targets.items():
            shutil.copyfile(packed / member, target)
        return
    with _explain_damage(packed):
        if detect_format(packed) == "7z":
            _unpack_7z(packed, targets, max_bytes)
            return
        # Members in the order of the archive: a packed .tar is decompressed once, from its beginning.
        with _open_members(packed) as files:
            for name, open_member in files:
                if name in targets:
                    _copy(open_member(), targets[name], max_bytes)


def _copy(source: BinaryIO, target: Path, max_bytes: int | None) -> None:
    """Write a stream to a file, up to ``max_bytes``."""
    written = 0
    with source, open(target, "wb") as sink:
        while block := source.read(BLOCK_BYTES):
            written += len(block)
            _check_size(written, max_bytes, target)
            sink.write(block)


def _check_size(size: int, max_bytes: int | None, name: str | Path) -> None:
    """Refuse a file that unpacks to more bytes than it may."""
    if max_bytes is not None and size > max_bytes:
        raise BadArchiveError(
            f"{Path(name).name} unpacks to more than {max_bytes >> 20} MB, more than this data set can have: "
            "replace the packed file by the official one."
        )


def _open_7z(packed: Path) -> SevenZipFile:
    """Open a .7z archive."""
    import py7zr  # heavy, and needed for this one format only

    return py7zr.SevenZipFile(packed, "r")


def _list_7z_sizes(packed: Path, archive: SevenZipFile) -> dict[str, int]:
    """Map the path of each file in an open .7z to its unpacked size."""
    files = [member for member in archive.list() if not member.is_directory]
    return {_check_member(packed, m.filename, is_link=not m.is_file): m.uncompressed for m in files}


def _unpack_7z(packed: Path, targets: dict[str, Path], max_bytes: int | None) -> None:
    """Check the sizes that a .7z states, then unpack the members through a folder beside the target."""
    parent = Path(next(iter(targets.values()))).parent
    with _open_7z(packed) as archive:
        for name, size in _list_7z_sizes(packed, archive).items():
            if name in targets:
                _check_size(size, max_bytes, name)
    with tempfile.TemporaryDirectory(dir=parent) as folder, _open_7z(packed) as archive:
        archive.extract(path=folder, targets=list(targets))
        for member, target in targets.items():
            shutil.move(Path(folder) / member, target)


def _open_rar(packed: Path) -> RarFile:
    """Open a .rar archive."""
    import rarfile

    return rarfile.RarFile(packed)


@contextlib.contextmanager
def _explain_damage(packed: Path) -> Iterator[None]:
    """Turn whatever a library says about a damaged archive into one sentence."""
    try:
        yield
    except BadArchiveError:
        raise
    except Exception as error:
        if type(error).__name__ == "RarCannotExec":
            raise BadArchiveError(
                f"{packed} cannot be unpacked because no tool for .rar is installed: install unrar, unar, 7z "
                f"or bsdtar, or unpack it by hand into the folder {Path(packed).with_suffix('')}."
            ) from error
        third_party = type(error).__module__.split(".")[0] in ("py7zr", "rarfile")
        if not third_party and not isinstance(error, _DAMAGE_ERRORS):
            raise
        if isinstance(error, OSError) and error.errno is not None:
            raise  # a full disk or a missing permission is not the archive's fault
        raise BadArchiveError(
            f"{packed} is truncated or damaged ({error or type(error).__name__}): replace it "
            "by an intact copy."
        ) from error
