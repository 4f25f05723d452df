"""The table of data sets: registry.yaml, and a file of the user's own beside it, as frozen records.

Light on purpose (PyYAML and the standard library): it is read while the workflow's graph is built.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from reproduction.core.errors import DataError, suggest_nearest
from reproduction.datasets.registry_members import expand_members
from reproduction.datasets.registry_schema import parse_entry
from reproduction.datasets.specs import COUNTS, DISPLAY_KEYS, PAPERS, USER_FAMILY

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet

__all__ = [
    "COUNTS",
    "PAPERS",
    "digest_entry",
    "get",
    "get_user_registry",
    "list_names",
    "parse_entry",
    "read_user_registry",
]

REGISTRY = Path(__file__).with_name("registry.yaml")
USER_REGISTRY_VARIABLE = "TOPRANK_OWN_DATA"
"""Environment variable with the path of the user's own registry, for the workflow and its jobs."""
USER_FAMILY_ENTRY = {"base": None, "home": None, "licence": "the user's own", "citation": "none"}


def list_names() -> list[str]:
    """List all data sets in the order of the registry, the user's own last.

    Returns
    -------
    list[str]
    """
    return [*list_project_names(), *_read_user_entries()]


def list_project_names() -> list[str]:
    """List the data sets of the project, without the user's own.

    Returns
    -------
    list[str]
    """
    return list(_read_project_registry()["datasets"])


@cache
def get(name: str) -> DataSet:
    """Return the entry of one data set.

    Parameters
    ----------
    name : str
        A name of the project's registry or of the user's own one.

    Returns
    -------
    DataSet

    Raises
    ------
    DataError
        The name is unknown; the sentence names the nearest known one.
    """
    entry, families = _find_entry(name)
    return parse_entry(
        name, entry, families, registry_path=get_user_registry(), complete=USER_FAMILY not in families
    )


def digest_entry(name: str) -> str:
    """Return a digest of one entry and its family, so that an edit of another entry reruns nothing.

    Keys that only the data table shows (:data:`DISPLAY_KEYS`) are left out.

    Parameters
    ----------
    name : str
        Name of a data set.

    Returns
    -------
    str
        16 hex digits.
    """
    entry, families = _find_entry(name)
    spec = get(name)
    # Texts that only the report shows must not make data sets anew.
    entry = {key: value for key, value in entry.items() if key not in DISPLAY_KEYS}
    # the addresses belong to the family, and what is downloaded depends on them
    family = families[spec.family]
    entry |= {"family_base": family["base"], "family_home": family["home"]}
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]


def digest_registries() -> str:
    """Return a digest of both registries.

    Returns
    -------
    str
    """
    own = get_user_registry()
    content = REGISTRY.read_bytes() + (own.read_bytes() if own and own.exists() else b"")
    return hashlib.sha256(content).hexdigest()[:16]


def get_user_registry() -> Path | None:
    """Return the path of the user's own registry, or None where none is named.

    Returns
    -------
    Path | None
    """
    path = os.environ.get(USER_REGISTRY_VARIABLE)
    return Path(path) if path else None


def _find_entry(name: str) -> tuple[dict, dict]:
    """Return the entry of a data set as it is written, and the families of its registry."""
    raw = _read_project_registry()
    # a name of the project wins; the user's own may not repeat one
    if name in raw["datasets"]:
        return raw["datasets"][name], raw["families"]
    user_entries = _read_user_entries()
    if name in user_entries:
        return user_entries[name], {USER_FAMILY: USER_FAMILY_ENTRY}
    known_names = [*raw["datasets"], *user_entries]
    raise DataError(f"The data set {name!r} is not in the registry{suggest_nearest(name, known_names)}")


@cache
def _read_project_registry() -> dict:
    """Read the project's registry, once in a process, with an entry for each member of a family."""
    raw = _load_yaml(REGISTRY)
    return raw | {"datasets": expand_members(raw["datasets"])}


def _read_user_entries() -> dict:
    """Read the user's own registry; empty where none is named."""
    path = get_user_registry()
    return read_user_registry(path) if path else {}


@cache
def read_user_registry(path: Path) -> dict:
    """Read a registry of the user's own.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict
        Name to entry, as they are written.

    Raises
    ------
    DataError
        The file is missing, is no YAML, has other keys than ``datasets``, or names a set of the project.
    """
    try:
        content = _load_yaml(path) or {"datasets": {}}
    except OSError as error:
        raise DataError(
            f"The registry {path} of one's own data, which own_data names, cannot be read "
            f"({error.strerror}): correct the path, or write own_data: null."
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        message = " ".join(str(error).split())
        raise DataError(f"{path} is not valid YAML ({message}): correct it there.") from error
    if (
        not isinstance(content, dict)
        or set(content) != {"datasets"}
        or not isinstance(content["datasets"], dict)
    ):
        raise DataError(f"{path} must have one key, 'datasets', with an entry for each name below it.")
    for name in content["datasets"]:
        if name in list_project_names():
            raise DataError(
                f"{path} names {name!r}, which is a data set of the project: choose another name."
            )
    return content["datasets"]


def _load_yaml(path: Path) -> object:
    """Read a YAML file by libyaml where it is there, which is several times as fast."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with open(path, encoding="utf-8") as stream:
        return yaml.load(stream, loader)
