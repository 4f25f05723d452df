"""From an entry of a registry, as YAML gives it, to a record; one sentence says what is wrong with an entry.

All checks of an entry stand here: the code that uses the records relies on them.
"""

import difflib
import re
from pathlib import Path

from reproduction.core.errors import DataError
from reproduction.core.path_checks import check_relative_path
from reproduction.datasets.download.locations import url_name
from reproduction.datasets.specs import (
    COUNTS,
    DROP,
    MEDIAN,
    OPTIONS,
    OWN,
    PAPERS,
    RANKING_QUERIES,
    READERS,
    STORAGES,
    STREAMING,
    WITHOUT_FILES,
    DataFile,
    DataSet,
)

_NAME = re.compile(r"(?!toy-)[a-z0-9][a-z0-9-]*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_TYPES = {
    **dict.fromkeys(("label", "expected", "partial", "published", "options", "variant"), dict),
    **dict.fromkeys(("licence", "citation"), str),
    **dict.fromkeys(("files", "papers", "id_features", "drop_features", "notes"), list),
    "memory_mb": int,
}
_TYPES_OF_FILE = {
    **dict.fromkeys(("members", "served_sha256", "reconstruction"), dict),
    **dict.fromkeys(("urls", "copies", "also_named", "inside"), list),
    **dict.fromkeys(("name", "path", "by_hand"), str),
    "optional": bool,
}
_SAID = {dict: "keys with values", list: "a list", str: "text", int: "a whole number", bool: "true or false"}


