"""Entries of the registry as frozen records, and the words that an entry may hold.

Light on purpose (the standard library): they are needed while the workflow's graph is built.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

PAPERS = {"K15": "kadkhodaie2015", "R12": "rakotomamonjy2012", "L14": "laporte2014"}
COUNTS = ("rows", "features", "positives", "negatives", "queries", "preferences")

COMPRESSION_SUFFIXES = (".xz", ".gz", ".bz2")
ARCHIVE_SUFFIXES = (".tar.xz", ".tar.gz", ".tar.bz2", ".tar", ".tgz", ".zip", ".7z", ".rar")
DISPLAY_KEYS = (
    "notes",
    "licence",
    "citation",
    "papers",
    "substitute_for",
    "variant_of",
    "variant",
)  # changes no array and no manifest
SMALL_FILE_BYTES = 64 << 20
"""Unpacked size that any file may have, however few its cells."""
MAX_CELL_BYTES = 40
"""Bound of the size of a cell in a larger file; the largest mean of the registry's files is 39 (yeast)."""
USER_FAMILY = "own"
"""The family of a user's own data sets, whose files lie where the user says."""
READERS = {  # reader -> module of this package with the function read_<reader>
    "svmlight": "readers.svmlight",
    "scaled": "readers.scaled",
    "delimited": "readers.delimited",
    "parquet": "readers.parquet",
    "colon": "readers.microarray",
    "yeast": "readers.microarray",
    "letor": "readers.letor",
    "p300": "readers.p300",
    "npz": "readers.npz",
    "smiles": "readers.smiles",
    "wdbc": "synthetic",
    "digits": "synthetic",
    "overlap": "synthetic",
    "hull": "synthetic",
    "sparse_text": "synthetic",
    "letor_like": "synthetic",
    "epsilon_like": "synthetic",
}
_GENERATOR_OPTIONS = dict.fromkeys(
    ("overlap", "hull", "sparse_text", "letor_like", "epsilon_like"), ("seed",)
)
_TABLE_OPTIONS = (
    *("label_column", "query_column", "group_sizes", "left_out"),
    *("one_hot", "missing", "missing_cells"),
)
REFUSE = "error"
"""What may become of a SMILES that RDKit refuses, beside `DROP`."""
DROP, MEDIAN = "drop", "median"
"""What becomes of missing cells: their rows are left out, or the median of the column fills them."""
RENAMED_KEYS = {"inside": "folders"}
"""Key of an older registry -> its name today."""

