"""From an entry of a registry, as YAML gives it, to a record; one sentence says what is wrong with an entry.

All checks of an entry stand here: the code that uses the records relies on them.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from reproduction.core.errors import DataError, suggest_nearest
from reproduction.core.path_checks import check_relative_path, get_url_name
from reproduction.datasets.specs import (
    COUNTS,
    DROP,
    FILELESS_READERS,
    GRADED_READERS,
    MEDIAN,
    PAPERS,
    READER_OPTIONS,
    READERS,
    REFUSE,
    RENAMED_KEYS,
    STORAGES,
    STREAMING_READERS,
    USER_FAMILY,
    DataFile,
    DataSet,
)
from reproduction.datasets.synthetic_families import list_reserved_prefixes

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_TYPES = {
    **dict.fromkeys(("label", "expected", "partial", "published", "options", "variant"), dict),
    **dict.fromkeys(("licence", "citation"), str),
    **dict.fromkeys(("files", "papers", "id_features", "drop_features", "notes"), list),
    "memory_mb": int,
}
_TYPES_OF_FILE = {
    **dict.fromkeys(("members", "served_sha256", "reconstruction"), dict),
    **dict.fromkeys(("urls", "copies", "also_named", "folders"), list),
    **dict.fromkeys(("name", "path", "by_hand"), str),
    "optional": bool,
}
_TYPE_NAMES = {
    dict: "keys with values",
    list: "a list",
    str: "text",
    int: "a whole number",
    bool: "true or false",
}


def parse_entry(
    name: str, entry: Mapping, families: Mapping, registry_path: Path | None = None, complete: bool = False
) -> DataSet:
    """Turn one entry of the YAML file into a :class:`DataSet`.

    Parameters
    ----------
    name : str
    entry : dict
        As YAML gives it; the keys are described at the top of registry.yaml.
    families : dict
        Name of a family to its entry.
    registry_path : Path, optional
        The user's own registry, to whose folder a relative ``path`` belongs.
    complete : bool
        Whether all counts of the task must be stated, as the project's registry states them.

    Returns
    -------
    DataSet

    Raises
    ------
    DataError
        A key is unknown, missing, of another type, or contradicts another.
    """
    _check_name(name)
    subject, is_user_entry = f"data set {name!r}", families.keys() == {USER_FAMILY}
    if not isinstance(entry, dict):
        raise DataError(f"The entry of {subject} must be keys with values.")
    entry = {"family": USER_FAMILY} | entry if is_user_entry else entry
    known_keys = set(DataSet.__dataclass_fields__) - {"name"}
    _check_keys(subject, entry, known_keys, required=("family", "reader", "label", "expected"))
    _check_types(subject, entry, _TYPES)
    _check_word(subject, "family", entry["family"], families)
    _check_word(subject, "reader", entry["reader"], READERS)
    family = families[entry["family"]]
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    folder = Path(registry_path).resolve().parent if registry_path else None
    values["files"] = tuple(
        _parse_file(name, entry["family"], f, family, folder) for f in entry.get("files", ())
    )
    values["label"] = _parse_label(subject, entry["label"])
    values |= {key: entry.get(key, family[key]) for key in ("licence", "citation", "home")}
    dataset = DataSet(name=name, **values)
    _check_counts(dataset, complete)
    _check_key_combinations(dataset)
    _check_options(dataset)
    return dataset


def _check_name(name: str) -> None:
    """Check that a name can stand in paths, and is none that an experiment gives to its synthetic data."""
    prefixes = list_reserved_prefixes()
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.startswith(tuple(prefixes)):
        raise DataError(
            f"The data set {name!r} needs another name: small letters, digits and hyphens, not beginning "
            f"with {' or '.join(map(repr, prefixes))}."
        )


def _parse_file(
    dataset: str, family: str, entry: Mapping, family_entry: Mapping, folder: Path | None
) -> DataFile:
    subject = f"a file of data set {dataset!r}"
    if not isinstance(entry, dict):
        raise DataError(f"The entry of {subject} must be keys with values, such as 'name'.")
    known_keys = set(DataFile.__dataclass_fields__) - {"family", "endings", "cached_as"}
    project_keys = {"urls", "copies", "by_hand", "also_named", "served_sha256", "reconstruction"}
    known_keys -= {"path"} if family != USER_FAMILY else project_keys
    _check_keys(subject, entry, known_keys, ("path" if family == USER_FAMILY else "name",))
    _check_types(subject, entry, _TYPES_OF_FILE)
    digests = [entry.get("sha256"), *entry.get("members", {}).values()]
    for digest in [*digests, *entry.get("served_sha256", {}).values()]:
        if digest is not None and not _DIGEST.fullmatch(str(digest)):
            raise DataError(
                f"{digest!r} in {subject} is not a SHA-256, which has 64 hex digits; write null for none."
            )
    # an address without a scheme is relative to the family's base; without addresses the name is one
    base = family_entry["base"]
    relative = entry.get("urls", [entry["name"]] if base else [])
    urls = tuple(u if "://" in u else f"{base or ''}{u}" for u in relative)
    for url in (*urls, *entry.get("copies", ())):
        if not url.startswith(("https://", "http://")):
            raise DataError(f"The address {url!r} in {subject} must begin with https:// or http://.")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    if family == USER_FAMILY:
        # a relative path counts from the folder of the registry, not from where the command runs
        path = Path(entry["path"]).expanduser()
        values["path"] = str(path if path.is_absolute() or not folder else folder / path)
        values.setdefault("name", path.name)
    _check_names(subject, values, urls)
    return DataFile(**{**values, "family": family, "urls": urls})


def _check_names(subject: str, values: Mapping, urls: Iterable[str]) -> None:
    """Check all names of a file that become paths of the cache, the mirror or the data folder."""
    for key in ("also_named", "members", "folders"):
        if not all(isinstance(name, str) for name in values.get(key, ())):
            raise DataError(f"{key!r} in {subject} must hold text only.")
    for name in (values["name"], *values.get("also_named", ())):
        check_relative_path(name, f"The entry of {subject} has the name", "correct it there.")
    for member in (*values.get("members", ()), *values.get("folders", ())):
        check_relative_path(
            member, f"The entry of {subject} has the member", "correct it there.", has_folders=True
        )
    for url in (*urls, *values.get("copies", ())):
        check_relative_path(
            get_url_name(url), f"An address in {subject} ends with", "give the address of a file."
        )


def _parse_label(subject: str, label: Mapping) -> dict:
    """Return the rule with its labels as text: YAML reads 1 as a number."""
    # Exactly one of the two kinds of labels: the task of a data set follows from it.
    if ("grades" in label) == ("positive" in label):
        raise DataError(f"The label of {subject} must state either grades or positive and negative.")
    keys = ("grades",) if "grades" in label else ("positive", "negative")
    _check_keys(f"the label of {subject}", label, {*keys, "meaning"}, keys)
    if "grades" in label:
        grades = label["grades"]
        if not isinstance(grades, list) or not all(type(g) is int and 0 <= g <= 30 for g in grades):
            raise DataError(f"The grades of {subject} must be a list of whole numbers from 0 to 30.")
        return label
    sides = {}
    for key in keys:
        if not isinstance(label[key], list) and not (key == "negative" and label[key] == "rest"):
            raise DataError(
                f"{key!r} in the label of {subject} must be a list of raw labels"
                f"{', or rest' if key == 'negative' else ''}."
            )
        sides[key] = "rest" if label[key] == "rest" else [str(value) for value in label[key]]
    if sides["negative"] != "rest" and set(sides["positive"]) & set(sides["negative"]):
        raise DataError(f"The label of {subject} names the same raw label as positive and as negative.")
    return label | sides


def _check_counts(dataset: DataSet, complete: bool) -> None:
    """Check that the counts belong to the task, and that none is missing that a registry must state."""
    subject = f"data set {dataset.name!r}"
    classes = ("queries", "preferences") if dataset.task == "graded" else ("positives", "negatives")
    for table in ("expected", "partial", "published"):
        counts = getattr(dataset, table)
        _check_keys(f"{table!r} of {subject}", counts, set(COUNTS))
        for key, count in counts.items():
            if type(count) is not int or count < 0:
                raise DataError(
                    f"{key!r} in {table!r} of {subject} is {count!r}, and must be a whole number."
                )
            if key not in ("rows", "features", *classes):
                raise DataError(
                    f"{key!r} in {table!r} of {subject} does not fit its label, which is {dataset.task}."
                )
        # A published table may give one of the counts only: then there is nothing to add up.
        is_whole = dataset.task == "binary" and {"rows", *classes} <= set(counts)
        if is_whole and counts["positives"] + counts["negatives"] != counts["rows"]:
            raise DataError(f"Positives and negatives in {table!r} of {subject} do not add up to its rows.")
    for key in ("rows", "features", *classes) if complete else ("features",):
        if key not in dataset.expected:
            raise DataError(f"The key {key!r} is missing in 'expected' of {subject}.")


def _check_options(dataset: DataSet) -> None:
    """Check the options of the reader."""
    subject = f"'options' of data set {dataset.name!r}"
    # each reader states the options that it knows
    options, known_options = dataset.options, READER_OPTIONS.get(dataset.reader, ())
    # Readers of tables have many options, of which only the label's column is needed.
    is_table = "query_column" in known_options
    for key in options:
        if not known_options:
            raise DataError(f"Unknown key {key!r} in {subject}: the reader {dataset.reader!r} takes none.")
    optional = {"svmlight": known_options, "scaled": ("label_column",), "smiles": ("refused",)}
    required = [key for key in known_options if key not in optional.get(dataset.reader, ())]
    _check_keys(subject, options, set(known_options), ("label_column",) if is_table else required)
    for key in ("label_column", "query_column"):
        if key in options and type(options[key]) not in (int, str):
            raise DataError(f"{key!r} in {subject} must be the name of a column or its number, from 0.")
    for key in ("left_out", "one_hot", "labels"):
        if not isinstance(options.get(key, []), list):
            raise DataError(f"{key!r} in {subject} must be a list.")
    treatment = options.get("missing_cells", DROP)
    if treatment not in (DROP, MEDIAN):
        raise DataError(f"'missing_cells' in {subject} must be {DROP} or {MEDIAN}, and not {treatment!r}.")
    if dataset.storage == "mapped" and (options.get("one_hot") or treatment == MEDIAN):
        raise DataError(
            f"Data set {dataset.name!r} cannot have 'one_hot' or the median with the storage 'mapped', "
            "which is read block by block; leave the storage out."
        )
    if dataset.reader == "smiles" and len(options["labels"]) != len(dataset.files):
        raise DataError(f"'labels' in {subject} must be a list with the label of each of its files.")
    if options.get("refused", DROP) not in (DROP, REFUSE):
        raise DataError(f"'refused' in {subject} must be {DROP} or {REFUSE}, and not {options['refused']!r}.")
    check_separator(options.get("separator", ","), subject)
    queries = [key for key in ("query_column", "group_sizes") if key in options]
    if is_table and bool(queries) != (dataset.task == "graded"):
        raise DataError(
            f"Data set {dataset.name!r} must state the option 'query_column', or 'group_sizes', if, and only "
            "if, its label states grades."
        )
    if "group_sizes" in queries and (
        len(queries) > 1 or dataset.task != "graded" or dataset.storage == "mapped"
    ):
        raise DataError(
            f"'group_sizes' in {subject} goes with grades, and neither with 'query_column' nor with the "
            "storage 'mapped'."
        )
    if "group_sizes" in queries and len(dataset.tables) != len(dataset.files) - 1:
        raise DataError(f"'group_sizes' in {subject} must be the name of one of its files.")


def check_separator(separator: str, subject: str) -> None:
    """Check that a separator can split cells.

    Parameters
    ----------
    separator : str
        One character, or the word "spaces".
    subject : str
        What states it, for the message.

    Raises
    ------
    DataError
        It is neither.
    """
    if not isinstance(separator, str) or (len(separator) != 1 and separator != "spaces"):
        raise DataError(f"'separator' in {subject} must be one character, or the word spaces.")


def _check_key_combinations(dataset: DataSet) -> None:
    """Check keys that depend on each other."""
    subject = f"Data set {dataset.name!r}"
    if set(dataset.papers) - set(PAPERS):
        raise DataError(f"{subject} names an unknown paper; known are {', '.join(PAPERS)}.")
    if dataset.storage not in STORAGES:
        raise DataError(
            f"{subject} has the unknown storage {dataset.storage!r}"
            f"{suggest_nearest(dataset.storage, STORAGES)}"
        )
    if dataset.storage == "mapped" and (dataset.reader not in STREAMING_READERS or dataset.task == "graded"):
        raise DataError(
            f"{subject} cannot have the storage 'mapped', which takes two classes and one of the "
            f"readers {', '.join(STREAMING_READERS)}; leave the key out."
        )
    if bool(dataset.files) == (dataset.reader in FILELESS_READERS):
        raise DataError(
            f"{subject} must name files if, and only if, its reader, {dataset.reader!r}, reads any."
        )
    if dataset.reader in ("delimited", "parquet", "yeast", "letor", "npz") and len(dataset.tables) != 1:
        raise DataError(f"{subject} must name one file, which is what the reader {dataset.reader!r} reads.")
    if dataset.task == "binary" and dataset.reader in ("letor", "letor_like"):
        raise DataError(
            f"{subject} must state grades as its label: the reader 'letor' reads judged documents."
        )
    if dataset.task == "graded" and dataset.reader not in GRADED_READERS:
        raise DataError(
            f"{subject} cannot have grades, which take one of the readers {', '.join(GRADED_READERS)}."
        )
    if bool(dataset.variant_of) != bool(dataset.variant):
        raise DataError(
            f"{subject} must state 'variant', a choice and its option, if, and only if, it states "
            f"'variant_of'."
        )
    if any(f.optional for f in dataset.files) != bool(dataset.partial):
        raise DataError(
            f"{subject} must state 'partial' counts if, and only if, one of its files is optional."
        )


def _check_word(subject: str, key: str, word: object, known_words: Iterable) -> None:
    if word not in known_words:
        raise DataError(
            f"{subject[0].upper()}{subject[1:]} names the unknown {key} "
            f"{word!r}{suggest_nearest(word, known_words)}"
        )


def _check_types(subject: str, entry: Mapping, types: Mapping) -> None:
    for key, expected_type in types.items():
        if key in entry and not isinstance(entry[key], expected_type):
            raise DataError(f"{key!r} in {subject} must be {_TYPE_NAMES[expected_type]}.")


def _check_keys(
    subject: str, entry: Mapping, known_keys: Iterable[str], required: Iterable[str] = ()
) -> None:
    for key in entry:
        if key not in known_keys:
            new_key = RENAMED_KEYS.get(key)
            hint = f"; it is now {new_key!r}." if new_key else suggest_nearest(key, sorted(known_keys))
            raise DataError(f"Unknown key {key!r} in {subject}{hint}")
    for key in required:
        if key not in entry:
            raise DataError(f"The key {key!r} is missing in {subject}.")
