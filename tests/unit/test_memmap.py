"""Data sets that are mapped into memory: written as a stream, checked when they are opened."""

import bz2
import gzip
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from data_helpers import make_spec, plant, put, sha

from reproduction.core.errors import DataError
from reproduction.datasets import memmap, registry
from reproduction.datasets.prepare import make_placeholder, prepare
from reproduction.datasets.prepared_data import load_prepared, save_prepared
from reproduction.datasets.readers import delimited, svmlight
from reproduction.datasets.readers.scaled import scale_to_range
from reproduction.datasets.row_counts import find_constant_features
from reproduction.datasets.summary import judge_counts
from reproduction.datasets.table import Table

EPSILON_FILES = [{"name": name, "sha256": None, "urls": []} for name in ("points", "points.t")]


def blocks(X, sizes=(3, 1, 0, 4)):
    """Cut rows into blocks of some sizes, with the row numbers as labels."""
    edges = [0, *np.cumsum(sizes).tolist(), len(X)]
    for first, last in pairwise(edges):
        yield Table(X[first:last], np.arange(first, last).astype(str))


def matrix(n=10, d=5):
    X = np.random.default_rng(0).standard_normal((n, d))
    X[:, 1], X[:, 3] = 7.25, 0.0
    X[-1, 3] = -0.0
    return X


@pytest.fixture
def folder(tmp_path):
    """A mapped set of 10 x 5, written and saved."""
    memmap.write(blocks(matrix()), tmp_path, 5, "points")
    return tmp_path


def test_the_file_is_that_of_numpy(tmp_path):
    X = matrix()
    table, constant = memmap.write(blocks(X), tmp_path, 5, "points")
    np.save(tmp_path / "numpy.npy", X.astype(np.float32))
    assert (tmp_path / "X.npy").read_bytes() == (tmp_path / "numpy.npy").read_bytes()
    assert isinstance(table.X, np.memmap) and not table.X.flags.writeable and table.X.flags.c_contiguous
    np.testing.assert_array_equal(table.X, X.astype(np.float32))
    assert table.labels.tolist() == [str(i) for i in range(10)]
    assert constant == find_constant_features(X.astype(np.float32)) == [1, 3]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["X.npy", "numpy.npy"]


def test_dropped_rows_are_counted_over_blocks(tmp_path):
    entries = [({"count": 2, "why": "a"},), ({"count": 1, "why": "b"}, {"count": 5, "why": "a"}), ()]
    tables = [Table(np.ones((1, 2)), np.array(["1"]), dropped=entry) for entry in entries]
    table, _ = memmap.write(tables, tmp_path, 2, "points")
    assert table.dropped == ({"count": 7, "why": "a"}, {"count": 1, "why": "b"})


def test_a_failure_leaves_what_was_there(folder):
    before = (folder / "X.npy").read_bytes()

    def iterate_broken():
        yield from blocks(matrix())
        raise DataError("Line 7 is bad.")

    with pytest.raises(DataError, match="Line 7 is bad"):
        memmap.write(iterate_broken(), folder, 5, "points")
    assert [path.name for path in folder.iterdir()] == ["X.npy"]
    assert (folder / "X.npy").read_bytes() == before


def test_a_value_beyond_float32_is_refused(tmp_path):
    X = matrix()
    X[8, 2] = 1e39
    with pytest.raises(DataError, match=r"points holds a value beyond float32 in row 9, feature 3: correct"):
        memmap.write(blocks(X), tmp_path, 5, "points")
    assert not list(tmp_path.iterdir())


def test_a_file_shorter_or_longer_than_its_header_says(folder):
    file = folder / "X.npy"
    valid_content = file.read_bytes()
    for content, word in (
        (valid_content[:-1], "shorter"),
        (valid_content[: 128 + 20], "shorter"),
        (valid_content + b"0", "longer"),
    ):
        file.write_bytes(content)
        size = f"{len(content)} bytes where 10 x 5 values of float32 take 328"
        remedy = f"delete {folder / 'arrays.npz'} and prepare the data set again."
        message = f"{file} is {word} than its header says ({size}): {remedy}"
        with pytest.raises(DataError, match=re.escape(message)):
            memmap.load(file, (10, 5))


