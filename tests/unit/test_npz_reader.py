"""NumPy archives: the arrays X and y, and one sentence for what is no such file."""

import io
import zipfile

import numpy as np
import pytest
from data_helpers import make_spec, obtain, put, sha

from reproduction.core.errors import DataError
from reproduction.datasets.readers.npz import read_npz

X, Y = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.int16), np.array([0, 1, 0])


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def make_npz_spec(**changes):
    files = [{"name": "points.npz", "sha256": None, "urls": []}]
    return make_spec(files=files, reader="npz", expected={"features": 2}, **changes)


def read(tmp_path, content):
    return read_npz(make_npz_spec(), {"points.npz": put(tmp_path / "points.npz", content)})


@pytest.mark.parametrize("y", [Y, Y.astype(float), Y.astype(bool)])
def test_rows_and_labels(tmp_path, y):
    table = read(tmp_path, npz(X=X, y=y))
    np.testing.assert_array_equal(table.X, X)
    assert table.labels.tolist() == ["0", "1", "0"]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": X}, r"^points.npz lacks the array 'y' \(it holds X\): save it by numpy.savez"),
        ({"x": X, "y": Y}, r"^points.npz lacks the array 'X' \(it holds x, y\): save it by"),
        ({}, r"lacks the array 'X' \(it holds no array\)"),
        (
            {"X": X.astype(object), "y": Y},
            "^points.npz holds a pickled array, which is refused, as it could run",
        ),
        ({"X": X, "y": np.array([None, 1, 0])}, "holds a pickled array, which is refused"),
        ({"X": X.astype(str), "y": Y}, "holds the array X of type <U6 where numbers are needed: replace"),
        ({"X": X + 0j, "y": Y}, "holds the array X of type complex128 where numbers are needed"),
        ({"X": np.where(X == 4, np.nan, X), "y": Y}, "holds NaN or infinity in X where a finite number"),
        ({"X": X, "y": np.array([0, np.inf, 1])}, "holds NaN or infinity in y where a finite number"),
        ({"X": X, "y": Y[:2]}, r"holds X of shape \(3, 2\) and y of shape \(2,\) where \(n, 2\) and \(n,\)"),
        ({"X": X[:, :1], "y": Y}, r"holds X of shape \(3, 1\) and y of shape \(3,\) where \(n, 2\)"),
        ({"X": X[0], "y": Y}, r"holds X of shape \(2,\) and"),
    ],
)
def test_bad_arrays_are_named(tmp_path, arrays, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, npz(**arrays))


def test_no_archive_and_a_damaged_one(tmp_path):
    with pytest.raises(DataError, match=r"^points.npz is not an .npz file: replace the file"):
        read(tmp_path, b"1,2,0\n")
    content = bytearray(npz(X=X, y=Y))
    content[content.index(b"NUMPY")] ^= 0xFF
    with pytest.raises(DataError, match=r"^points.npz (is damaged|cannot be read) \("):
        read(tmp_path, bytes(content))


def test_a_pickle_is_not_run(tmp_path):
    class Harmful:
        def __reduce__(self):
            return (tmp_path.joinpath("ran").touch, ())

    array = np.empty(1, dtype=object)
    array[0] = Harmful()
    with pytest.raises(DataError, match="pickled"):
        read(tmp_path, npz(X=array, y=Y))
    assert not tmp_path.joinpath("ran").exists()


@pytest.mark.parametrize("packed", [False, True])
def test_the_file_is_not_unpacked_although_it_is_a_zip(tmp_path, packed):
    """An .npz in an archive is taken out of it, but itself stays whole."""
    content = npz(X=X, y=Y)
    spec = make_spec(
        files=[{"name": "points.npz", "sha256": sha(content), "urls": []}],
        reader="npz",
        expected={"features": 2},
    )
    target = put(tmp_path / f"data/small/points.{'zip' if packed else 'npz'}", content)
    if packed:
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr("folder/points.npz", content)
        target.rename(target.with_name("points.npz.zip"))
    path, digest = obtain(spec, tmp_path)["points.npz"]
    assert digest == sha(content) and path.read_bytes() == content