READER_OPTIONS = {  # reader -> what it may be told
    "delimited": (*_TABLE_OPTIONS, "header", "separator"),
    "parquet": _TABLE_OPTIONS,
    "svmlight": ("group_sizes",),
    "scaled": ("scaled", "label_column"),
    "yeast": ("classes",),
    "smiles": ("labels", "refused"),
    **_GENERATOR_OPTIONS,
}
FILELESS_READERS = ("wdbc", "digits", *_GENERATOR_OPTIONS)
GRADED_READERS = ("delimited", "parquet", "svmlight", "letor", "letor_like")  # readers of graded rows
# readers that have a function stream_<reader> too
STREAMING_READERS = ("svmlight", "delimited", "scaled", "epsilon_like")
STORAGES = ("arrays", "mapped")
GROUPING_READERS = ("smiles",)
"""Readers that give each row a group, here the scaffold of a compound, which a split may keep whole."""
READER_PACKAGES = {"smiles": ("rdkit", "chem")}
"""Reader -> the package that it needs beside the locked environment, and the extra that installs it."""
REPETITION_READERS = ("npz", "smiles")
"""Readers of the project's own whose repeated rows are counted in the notes of a prepared set."""


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
    urls, copies : tuple of str
        Official addresses, in order; addresses of others, asked after them.
    by_hand : str
        Name of the file on the page of its home, where no program can fetch it from there.
    also_named : tuple of str
        Other names of the same content.
    optional : bool
        Whether the data set is still usable without it.
    members : dict of str to (str or None)
        For an archive: path of each member to the checksum of its content.
    folders : tuple of str
        Folders of the archive, one of which holds the members; empty means anywhere.
    reconstruction : dict
        ``{"form", "note"}`` where the checksums belong to a reconstruction that comes in this form.
    endings : tuple of str
        The packed forms that may hold it, "" being a folder; empty means any.
    cached_as : str
        Sets the copies in the cache apart from another alternative's.
    path : str
        Where a user's own file lies; "" for any other.
    """

    family: str
    name: str
    sha256: str | None = None
    served_sha256: dict = field(default_factory=dict)
    urls: tuple = ()
    copies: tuple = ()
    by_hand: str = ""
    also_named: tuple = ()
    optional: bool = False
    members: dict = field(default_factory=dict)
    folders: tuple = ()
    reconstruction: dict = field(default_factory=dict)
    endings: tuple = ()
    cached_as: str = ""
    path: str = ""

    @property
    def expected_checksums(self) -> dict[str, str | None]:
        """Map the name of the file, or of each member, to the expected checksum of its content."""
        return dict(self.members) or {self.name: self.sha256}

    @property
    def addresses(self) -> tuple[str, ...]:
        """List all addresses, in the order in which they are asked."""
        return (*self.urls, *self.copies)

    @property
    def follows_content(self) -> bool:
        """Whether a copy on this machine decides what the content is, as no checksum does."""
        return bool(self.path) or None in self.expected_checksums.values()

    def alternatives(self) -> list[DataFile]:
        """List the files that may serve as this one, in order of preference.

        That is the file itself, unless its checksums belong to a reconstruction. Then it is a local copy of
        the official archive, the reconstruction, and last the official archive from its address.

        Returns
        -------
        list of DataFile
        """
        if not self.reconstruction:
            return [self]
        form = self.reconstruction["form"]
        # The reconstruction has one form; every other form of the file is taken for the official one.
        other_suffixes = tuple(ending for ending in (*ARCHIVE_SUFFIXES, "") if ending != form)
        unproven = replace(
            self,
            members=dict.fromkeys(self.members),
            endings=other_suffixes,
            cached_as="-official",
            reconstruction={},
        )
        offline = {"urls": (), "copies": ()}
        # In order: an official copy on this machine, the reconstruction, the official file from its address.
        return [replace(unproven, **offline), replace(self, **offline, endings=(form,)), unproven]


@dataclass(frozen=True)
class DataSet:
    """One entry of the registry; the fields are described at the top of registry.yaml.

    Parameters
    ----------
    name, family, reader : str
        Its name, where its files come from, and the function that reads them.
    label : dict
        Which raw labels are positive, or that they are grades.
    expected, partial, published : dict
        Counts: of the official files, without the optional ones, and as the paper prints them.
    licence, citation, home : str
    papers, notes : tuple of str
    files : tuple of DataFile
    options : dict
        Of the reader.
    id_features, drop_features : tuple of int
        Columns, from 0, that name a row, and that are left out.
    substitute_for, variant_of : str
        Names of other data sets; empty where it is neither.
    variant : dict
        How it differs from the data set of which it is a variant.
    memory_mb : int
        Megabytes that reading it takes.
    storage : {"arrays", "mapped"}
    """

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
    published: dict = field(default_factory=dict)
    id_features: tuple = ()
    drop_features: tuple = ()
    substitute_for: str = ""
    variant_of: str = ""
    variant: dict = field(default_factory=dict)
    notes: tuple = ()
    memory_mb: int = 1000
    storage: str = "arrays"

    @property
    def tables(self) -> tuple[DataFile, ...]:
        """List the files that hold rows: all but the one with the sizes of queries."""
        return tuple(file for file in self.files if file.name != self.options.get("group_sizes"))

    @property
    def reader_module(self) -> str:
        """Name the module whose function ``read_<reader>`` reads this data set."""
        return f"reproduction.datasets.{READERS[self.reader]}"

    @property
    def features_in_files(self) -> int:
        """Count the features before some are left out."""
        return self.expected["features"] + len(self.drop_features)

    def max_file_bytes(self) -> int | None:
        """Bound the unpacked size of one file of this set; None for a user's own, of any size.

        Returns
        -------
        int | None
        """
        if self.family == USER_FAMILY:
            return None
        # Four cells more in each row, for what is no feature: label, query and the like.
        cells = self.expected.get("rows", 0) * (self.expected["features"] + 4)
        return max(SMALL_FILE_BYTES, cells * MAX_CELL_BYTES)

    @property
    def obtainable(self) -> str:
        """Say who serves the files of this set; the least official source counts."""
        ways = ("none needed", "official", "a copy, by its checksum", "by hand")
        needed = [file for file in self.files if not file.optional]
        if self.family == USER_FAMILY:
            return "your own"
        # The larger the number, the less official the source.
        return ways[max((1 if f.urls else 2 if f.copies else 3 for f in needed), default=0)]

    @property
    def remedy(self) -> str:
        """Say what to do about a file that cannot be used, as the end of a sentence."""
        if self.family == USER_FAMILY:
            return "correct the file, or its entry in the registry."
        return "replace the file by the official one."

    @property
    def task(self) -> str:
        """Say "graded" where rows are judged documents of queries, otherwise "binary"."""
        return "graded" if "grades" in self.label else "binary"
