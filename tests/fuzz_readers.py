"""Readers on damaged files: each is read as a plain parser reads it, or refused with one sentence.

``python tests/fuzz_readers.py 10000 [first seed [readers]]`` tries so many inputs of each reader, or of
these; a failure names its seed. tests/unit/test_fuzz_readers.py tries some in every run of the tests.
"""

import io
import re
import sys
import tempfile
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse
from data_helpers import letor_members, make_spec, put

from reproduction.core.errors import DataError
from reproduction.datasets import registry
from reproduction.datasets.readers.delimited import read_delimited
from reproduction.datasets.readers.letor import read_letor
from reproduction.datasets.readers.microarray import read_colon, read_yeast
from reproduction.datasets.readers.p300 import read_p300
from reproduction.datasets.readers.parquet import read_parquet
from reproduction.datasets.readers.scaled import read_scaled
from reproduction.datasets.readers.svmlight import read_svmlight

YEAST = registry.get("yeast").options
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
ALPHABET = b"0123456789.,:;-+eE_ \t\n\r#?\"'xinfa\x00\xff\xc3\xa9T"
TABLE = b"M,0.5,-1.25\nR,3,4e-1\nM,5.5,6\nR,7,8\n"
LABEL_FIRST = {"label_column": 0}
NAMED_TABLE = b"kind,age,dose\n" + TABLE
SVM = b"+1 1:0.5 3:2\n-1 2:1 # why\n1 1:1e-3 2:-4 3:7\n-1\n-1 3:0\n"
COLON = {"expression.csv": b"1,2.5\n3,4\n5,6\n", "ids.txt": b"-1\n1\n-2\n"}
GENES = b"2,0.5,1\n-1,2,3\n0,4,5\n0;1,6,7\n"
PARTS = [f"{s % 3} qid:{2**33 + s} 1:0.5 2:{s} #docid = G_1\n0 qid:{2**33 + s} 2:1\n" for s in range(1, 6)]


class Refused(ValueError):
    """What a plain parser says."""


def number(text):
    """A finite number in plain digits."""
    if not NUMBER.fullmatch(text) or not np.isfinite(float(text)):
        raise Refused(text)
    return float(text)


def cells(content):
    """Rows of cells of comma-separated text; None where quotes make it more than that."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("no UTF-8") from None
    if '"' in text:
        return None
    rows = [line.split(",") for line in re.split(r"\r\n|\n|\r", text) if line.strip(" \t")]
    if not rows or len({len(row) for row in rows}) != 1:
        raise Refused("rows of different length")
    return [[cell.strip() for cell in row] for row in rows]


def plain_table(content, skipped=0):
    """Label first, then two numbers."""
    rows = cells(content)
    if rows is None:
        return None
    rows = rows[skipped:]
    if not rows or any(len(row) != 3 or not row[0] for row in rows):
        raise Refused("a label and two features")
    return np.array([[number(cell) for cell in row[1:]] for row in rows])


def plain_named(content):
    """The same below a row of names."""
    return plain_table(content, 1)


def plain_svmlight(content, n_features=3):
    """Rows of an SVMlight file."""
    rows = []
    for line in content.split(b"\n"):
        words = [word.decode("latin-1") for word in line.split(b"#", 1)[0].split()]
        if not words:
            continue
        number(words[0])
        row, last = np.zeros(n_features), 0
        for word in words[2 if len(words) > 1 and words[1].startswith("qid:") else 1 :]:
            index, colon, value = word.partition(":")
            if not colon or not re.fullmatch(r"\d+", index, re.ASCII) or not last < int(index) <= n_features:
                raise Refused(word)
            last = int(index)
            row[last - 1] = number(value)
        rows.append(row)
    return np.array(rows).reshape(-1, n_features)


def mutate(content, random):
    """One to three changes: a byte, some bytes removed, doubled, put elsewhere, or the end cut off."""
    content = bytearray(content)
    for _ in range(random.integers(1, 4)):
        position, length = int(random.integers(len(content) + 1)), int(random.integers(1, 8))
        kind = random.integers(6)
        new = bytes(random.choice(list(ALPHABET), size=length).astype(np.uint8))
        if kind == 0:
            content[position : position + 1] = new[:1]
        elif kind == 1:
            content[position:position] = new[: length // 2 + 1]
        elif kind == 2:
            del content[position : position + length]
        elif kind == 3:
            content[position:position] = content[position : position + 4 * length]
        elif kind == 4:
            del content[position:]
        else:
            content[position : position + length] = new
    return bytes(content)


def run_of_flashes():
    """A short recording, as .mat."""
    flashing = np.zeros(900, dtype=np.uint8)
    flashing[100:124] = flashing[300:324] = 1
    signal = np.random.default_rng(0).integers(-99, 99, size=(900, 64)).astype(np.int16)
    with io.BytesIO() as file:
        scipy.io.savemat(file, {"signal": signal, "Flashing": flashing, "StimulusType": flashing})
        return file.getvalue()


def spec_of(reader, names, features, **more):
    files = [{"name": name, "sha256": None} for name in names]
    return make_spec(files=files, reader=reader, expected={"features": features}, **more)


def dense(table):
    return table.X.toarray() if scipy.sparse.issparse(table.X) else table.X


def damaged_files_case(reader, read, files, plain, features=2, absent=(), **more):
    """A case of a reader: a function of a folder and a generator that damages one of the files."""
    spec = spec_of(reader, [*files, *absent], features, **more)

    def case(folder, random):
        damaged_name = str(random.choice(list(files))) if len(files) > 1 else next(iter(files))
        contents = files | {damaged_name: mutate(files[damaged_name], random)}
        paths = {name: put(folder / name, content) for name, content in contents.items()}
        return lambda: dense(read(spec, paths)), lambda: plain(*contents.values())

    return case


def letor_case(folder, random):
    """Damage in a part, repeated in the files of all folds, or in one file alone."""
    parts = [part.encode() for part in PARTS]
    damaged_part = int(random.integers(5))
    parts[damaged_part] = mutate(parts[damaged_part], random)
    members = letor_members([part.decode("latin-1") for part in parts])
    members = {name: text.decode("utf-8").encode("latin-1") for name, text in members.items()}
    paths = {name: put(folder / name, content) for name, content in members.items()}
    file = {"name": "set", "members": dict.fromkeys(members)}
    spec = make_spec(files=[file], reader="letor", label={"grades": [0, 1, 2]}, expected={"features": 2})

    def read_plain():
        return np.vstack([plain_svmlight(part, 2) for part in parts])

    return lambda: dense(read_letor(spec, paths)), read_plain


def plain_colon(expression, ids):
    """A table of numbers, and as many rows of numbers."""
    X, ids = cells(expression), cells(ids)
    if X is None or ids is None:
        return None
    if len(X) != len(ids) or len(X[0]) != 2:
        raise Refused("shapes")
    [number(row[0]) for row in ids]
    return np.array([[number(cell) for cell in row] for row in X])


def plain_scaled(content):
    """LIBSVM's scaled form of a file as it is."""
    X = plain_svmlight(content)
    if not len(X):
        return X
    columns = []
    for column in X.T.tolist():
        low, high = min(column), max(column)
        scaled = [float(f"{-1 + 2 * (x - low) / (high - low):.6g}") if high > low else 0.0 for x in column]
        columns.append(scaled)
    return np.array(columns).T


