"""SVMlight text: parts, pieces and packing, and what is said of a bad line."""

import bz2
import gzip
import lzma
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from data_helpers import make_spec, write
from ranking_data import raises_one_sentence

from reproduction.core.errors import DataError
from reproduction.datasets.readers import svmlight
from reproduction.datasets.readers.svmlight import read_svmlight, stream_svmlight


def svm_spec(*names, features):
    files = [{"name": name, "sha256": None} for name in names]
    return make_spec(files=files, reader="svmlight", expected={"features": features})


def test_union_of_parts_with_the_registrys_features(tmp_path):
    """a9a.t alone reaches only 122 of the 123 features; splice, w8a and cod-rna are unions as well."""
    paths = write(tmp_path, part="+1 1:0.5 4:2\n-1 2:1\n", part_t="-1 3:1\n")
    table = read_svmlight(svm_spec("part", "part.t", features=5), paths)
    assert scipy.sparse.issparse(table.X)
    np.testing.assert_array_equal(table.X.toarray(), [[0.5, 0, 0, 2, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]])
    assert table.labels.tolist() == ["1", "-1", "-1"]


def test_without_the_optional_part(tmp_path):
    table = read_svmlight(svm_spec("part", "part.r", features=1), write(tmp_path, part="1 1:1\n-1 1:2\n"))
    assert table.X.shape == (2, 1)


def test_label_forms(tmp_path):
    """breast-cancer writes 2.000000 and 4.000000, others +1 and -1."""
    paths = write(tmp_path, part="2.000000  1:1\n4.000000  1:1\n")
    table = read_svmlight(svm_spec("part", features=1), paths)
    assert table.labels.tolist() == ["2", "4"]


@pytest.mark.parametrize("size", [*range(30, 90, 7), 1 << 20])
@pytest.mark.parametrize("density", [0.2, 1.0])
def test_in_pieces_of_any_size(tmp_path, monkeypatch, size, density):
    rng = np.random.default_rng(0)
    X = rng.integers(1, 9, size=(7, 6)) * (rng.random((7, 6)) < density)
    rows = [" ".join(f"{j}:{value}" for j, value in enumerate(row, 1) if value) for row in X]
    text = "".join(f"{(-1) ** i} {row}\n" for i, row in enumerate(rows))
    monkeypatch.setattr(svmlight, "CHUNK_BYTES", size)
    table = read_svmlight(svm_spec("part", features=6), write(tmp_path, part=text))
    np.testing.assert_array_equal(table.X.toarray() if scipy.sparse.issparse(table.X) else table.X, X)
    assert table.labels.tolist() == ["1", "-1"] * 3 + ["1"]


@pytest.mark.parametrize(
    ("bad", "cause"),
    [
        ("1 2:nan", "NaN or infinity where a finite number is needed"),
        ("1 2:1e999", "NaN or infinity"),
        ("inf 1:1", "NaN or infinity"),
        ("1 2:x", "could not convert string to float: b'x'"),
        ("one 1:1", "could not convert string to float: b'one'"),
        ("1 word", "to unpack"),
        ("1 +2:1", "not a number in plain digits"),
        ("1 2:1_0", "not a number in plain digits"),
        ("1 4:1", "n_features was set to 3, but input file contains 4 features"),
        ("1 18446744073709551617:1", "too large"),
        ("1 0:1", "Invalid index 0"),
        ("1 2:1 1:1", "should be sorted and unique"),
        ("1 2:1 2:1", "should be sorted and unique"),
    ],
)
@pytest.mark.parametrize("piece", [25, 1 << 20])
def test_bad_content(tmp_path, monkeypatch, bad, cause, piece):
    monkeypatch.setattr(svmlight, "CHUNK_BYTES", piece)
    paths = write(tmp_path, part=f"1 1:1\n\n-1 2:1 # 7\n{bad}\n1 3:1\n")
    message = rf"^part cannot be read as SVMlight text in line 4 \(.*{cause}.*\): replace the file by the off"
    with raises_one_sentence(message, DataError):
        read_svmlight(svm_spec("part", features=3), paths)


def test_queries(tmp_path):
    path = write(tmp_path, part="2 qid:10 1:0.5 #docid = GX0\r\n0 qid:7\t3:1\n")["part"]
    X, labels, qid = svmlight.read_csr(path, "part", 3, query_id=True)
    assert labels.tolist() == [2, 0] and qid.tolist() == [10, 7]
    assert X.toarray().tolist() == [[0.5, 0, 0], [0, 0, 1]]
    assert svmlight.read_csr(path, "part", 3)[2].tolist() == [0, 0]
    for bad, cause in (("1 1:1", "no qid, which names the query of the row"), ("1 qid:a 1:1", "'a'")):
        path.write_text(f"1 qid:1 1:1\n{bad}\n1 qid:1 1:1\n")
        with pytest.raises(DataError, match=rf"^part cannot .* in line 2 \(.*{cause}.*\): replace"):
            svmlight.read_csr(path, "part", 3, query_id=True)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_packed_or_not(tmp_path, pack):
    (tmp_path / "part").write_bytes(pack(b"+1 1:0.5 3:0\n-1 2:1e2"))
    X, labels, _ = svmlight.read_csr(tmp_path / "part", "part", 3)
    np.testing.assert_array_equal(X.toarray(), [[0.5, 0, 0], [0, 100, 0]])
    assert labels.tolist() == [1, -1] and X.nnz == 3  # a zero that is written is kept


def test_truncated_empty_or_without_lines(tmp_path, monkeypatch):
    path = tmp_path / "part"
    text = "".join(f"1 1:{value}\n" for value in np.random.default_rng(0).random(5000)).encode()
    path.write_bytes(gzip.compress(text)[:-500])
    with pytest.raises(DataError, match=r"part is truncated or damaged .*: replace it by an intact copy"):
        svmlight.read_csr(path, "part", 3)
    path.write_bytes(b"")
    X, labels, qid = svmlight.read_csr(path, "part", 3)
    assert X.shape == (0, 3) and labels.size == qid.size == 0
    monkeypatch.setattr(svmlight, "CHUNK_BYTES", 1 << 20)
    path.write_bytes(b"1 " * (2 << 20))
    with pytest.raises(DataError, match=r"part holds a line of more than 1 MB, so it is not SVMlight text"):
        svmlight.read_csr(path, "part", 3)


def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "CHUNK_BYTES", 1 << 16)
    spec, peaks = svm_spec("part", features=3), []
    for size in (10_000, 50_000):
        (tmp_path / "part").write_bytes(bz2.compress(b"1 1:0.123456 2:-0.5 3:1\n" * size))
        tracemalloc.start()
        n_rows = sum(len(table.X) for table in stream_svmlight(spec, {"part": tmp_path / "part"}))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert n_rows == size
    assert peaks[1] < 1.1 * peaks[0]