def parse(name, entry, families, beside=None, complete=False):
    """Turn one entry of the YAML file into a :class:`DataSet`.

    `beside`: the user's own registry, to whose folder a relative ``path`` belongs. `complete`: whether all
    counts of the task must be stated, as the project's registry states them. Raises `DataError`: a key is
    unknown, missing, of another type, or contradicts another.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise DataError(
            f"The data set {name!r} needs another name: small letters, digits and hyphens, not beginning "
            "with 'toy-'."
        )
    what, own = f"data set {name!r}", families.keys() == {OWN}
    if not isinstance(entry, dict):
        raise DataError(f"The entry of {what} must be keys with values.")
    entry = {"family": OWN} | entry if own else entry
    known = set(DataSet.__dataclass_fields__) - {"name"}
    _check_keys(what, entry, known, required=("family", "reader", "label", "expected"))
    _check_types(what, entry, _TYPES)
    _check_word(what, "family", entry["family"], families)
    _check_word(what, "reader", entry["reader"], READERS)
    family = families[entry["family"]]
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    folder = Path(beside).resolve().parent if beside else None
    values["files"] = tuple(_file(name, entry["family"], f, family, folder) for f in entry.get("files", ()))
    values["label"] = _label(what, entry["label"])
    values |= {key: entry.get(key, family[key]) for key in ("licence", "citation", "home")}
    dataset = DataSet(name=name, **values)
    _check_counts(dataset, complete)
    _check_together(dataset)
    _check_options(dataset)
    return dataset


def nearest(word, known):
    """Return the end of a sentence that names the nearest known word, or all if none is near."""
    close = difflib.get_close_matches(str(word), [str(k) for k in known], n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(map(str, known))}."


def _file(dataset, family, entry, of_family, folder):
    what = f"a file of data set {dataset!r}"
    if not isinstance(entry, dict):
        raise DataError(f"The entry of {what} must be keys with values, such as 'name'.")
    known = set(DataFile.__dataclass_fields__) - {"family", "endings", "cached_as"}
    of_project = {"urls", "copies", "by_hand", "also_named", "served_sha256", "reconstruction"}
    known -= {"path"} if family != OWN else of_project
    _check_keys(what, entry, known, ("path" if family == OWN else "name",))
    _check_types(what, entry, _TYPES_OF_FILE)
    digests = [entry.get("sha256"), *entry.get("members", {}).values()]
    for digest in [*digests, *entry.get("served_sha256", {}).values()]:
        if digest is not None and not _DIGEST.fullmatch(str(digest)):
            raise DataError(
                f"{digest!r} in {what} is no SHA-256, which has 64 hex digits; write null for none."
            )
    base = of_family["base"]
    relative = entry.get("urls", [entry["name"]] if base else [])
    urls = tuple(u if "://" in u else f"{base or ''}{u}" for u in relative)
    for url in (*urls, *entry.get("copies", ())):
        if not url.startswith(("https://", "http://")):
            raise DataError(f"The address {url!r} in {what} must begin with https:// or http://.")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    if family == OWN:
        path = Path(entry["path"]).expanduser()
        values["path"] = str(path if path.is_absolute() or not folder else folder / path)
        values.setdefault("name", path.name)
    _check_names(what, values, urls)
    return DataFile(**{**values, "family": family, "urls": urls})


def _check_names(what, values, urls):
    """Check all names of a file that become paths of the cache, the mirror or the data folder."""
    for key in ("also_named", "members", "inside"):
        if not all(isinstance(name, str) for name in values.get(key, ())):
            raise DataError(f"{key!r} in {what} must hold text only.")
    for name in (values["name"], *values.get("also_named", ())):
        check_relative_path(name, f"The entry of {what} has the name", "correct it there.")
    for member in (*values.get("members", ()), *values.get("inside", ())):
        check_relative_path(
            member, f"The entry of {what} has the member", "correct it there.", has_folders=True
        )
    for url in (*urls, *values.get("copies", ())):
        check_relative_path(url_name(url), f"An address in {what} ends with", "give the address of a file.")


def _label(what, label):
    """Return the rule with its labels as text: YAML reads 1 as a number."""
    if ("grades" in label) == ("positive" in label):
        raise DataError(f"The label of {what} must state either grades or positive and negative.")
    keys = ("grades",) if "grades" in label else ("positive", "negative")
    _check_keys(f"the label of {what}", label, {*keys, "meaning"}, keys)
    if "grades" in label:
        grades = label["grades"]
        if not isinstance(grades, list) or not all(type(g) is int and 0 <= g <= 30 for g in grades):
            raise DataError(f"The grades of {what} must be a list of whole numbers from 0 to 30.")
        return label
    sides = {}
    for key in keys:
        if not isinstance(label[key], list) and not (key == "negative" and label[key] == "rest"):
            raise DataError(
                f"{key!r} in the label of {what} must be a list of raw labels"
                f"{', or rest' if key == 'negative' else ''}."
            )
        sides[key] = "rest" if label[key] == "rest" else [str(value) for value in label[key]]
    if sides["negative"] != "rest" and set(sides["positive"]) & set(sides["negative"]):
        raise DataError(f"The label of {what} names the same raw label as positive and as negative.")
    return label | sides


def _check_counts(dataset, complete):
    """Check that the counts belong to the task, and that none is missing that a registry must state."""
    what = f"data set {dataset.name!r}"
    classes = ("queries", "preferences") if dataset.task == "graded" else ("positives", "negatives")
    for table in ("expected", "partial", "published"):
        counts = getattr(dataset, table)
        _check_keys(f"{table!r} of {what}", counts, set(COUNTS))
        for key, count in counts.items():
            if type(count) is not int or count < 0:
                raise DataError(f"{key!r} in {table!r} of {what} is {count!r}, and must be a whole number.")
            if key not in ("rows", "features", *classes):
                raise DataError(
                    f"{key!r} in {table!r} of {what} does not fit its label, which is {dataset.task}."
                )
        is_whole = dataset.task == "binary" and {"rows", *classes} <= set(counts)
        if is_whole and counts["positives"] + counts["negatives"] != counts["rows"]:
            raise DataError(f"Positives and negatives in {table!r} of {what} do not add up to its rows.")
    for key in ("rows", "features", *classes) if complete else ("features",):
        if key not in dataset.expected:
            raise DataError(f"The key {key!r} is missing in 'expected' of {what}.")


def _check_options(dataset):
    """Check the options of the reader."""
    what = f"'options' of data set {dataset.name!r}"
    options, known = dataset.options, OPTIONS.get(dataset.reader, ())
    of_columns = "label_column" in known
    for key in options:
        if not known:
            raise DataError(f"Unknown key {key!r} in {what}: the reader {dataset.reader!r} takes none.")
    required = () if dataset.reader == "svmlight" else known
    _check_keys(what, options, set(known), ("label_column",) if of_columns else required)
    for key in ("label_column", "query_column"):
        if key in options and type(options[key]) not in (int, str):
            raise DataError(f"{key!r} in {what} must be the name of a column or its number, from 0.")
    for key in ("left_out", "one_hot"):
        if not isinstance(options.get(key, []), list):
            raise DataError(f"{key!r} in {what} must be a list of columns.")
    treatment = options.get("missing_cells", DROP)
    if treatment not in (DROP, MEDIAN):
        raise DataError(f"'missing_cells' in {what} must be {DROP} or {MEDIAN}, and not {treatment!r}.")
    if dataset.storage == "mapped" and (options.get("one_hot") or treatment == MEDIAN):
        raise DataError(
            f"Data set {dataset.name!r} cannot have 'one_hot' or the median with the storage 'mapped', "
            "which is read block by block; leave the storage out."
        )
    check_separator(options.get("separator", ","), what)
    queries = [key for key in ("query_column", "group_sizes") if key in options]
    if of_columns and bool(queries) != (dataset.task == "graded"):
        raise DataError(
            f"Data set {dataset.name!r} must state the option 'query_column', or 'group_sizes', if, and only "
            "if, its label states grades."
        )
    if "group_sizes" in queries and (
        len(queries) > 1 or dataset.task != "graded" or dataset.storage == "mapped"
    ):
        raise DataError(
            f"'group_sizes' in {what} goes with grades, and neither with 'query_column' nor with the storage "
            "'mapped'."
        )
    if "group_sizes" in queries and len(dataset.tables) != len(dataset.files) - 1:
        raise DataError(f"'group_sizes' in {what} must be the name of one of its files.")


def check_separator(separator, what):
    """Check that a separator can split cells."""
    if not isinstance(separator, str) or (len(separator) != 1 and separator != "spaces"):
        raise DataError(f"'separator' in {what} must be one character, or the word spaces.")


def _check_together(dataset):
    """Check keys that depend on each other."""
    what = f"Data set {dataset.name!r}"
    if set(dataset.papers) - set(PAPERS):
        raise DataError(f"{what} names an unknown paper; known are {', '.join(PAPERS)}.")
    if dataset.storage not in STORAGES:
        raise DataError(
            f"{what} has the unknown storage {dataset.storage!r}{nearest(dataset.storage, STORAGES)}"
        )
    if dataset.storage == "mapped" and (dataset.reader not in STREAMING or dataset.task == "graded"):
        raise DataError(
            f"{what} cannot have the storage 'mapped', which takes two classes and one of the "
            f"readers {', '.join(STREAMING)}; leave the key out."
        )
    if bool(dataset.files) == (dataset.reader in WITHOUT_FILES):
        raise DataError(f"{what} must name files if, and only if, its reader, {dataset.reader!r}, reads any.")
    if dataset.reader in ("delimited", "parquet", "yeast", "letor") and len(dataset.tables) != 1:
        raise DataError(f"{what} must name one file, which is what the reader {dataset.reader!r} reads.")
    if dataset.task == "binary" and dataset.reader in ("letor", "letor_like"):
        raise DataError(f"{what} must state grades as its label: the reader 'letor' reads judged documents.")
    if dataset.task == "graded" and dataset.reader not in RANKING_QUERIES:
        raise DataError(
            f"{what} cannot have grades, which take one of the readers {', '.join(RANKING_QUERIES)}."
        )
    if bool(dataset.variant_of) != bool(dataset.variant):
        raise DataError(
            f"{what} must state 'variant', a choice and its option, if, and only if, it states 'variant_of'."
        )
    if any(f.optional for f in dataset.files) != bool(dataset.partial):
        raise DataError(f"{what} must state 'partial' counts if, and only if, one of its files is optional.")


def _check_word(what, key, word, known):
    if word not in known:
        raise DataError(f"{what[0].upper()}{what[1:]} names the unknown {key} {word!r}{nearest(word, known)}")


def _check_types(what, entry, types):
    for key, wanted in types.items():
        if key in entry and not isinstance(entry[key], wanted):
            raise DataError(f"{key!r} in {what} must be {_SAID[wanted]}.")


def _check_keys(what, entry, known, required=()):
    for key in entry:
        if key not in known:
            raise DataError(f"Unknown key {key!r} in {what}{nearest(key, sorted(known))}")
    for key in required:
        if key not in entry:
            raise DataError(f"The key {key!r} is missing in {what}.")
