"""The table of data sets: registry.yaml as frozen records.

Light on purpose (PyYAML and the standard library): it is read while the workflow's graph is built.
"""

import difflib
import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import yaml

from reproduction.data.errors import DataError

REGISTRY = Path(__file__).with_name("registry.yaml")
PAPERS = {"K15": "kadkhodaie2015", "R12": "rakotomamonjy2012", "L14": "laporte2014"}
COUNTS = ("rows", "features", "positives", "negatives", "queries", "preferences")

PACKED = (".xz", ".gz", ".bz2")
ARCHIVES = (".tar.xz", ".tar.gz", ".tar.bz2", ".tar", ".tgz", ".zip", ".7z", ".rar")
SHOWN = (
    "notes",
    "licence",
    "citation",
    "papers",
    "substitute_for",
    "reading_of",
    "reading",
)  # changes no array and no manifest
READERS = {  # reader -> module of this package with the function read_<reader>
    "svmlight": "readers.svmlight",
    "scaled": "readers.scaled",
    "delimited": "readers.delimited",
    "colon": "readers.microarray",
    "yeast": "readers.microarray",
    "letor": "readers.letor",
    "p300": "epochs",
    "wdbc": "generators",
    "digits": "generators",
    "overlap": "generators",
    "hull": "generators",
    "sparse_text": "generators",
    "letor_like": "generators",
    "epsilon_like": "generators",
}
STREAMING = ("svmlight", "delimited", "epsilon_like")  # readers that have a function stream_<reader> too
STORAGES = ("arrays", "mapped")


@dataclass(frozen=True)
class DataFile:
    """One file, or one archive with its members.

    Attributes
    ----------
    family, name : str
        The file is looked up as ``<family>/<name>``.
    sha256 : str or None
        Checksum of the unpacked content; None where it is unknown.
    served_sha256 : dict of str to str
        Packing ("gz", "bz2", "xz") to the checksum of that packed form as the official site serves it.
    urls, also_named : tuple of str
        Official addresses in order; other names of the same content.
    optional : bool
        Whether the data set is still usable without it.
    members : dict of str to (str or None)
        For an archive: path of each member to the checksum of its content.
    inside : tuple of str
        Folders of the archive, one of which holds the members; empty means anywhere.
    reconstruction : dict
        ``{"form", "note"}`` where the checksums belong to a reconstruction that comes in this form.
    endings : tuple of str
        The packed forms that may hold it, "" being a folder; empty means any.
    cached_as : str
        Sets the copies in the cache apart from another alternative's.
    """

    family: str
    name: str
    sha256: str | None = None
    served_sha256: dict = field(default_factory=dict)
    urls: tuple = ()
    also_named: tuple = ()
    optional: bool = False
    members: dict = field(default_factory=dict)
    inside: tuple = ()
    reconstruction: dict = field(default_factory=dict)
    endings: tuple = ()
    cached_as: str = ""

    def alternatives(self):
        """List what may serve as this file, in order of preference.

        That is the file itself, unless its checksums belong to a reconstruction: then the official archive
        where somebody has it, the reconstruction, and at last the official archive from its address.
        """
        if not self.reconstruction:
            return [self]
        form = self.reconstruction["form"]
        others = tuple(ending for ending in (*ARCHIVES, "") if ending != form)
        unproven = replace(
            self,
            members=dict.fromkeys(self.members),
            endings=others,
            cached_as="-official",
            reconstruction={},
        )
        return [replace(unproven, urls=()), replace(self, urls=(), endings=(form,)), unproven]


@dataclass(frozen=True)
class DataSet:
    """One entry of the registry; the fields are described at the top of registry.yaml."""

    name: str
    family: str
    reader: str
    label: dict
    expected: dict
    licence: str
    citation: str
    home: str | None = None
    papers: tuple = ()
    files: tuple = ()
    options: dict = field(default_factory=dict)
    partial: dict = field(default_factory=dict)
    printed: dict = field(default_factory=dict)
    id_features: tuple = ()
    drop_features: tuple = ()
    substitute_for: str = ""
    reading_of: str = ""
    reading: dict = field(default_factory=dict)
    notes: tuple = ()
    memory_mb: int = 1000
    storage: str = "arrays"

    @property
    def reader_module(self):
        """Name the module whose function ``read_<reader>`` reads this data set."""
        return f"reproduction.data.{READERS[self.reader]}"

    @property
    def features_in_files(self):
        """Count the features before some are left out."""
        return self.expected["features"] + len(self.drop_features)

    @property
    def task(self):
        """Say "graded" where rows are judged documents of queries, otherwise "binary"."""
        return "graded" if "grades" in self.label else "binary"