@pytest.mark.parametrize(
    ("other", "shape_text"),
    [
        (np.ones((10, 5)), r"10 x 5 values of float64, rows together"),
        (np.ones((10, 5), np.float32, order="F"), r"10 x 5 values of float32, columns together"),
        (np.ones((9, 5), np.float32), r"9 x 5 values of float32, rows together"),
        (np.ones(50, np.float32), r"50 values of float32"),
        (np.ones((10, 5), ">f4"), r"10 x 5 values of >f4"),
    ],
)
def test_a_file_that_is_not_what_the_manifest_says(folder, other, shape_text):
    np.save(folder / "X.npy", other)
    message = f"X.npy holds {shape_text}.* where the manifest says 10 x 5 of float32, rows together: delete"
    with pytest.raises(DataError, match=message):
        memmap.load(folder / "X.npy", (10, 5))


@pytest.mark.parametrize(
    "content",
    [b"", b"\x93NUMPY", b"1 1:1\n" * 100, b"\x93NUMPY\x02\x00", b"\x93NUMPY\x01\x00\x08\x00{'a': 1}"],
)
def test_a_file_without_a_header(folder, content):
    (folder / "X.npy").write_bytes(content)
    with pytest.raises(DataError, match=r"X.npy has no header of numpy's .npy format \(.*\): delete "):
        memmap.load(folder / "X.npy", (10, 5))


def test_a_file_that_is_gone(folder):
    (folder / "X.npy").unlink()
    with pytest.raises(DataError, match=r"X.npy is missing, where the rows .* belong: delete .*arrays.npz"):
        memmap.load(folder / "X.npy", (10, 5))


# --------------------------------------------- through the registry


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """Write packed files of the family "small" into a mirror, and return it."""
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)

    def write(**files):
        for name, content in files.items():
            put(tmp_path / "mirror/small" / name.replace("_", "."), content)
        return tmp_path / "mirror"

    return write


def svm_text(X, y):
    rows = (" ".join(f"{j}:{value:.7g}" for j, value in enumerate(row, 1)) for row in X.tolist())
    return "".join(f"{label} {row} \n" for label, row in zip(y.tolist(), rows, strict=True)).encode()


def epsilon_in_small(monkeypatch, **changes):
    """epsilon's entry with other counts: two bz2 files, labels -1 and 1."""
    entry = {"files": EPSILON_FILES, "reader": "svmlight", "options": {}, "storage": "mapped"}
    counts = {"rows": 9, "features": 4, "positives": 4, "negatives": 5}
    spec_fields = {"label": {"positive": ["1"], "negative": ["-1"]}, "expected": counts}
    return plant(monkeypatch, make_spec(**entry | spec_fields | changes))


def test_epsilon_in_small(tmp_path, monkeypatch, mirror):
    epsilon_in_small(monkeypatch)
    monkeypatch.setattr(svmlight, "CHUNK_BYTES", 100)
    X, y = np.random.default_rng(3).standard_normal((9, 4)), np.array([1, -1, 1, -1, -1, 1, 1, -1, -1])
    packed = {"points_bz2": svm_text(X[:6], y[:6]), "points_t_bz2": svm_text(X[6:], y[6:])}
    where = mirror(**{name: bz2.compress(text) for name, text in packed.items()})
    out = tmp_path / "out"
    prepared = prepare("points", tmp_path / "data", where, folder=out)
    expected = np.array([[float(f"{value:.7g}") for value in row] for row in X.tolist()]).astype(np.float32)
    np.testing.assert_array_equal(prepared.X, expected)
    assert prepared.y.tolist() == (y > 0).tolist() and judge_counts(prepared.manifest) == "as expected"
    assert [path.name for path in out.iterdir()] == ["X.npy"], "arrays.npz comes last"
    save_prepared(prepared, out)
    loaded = load_prepared(out)
    assert isinstance(loaded.X, np.memmap) and loaded.X.dtype == np.float32 and not loaded.X.flags.writeable
    np.testing.assert_array_equal(loaded.X, expected)
    assert loaded.manifest == prepared.manifest and np.array_equal(loaded.y, prepared.y)
    assert sorted(path.name for path in out.iterdir()) == ["X.npy", "arrays.npz", "manifest.json"]


