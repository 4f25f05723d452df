"""The one check of names that become paths: of files, of members of archives, and at the end of addresses."""

import re

from reproduction.core.errors import DataError

_DRIVE = re.compile(r"[A-Za-z]:")


def check_relative_path(
    name: str, owner: str, remedy: str, *, has_folders: bool = False, error: type[Exception] = DataError
) -> None:
    """Check that a name stays below the folder to which it is added, on any system.

    Parameters
    ----------
    name : str
        Name of a file, or with `has_folders` a path with "/" between folders.
    owner : str
        Beginning of the message: what holds the name.
    remedy : str
        End of the message: what to do.
    has_folders : bool, optional
        Whether the name may have folders.
    error : type[Exception], optional
        Class of the error.

    Raises
    ------
    error
        If the name is absolute, begins with a drive letter, has an empty part, "." or "..", a backslash or a
        character that cannot be published, or folders where it may have none.
    """
    parts = name.split("/")
    if has_folders:
        requirement = "a path below its folder, without '.', '..', a backslash or a drive letter"
    else:
        requirement = "a file name without folders, '.', '..', a backslash or a drive letter"
    # parts that climb or name nothing, separators of Windows, drives, and characters that cannot be seen
    if (
        {"", ".", ".."} & set(parts)
        or (len(parts) > 1 and not has_folders)
        or "\\" in name
        or _DRIVE.match(name)
        or not name.isprintable()
    ):
        raise error(f"{owner} {name!r}, which is not {requirement}: {remedy}")


def get_url_name(url: str) -> str:
    """Return the name of the file that a URL ends with, without its query, which may be secret.

    Parameters
    ----------
    url : str

    Returns
    -------
    str
    """
    return re.split(r"[?#]", url, maxsplit=1)[0].rsplit("/", 1)[-1]
