"""The table of data sets: registry.yaml, and a file of the user's own beside it, as frozen records.

Light on purpose (PyYAML and the standard library): it is read while the workflow's graph is built.
"""

import hashlib
import json
import os
from functools import cache
from pathlib import Path

import yaml

from reproduction.core.errors import DataError
from reproduction.datasets.registry_schema import nearest, parse
from reproduction.datasets.specs import COUNTS, OWN, PAPERS, SHOWN

__all__ = ["COUNTS", "PAPERS", "entry_digest", "get", "names", "own_file", "parse", "read_own"]

REGISTRY = Path(__file__).with_name("registry.yaml")
OWN_FILE = "TOPRANK_OWN_DATA"
"""Environment variable with the path of the user's own registry, for the workflow and its jobs."""
OWN_FAMILY = {"base": None, "home": None, "licence": "the user's own", "citation": "none"}


def names():
    """List all data sets in the order of the registry, the user's own last."""
    return [*project_names(), *_own_entries()]


def project_names():
    """List the data sets of the project, without the user's own."""
    return list(_entries()["datasets"])


@cache
def get(name):
    """One data set.

    Raises `DataError`: the name is unknown; the sentence names the nearest known one.
    """
    entry, families = _entry(name)
    return parse(name, entry, families, beside=own_file(), complete=OWN not in families)


def entry_digest(name):
    """Return a digest of one entry and its family, so that an edit of another entry reruns nothing.

    Keys that only the data table shows (:data:`SHOWN`) are left out.
    """
    entry, families = _entry(name)
    spec = get(name)
    entry = {key: value for key, value in entry.items() if key not in SHOWN}
    family = families[spec.family]
    entry |= {"family_base": family["base"], "family_home": family["home"]}
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]


def registry_digest():
    """Return a digest of both registries."""
    own = own_file()
    content = REGISTRY.read_bytes() + (own.read_bytes() if own and own.exists() else b"")
    return hashlib.sha256(content).hexdigest()[:16]


def own_file():
    """Return the path of the user's own registry, or None where none is named."""
    named = os.environ.get(OWN_FILE)
    return Path(named) if named else None


def _entry(name):
    """Return the entry of a data set as it is written, and the families of its registry."""
    raw = _entries()
    if name in raw["datasets"]:
        return raw["datasets"][name], raw["families"]
    own = _own_entries()
    if name in own:
        return own[name], {OWN: OWN_FAMILY}
    known = [*raw["datasets"], *own]
    raise DataError(f"The data set {name!r} is not in the registry{nearest(name, known)}")


@cache
def _entries():
    return _load(REGISTRY)


def _own_entries():
    path = own_file()
    return read_own(path) if path else {}


@cache
def read_own(path):
    """Read a registry of the user's own.

    Returns: name to entry, as they are written. Raises `DataError`: the file is missing, is no YAML, has
    other keys than ``datasets``, or names a set of the project.
    """
    try:
        held = _load(path) or {"datasets": {}}
    except OSError as error:
        raise DataError(
            f"The registry {path} of one's own data, which own_data names, cannot be read "
            f"({error.strerror}): correct the path, or write own_data: null."
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        raise DataError(f"{path} is no YAML that can be read ({said}): correct it there.") from error
    if not isinstance(held, dict) or set(held) != {"datasets"} or not isinstance(held["datasets"], dict):
        raise DataError(f"{path} must have one key, 'datasets', with an entry for each name below it.")
    for name in held["datasets"]:
        if name in project_names():
            raise DataError(
                f"{path} names {name!r}, which is a data set of the project: choose another name."
            )
    return held["datasets"]


def _load(path):
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with open(path, encoding="utf-8") as stream:
        return yaml.load(stream, loader)