def plain_yeast(content):
    """A code of classes, then numbers, of whatever count; genes of one known class are kept."""
    rows = cells(content)
    if rows is None:
        return None
    X = np.array([[number(cell) for cell in row[1:]] for row in rows])
    return X[[row[0].rstrip("\0") in YEAST["classes"] for row in rows]]  # a NUL ends a word for pandas


def parquet():
    """A table as .parquet."""
    with io.BytesIO() as file:
        pd.read_csv(io.BytesIO(NAMED_TABLE)).to_parquet(file)
        return file.getvalue()


def no_plain_parser(content):
    return None


def cases():
    """Reader -> a function that writes a damaged file and returns how it is read, and how plainly."""
    with_head = LABEL_FIRST | {"header": True}
    scale = {"absent": ["scaled"], "options": {"scaled": [-1, 1]}}
    cases_by_reader = {
        "delimited": damaged_files_case(
            "delimited", read_delimited, {"file": TABLE}, plain_table, options=LABEL_FIRST
        ),
        "header": damaged_files_case(
            "delimited", read_delimited, {"file": NAMED_TABLE}, plain_named, options=with_head
        ),
        "svmlight": damaged_files_case("svmlight", read_svmlight, {"file": SVM}, plain_svmlight, features=3),
        "letor": letor_case,
        "colon": damaged_files_case("colon", read_colon, COLON, plain_colon),
        "yeast": damaged_files_case("yeast", read_yeast, {"file": GENES}, plain_yeast, options=YEAST),
        "scaled": damaged_files_case("scaled", read_scaled, {"raw": SVM}, plain_scaled, features=3, **scale),
        "p300": damaged_files_case(
            "p300", read_p300, {"file": run_of_flashes()}, no_plain_parser, features=310
        ),
    }
    if find_spec("pyarrow"):
        named = {"label_column": "kind"}
        cases_by_reader["parquet"] = damaged_files_case(
            "parquet", read_parquet, {"file": parquet()}, no_plain_parser, options=named
        )
    return cases_by_reader


def try_one(case, folder, seed):
    """Return what is wrong with the answer to one input; None where nothing is."""
    read, read_plain = case(folder, np.random.default_rng(seed))
    try:
        expected = read_plain()
    except Refused as error:
        expected = error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            matrix = read()
    except DataError as error:
        message = str(error)
        return None if "\n" not in message.strip() else f"more than a sentence: {message!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(expected, Refused):
        return f"read, where a plain parser refuses {expected}"
    if not np.isfinite(matrix).all():
        return "numbers that are not finite"
    is_same = expected is None or (
        matrix.shape == expected.shape and np.allclose(matrix, expected, rtol=1e-15)
    )
    if not is_same:
        return f"read {matrix.tolist()}, where it says {expected.tolist()}"
    return None


def main(number_of_inputs, first, *only):
    failures = 0
    for name, case in cases().items():
        if only and name not in only:
            continue
        started, n_wrong = time.perf_counter(), 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(first, first + number_of_inputs):
                message = try_one(case, Path(folder), seed)
                n_wrong += message is not None
                if message and n_wrong <= 5:
                    print(f"{name}, seed {seed}: {message[:300]}")
        failures += n_wrong
        seconds = time.perf_counter() - started
        print(f"{name}: {number_of_inputs} inputs, {n_wrong} wrong, {seconds:.0f} s", flush=True)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, *sys.argv[3:])
