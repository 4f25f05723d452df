"""The one check of names that become paths: of files, of members of archives, and at the end of addresses."""

import re

from reproduction.core.errors import DataError

_DRIVE = re.compile(r"[A-Za-z]:")


def check_relative_path(name, owner, remedy, *, has_folders=False, error=DataError):
    """Check that a name stays below the folder to which it is added, on any system.

    `name`: of a file, or with `has_folders` a path with "/" between folders. `owner`, `remedy`: the beginning
    and the end of the sentence. `error`: its class. Raises ``error``: the name is absolute, begins with a
    drive letter, has an empty part, "." or "..", a backslash or a character that cannot be published, or
    folders where it may have none.
    """
    parts = name.split("/")
    if has_folders:
        requirement = "a path below its folder, without '.', '..', a backslash or a drive letter"
    else:
        requirement = "a file name without folders, '.', '..', a backslash or a drive letter"
    if (
        {"", ".", ".."} & set(parts)
        or (len(parts) > 1 and not has_folders)
        or "\\" in name
        or _DRIVE.match(name)
        or not name.isprintable()
    ):
        raise error(f"{owner} {name!r}, which is not {requirement}: {remedy}")
