"""Families of like data sets: one entry of the registry with members, each of which is a data set.

Light on purpose (the standard library): it is read while the workflow's graph is built.
"""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.core.errors import DataError

MEMBER_PLACEHOLDER = "<member>"
"""Stands, in the names and addresses of an entry's files, for the name of the member."""


def expand_members(entries: Mapping[str, Mapping]) -> dict[str, dict]:
    """Replace each entry that has members by one entry a member.

    A member has the keys of the entry and its own ones, which win. Its ``sha256`` is a list: the checksum of
    each of the entry's files.

    Parameters
    ----------
    entries : mapping of str to mapping
        Data sets as YAML gives them.

    Returns
    -------
    dict of str to dict
        Data sets without the key ``members``, in the same order; a member is named ``<entry>-<member>``.

    Raises
    ------
    DataError
        Members are no keys with values, or have more or fewer checksums than there are files.

    Examples
    --------
    >>> shared = {"files": [{"name": "<member>.csv"}], "members": {"a": {"sha256": ["12"]}, "b": {}}}
    >>> expand_members({"x": shared})["x-a"]
    {'files': [{'name': 'a.csv', 'sha256': '12'}]}
    """
    expanded = {}
    for name, entry in entries.items():
        if "members" not in entry:
            expanded[name] = entry
            continue
        shared = {key: value for key, value in entry.items() if key != "members"}
        members = entry["members"]
        if not isinstance(members, Mapping) or not all(isinstance(own, Mapping) for own in members.values()):
            raise DataError(f"'members' of data set {name!r} must be keys with values, one for each member.")
        for member, own in members.items():
            expanded[f"{name}-{member}"] = _make_member(f"{name}-{member}", str(member), shared, own)
    return expanded


def _make_member(name: str, member: str, shared: Mapping, own: Mapping) -> dict:
    """Join the keys of a member with those that it shares, its name and its checksums put into the files."""
    # keys of a member win over shared ones
    entry = {**shared, **own}
    digests = entry.pop("sha256", None)
    files = [_name_file(file, member) for file in entry.get("files", ())]
    if digests is not None:
        if not isinstance(digests, list) or len(digests) != len(files):
            raise DataError(f"'sha256' of data set {name!r} must be a list with that of each of its files.")
        files = [file | {"sha256": digest} for file, digest in zip(files, digests, strict=True)]
    return entry | {"files": files}


def _name_file(file: Mapping, member: str) -> dict:
    """Put the name of a member into the name and the addresses of a file."""
    return {
        key: [text.replace(MEMBER_PLACEHOLDER, member) for text in value]
        if key in ("urls", "copies", "also_named")
        else value.replace(MEMBER_PLACEHOLDER, member)
        if key == "name"
        else value
        for key, value in file.items()
    }