def names():
    """List all data sets in the order of the registry."""
    return list(_entries()["datasets"])


@cache
def get(name):
    """One data set.

    Raises
    ------
    DataError
        The name is unknown; the sentence names the nearest known one.
    """
    raw = _entries()
    if name not in raw["datasets"]:
        raise DataError(f"The data set {name!r} is not in the registry{nearest(name, raw['datasets'])}")
    return parse(name, raw["datasets"][name], raw["families"])


def entry_digest(name):
    """Return a digest of one entry and its family, so that an edit of another entry reruns nothing.

    What only the data table shows (:data:`SHOWN`) does not enter.
    """
    raw = _entries()
    get(name)
    entry = {key: value for key, value in raw["datasets"][name].items() if key not in SHOWN}
    family = raw["families"][entry["family"]]
    entry |= {"family_base": family["base"], "family_home": family["home"]}
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]


def registry_digest():
    """Return a digest of the whole registry."""
    return hashlib.sha256(REGISTRY.read_bytes()).hexdigest()[:16]


def parse(name, entry, families):
    """Turn one entry of the YAML file into a :class:`DataSet`.

    Raises
    ------
    DataError
        A key is unknown, missing, or contradicts another.
    """
    known = set(DataSet.__dataclass_fields__) - {"name"}
    _check_keys(f"data set {name!r}", entry, known, required=("family", "reader", "label", "expected"))
    if entry["family"] not in families:
        raise DataError(
            f"Data set {name!r} is of the unknown family "
            f"{entry['family']!r}{nearest(entry['family'], families)}"
        )
    if entry["reader"] not in READERS:
        raise DataError(
            f"Data set {name!r} names the unknown reader "
            f"{entry['reader']!r}{nearest(entry['reader'], READERS)}"
        )
    family = families[entry["family"]]
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    values["files"] = tuple(_file(name, entry["family"], f, family["base"]) for f in entry.get("files", ()))
    values.setdefault("licence", family["licence"])
    values.setdefault("citation", family["citation"])
    values.setdefault("home", family["home"])
    dataset = DataSet(name=name, **values)
    for table in ("expected", "partial", "printed"):
        _check_keys(f"{table!r} of data set {name!r}", getattr(dataset, table), set(COUNTS))
    if set(dataset.papers) - set(PAPERS):
        raise DataError(f"Data set {name!r} names an unknown paper; known are {', '.join(PAPERS)}.")
    if ("grades" in dataset.label) == ("positive" in dataset.label):
        raise DataError(f"The label of data set {name!r} must state either grades or positive and negative.")
    if dataset.storage not in STORAGES:
        raise DataError(
            f"Data set {name!r} has the unknown storage "
            f"{dataset.storage!r}{nearest(dataset.storage, STORAGES)}"
        )
    if dataset.storage == "mapped" and (dataset.reader not in STREAMING or dataset.task == "graded"):
        raise DataError(
            f"Data set {name!r} cannot have the storage 'mapped', which takes two classes and one of the "
            f"readers {', '.join(STREAMING)}; leave the key out."
        )
    if bool(dataset.reading_of) != bool(dataset.reading):
        raise DataError(
            f"Data set {name!r} must state 'reading', an axis and its level, if, and only if, it states "
            "'reading_of'."
        )
    if any(f.optional for f in dataset.files) != bool(dataset.partial):
        raise DataError(
            f"Data set {name!r} must state 'partial' counts if, and only if, one of its files is optional."
        )
    return dataset


def nearest(word, known):
    """Return the end of a sentence that names the nearest known word, or all if none is near."""
    close = difflib.get_close_matches(str(word), [str(k) for k in known], n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(map(str, known))}."


@cache
def _entries():
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with REGISTRY.open(encoding="utf-8") as stream:
        return yaml.load(stream, loader)


def _file(dataset, family, entry, base):
    _check_keys(
        f"a file of data set {dataset!r}",
        entry,
        set(DataFile.__dataclass_fields__) - {"family", "endings", "cached_as"},
        ("name",),
    )
    relative = entry.get("urls", [entry["name"]] if base else [])
    urls = tuple(u if "://" in u else base + u for u in relative)
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    return DataFile(**{**values, "family": family, "urls": urls})


def _check_keys(what, entry, known, required=()):
    for key in entry:
        if key not in known:
            raise DataError(f"Unknown key {key!r} in {what}{nearest(key, sorted(known))}")
    for key in required:
        if key not in entry:
            raise DataError(f"The key {key!r} is missing in {what}.")