def test_without_a_folder_nothing_is_left_behind(tmp_path, monkeypatch, mirror):
    epsilon_in_small(monkeypatch)
    X, y = np.ones((9, 4)), np.array([1, -1] * 4 + [-1])
    where = mirror(points=svm_text(X[:5], y[:5]), points_t=svm_text(X[5:], y[5:]))
    prepared = prepare("points", tmp_path / "data", where)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["cache"]
    save_prepared(prepared, tmp_path / "one")
    save_prepared(load_prepared(tmp_path / "one"), tmp_path / "two")
    save_prepared(load_prepared(tmp_path / "two"), tmp_path / "two")
    for file in ("X.npy", "arrays.npz", "manifest.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert load_prepared(tmp_path / "two").manifest["constant_features"] == [0, 1, 2, 3]


def test_mapped_or_not_the_rows_are_the_same(tmp_path, monkeypatch):
    spec = registry.get("epsilon-like")
    mapped_set = prepare("epsilon-like", tmp_path)
    plant(monkeypatch, replace(spec, storage="arrays"))
    arrays = prepare("epsilon-like", tmp_path)
    assert type(arrays.X) is np.ndarray and arrays.X.dtype == np.float64
    np.testing.assert_array_equal(arrays.X, mapped_set.X)
    assert arrays.manifest == mapped_set.manifest


def test_a_slice_of_a_mapping_is_saved_as_such(tmp_path, monkeypatch, mirror):
    prepared = prepare("epsilon-like", tmp_path, folder=tmp_path / "out")
    subset = replace(prepared, X=prepared.X[5:25], y=prepared.y[5:25], manifest={"rows": 20, "features": 40})
    expected = np.array(subset.X)
    save_prepared(subset, tmp_path / "out")
    np.testing.assert_array_equal(load_prepared(tmp_path / "out").X, expected)


@pytest.mark.parametrize("storage", ["mapped", "arrays"])
def test_empty_files_are_refused(tmp_path, monkeypatch, mirror, storage):
    epsilon_in_small(monkeypatch, storage=storage)
    remedy = "its files by the official ones" if storage == "mapped" else "the file by the official one"
    with pytest.raises(DataError, match=f"points has no rows: replace {remedy}"):
        prepare("points", tmp_path / "data", mirror(points=b"", points_t=b"\n"))


def test_covtype_in_small(tmp_path, monkeypatch, mirror):
    """Class 2 is positive; the checksum is that of the packed file."""
    monkeypatch.setattr(delimited, "CHUNK_ROWS", 4)
    X = np.random.default_rng(1).integers(0, 8000, size=(11, 3))
    labels = np.array([2, 1, 2, 5, 7, 2, 2, 1, 3, 2, 6])
    text = "".join(f"{','.join(map(str, row))},{c}\n" for row, c in zip(X, labels, strict=True))
    packed = gzip.compress(text.encode())
    file = {"name": "points", "also_named": ["points.data"], "urls": [], "served_sha256": {"gz": sha(packed)}}
    expected = {"rows": 11, "features": 3, "positives": 5, "negatives": 6}
    of_covtype = {"label": registry.get("covtype").label, "options": registry.get("covtype").options}
    plant(monkeypatch, make_spec(files=[file], expected=expected, storage="mapped", **of_covtype))
    prepared = prepare("points", tmp_path / "data", mirror(points_data_gz=packed))
    assert judge_counts(prepared.manifest) == "as expected"
    assert prepared.manifest["labels"] == {"1": 2, "2": 5, "3": 1, "5": 1, "6": 1, "7": 1}
    assert isinstance(prepared.X, np.memmap)
    np.testing.assert_array_equal(prepared.X, X)
    np.testing.assert_array_equal(prepared.y, labels == 2)


def test_covtype_scaled_in_small(tmp_path, monkeypatch, mirror):
    """Each feature to [0, 1] over the whole file, block by block; LIBSVM's own file where it is there."""
    monkeypatch.setattr(delimited, "CHUNK_ROWS", 4)
    X = np.random.default_rng(1).integers(0, 8000, size=(11, 3))
    X[:, 1] = 7  # svm-scale leaves a constant feature out
    labels = np.array([2, 1, 2, 5, 7, 2, 2, 1, 3, 2, 6])
    text = "".join(f"{','.join(map(str, row))},{c}\n" for row, c in zip(X, labels, strict=True)).encode()
    files = [
        {"name": "points", "also_named": ["points.data"], "urls": [], "sha256": sha(text)},
        {"name": "points.scale", "urls": [], "sha256": None, "optional": True},
    ]
    counts = {"rows": 11, "features": 3, "positives": 5, "negatives": 6}
    entry = registry.get("covtype-scaled")
    fields = {"label": entry.label, "options": entry.options, "reader": entry.reader, "storage": "mapped"}
    plant(monkeypatch, make_spec(files=files, expected=counts, partial=counts, **fields))
    prepared = prepare("points", tmp_path / "data", mirror(points_data=text))
    expected = scale_to_range(X.astype(float), 0, 1)
    assert prepared.manifest["status"] == "partial" and isinstance(prepared.X, np.memmap)
    np.testing.assert_array_equal(prepared.X, expected.astype(np.float32))
    np.testing.assert_allclose(prepared.X[:, 0], (X[:, 0] - X[:, 0].min()) / np.ptp(X[:, 0]), rtol=1e-5)
    np.testing.assert_array_equal(prepared.y, labels == 2)
    official = b"".join(b"%d 1:0.5 3:1\n" % (2 if label == 2 else 1) for label in labels)
    folder = mirror(points_data=text, points_scale=official)
    prepared = prepare("points", tmp_path / "other", folder)
    assert prepared.manifest["status"] == "obtained" and prepared.X.tolist() == [[0.5, 0.0, 1.0]] * 11
    np.testing.assert_array_equal(prepared.y, labels == 2)


def test_features_that_are_left_out_and_rows_that_are_dropped(tmp_path, monkeypatch, mirror):
    monkeypatch.setattr(delimited, "CHUNK_ROWS", 2)
    counts = {"rows": 3, "features": 1, "positives": 1, "negatives": 2}
    spec_fields = {"options": {"label_column": -1, "missing": "?"}, "expected": counts, "storage": "mapped"}
    plant(monkeypatch, make_spec(drop_features=[0], **spec_fields))
    where = mirror(points_data=b"1,2,0\n3,?,1\n5,6,1\n?,8,1\n9,10,0\n")
    prepared = prepare("points", tmp_path / "data", where)
    assert prepared.X.tolist() == [[2], [6], [10]] and prepared.y.tolist() == [0, 1, 0]
    assert prepared.manifest["dropped_rows"] == [{"count": 2, "why": "a value is missing (?)"}]


def test_a_bad_cell_is_named_by_its_row_in_the_file(tmp_path, monkeypatch, mirror):
    monkeypatch.setattr(delimited, "CHUNK_ROWS", 2)
    plant(monkeypatch, make_spec(storage="mapped"))
    for last, message in (
        (b"7,nan,1", "points.data holds 'nan' in row 4, column 2, where a finite number"),
        (b"7,8,9,1", r"points.data is not a table of comma-separated rows .*line 4"),
    ):
        where = mirror(points_data=b"1,2,0\n3,4,1\n5,6,1\n" + last + b"\n")
        with pytest.raises(DataError, match=message):
            prepare("points", tmp_path / f"data{len(last)}", where)


def test_wrong_or_truncated_downloads_are_told(tmp_path, monkeypatch, mirror):
    """Without a checksum other counts are refused; a truncated file is not obtained, and it is said why."""
    epsilon_in_small(monkeypatch)
    text = svm_text(np.random.default_rng(0).standard_normal((8, 4)), np.array([1, -1] * 4))
    where = mirror(points_bz2=bz2.compress(text), points_t_bz2=bz2.compress(text))
    with pytest.raises(DataError, match=r"has rows 16 .expected 9., positives 8 .*and no checksum proves"):
        prepare("points", tmp_path / "data", where)
    where = mirror(points_bz2=bz2.compress(text)[:-20])
    manifest = prepare("points", tmp_path / "other", where).manifest
    assert manifest["status"] == "not obtained" and "truncated or damaged" in manifest["reason"]


def test_a_set_that_is_not_there_any_more_leaves_no_rows_behind(folder, monkeypatch):
    save_prepared(make_placeholder("epsilon", "It is away."), folder)
    assert sorted(path.name for path in folder.iterdir()) == ["arrays.npz", "manifest.json"]
    assert load_prepared(folder).X.shape == (0, 2000)


def test_which_sets_are_mapped():
    mapped_sets = [name for name in registry.list_names() if registry.get(name).storage == "mapped"]
    assert {"covtype", "covtype-scaled", "epsilon", "epsilon-like"} <= {*mapped_sets}
