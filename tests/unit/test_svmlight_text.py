"""The parser of SVMlight text, against Python's float and scikit-learn's reader."""

import bz2
import gzip
import io
import lzma
import math
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from toprank.datasets.errors import DataError
from toprank.datasets.readers import svmlight_text
from toprank.datasets.readers.svmlight import read_csr
from toprank.datasets.readers.svmlight_text import Parser

DECIMALS = st.one_of(
    st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.tuples(st.floats(-10, 10), st.integers(1, 17)).map(lambda pair: f"{pair[0]:.{pair[1]}g}"),
    st.tuples(st.integers(0, 2**64 - 1), st.integers(-360, 320)).map(lambda pair: f"{pair[0]}e{pair[1]}"),
    st.integers(2**52, 2**53 - 1).map(lambda value: f"{value}.5"),  # halfway between two doubles
    st.tuples(st.integers(2**53, 2**54), st.integers(0, 9)).map(lambda pair: f"{pair[0] << pair[1]}.0"),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(lambda value: f"{value:.9g}"),
)


def parse(text, n_features=3, chunk_bytes=None, **options):
    """All rows of a text as copies: labels, qid, dense float64."""
    stream = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    parts = [
        (rows.labels.copy(), rows.qid.copy(), rows.dense(n_features, np.float64))
        for rows in Parser(n_features, chunk_bytes=chunk_bytes, **options).read(stream, "part")
    ]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


@settings(max_examples=400)
@given(st.lists(DECIMALS, min_size=1, max_size=20))
def test_every_decimal_is_the_nearest_double(tokens):
    """As a value and as a label; the sign of a zero and the stored float32 agree too."""
    numbers = np.array([float(token) for token in tokens])
    assume(np.isfinite(numbers).all())
    labels, _, X = parse("".join(f"{token} 2:{token}\n" for token in tokens))
    for found in (labels, X[:, 1]):
        np.testing.assert_array_equal(found.view(np.int64), numbers.view(np.int64))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(X.astype(np.float32)[:, 1], numbers.astype(np.float32))


@pytest.mark.parametrize(
    "token",
    [
        *("9007199254740992", "9007199254740993", "9007199254740993e22", "9007199254740991e-22", "1e23"),
        *("18446744073709551615", "18446744073709551616", "99999999999999999999", "0.1", "5e-324", "1e-400"),
        *("2.2250738585072011e-308", "1.7976931348623157e308", "123456789012345678901234567890e-30", "-0"),
        *("0.000000000000000000000000000001", "000000000000000000000000000001", "8.5", "7.0000001E+05", "5."),
    ],
)
def test_decimals_at_the_edges(token):
    _, _, X = parse(f"1 1:{token}\n")
    assert X[0, 0] == float(token) and math.copysign(1, X[0, 0]) == math.copysign(1, float(token))


@pytest.mark.parametrize(
    "token",
    [
        *(
            "nan",
            "inf",
            "-inf",
            "Infinity",
            "1e999",
            "-1e309",
            "1_0",
            "0x1",
            "1e",
            "1e+",
            ".",
            "-",
            "+-1",
            "--1",
        ),
        *("1.2.3", "1,5", "1e5.0", "٣", "1:2", "e5", "1d3"),
    ],
)
def test_what_is_no_finite_number_is_refused_with_its_place(token):
    with pytest.raises(DataError) as caught:
        parse(f"1 1:2\n-1 1:3 2:{token} 3:1\n")
    said = str(caught.value)
    assert said.startswith(f"part holds '{token}' in line 2, column 10, where a finite number is needed: ")
    with pytest.raises(DataError, match=r"in line 1, column 1, where a label, a finite number, is needed"):
        parse(f"{token} 1:2\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1: 2:1\n", r"part holds nothing in line 1, column 5, where a finite number is needed"),
        ("1 2:1 1:1\n", r"holds '1:1' in line 1, column 7, where the features of a line must increase"),
        ("1 2:1 2:1\n", r"holds '2:1' in line 1, column 7, where the features .* each at most once"),
        ("1 0:1\n", r"holds '0:1' in line 1, column 3, where the features 1 to 3 are known"),
        ("1 4:1\n", r"holds '4:1' in line 1, column 3, where the features 1 to 3 are known"),
        ("1 18446744073709551617:1\n", r"column 3, where the features 1 to 3 are known"),
        ("1 -1:1\n", r"holds '-1:1' in line 1, column 3, where a pair feature:value is needed"),
        ("\n# none\n1 1:1 word\n", r"holds 'word' in line 3, column 7, where a pair feature:value is needed"),
        ("1 1 :1\n", r"holds '1' in line 1, column 3, where a pair"),
        ("1,2 1:1\n", r"holds '1,2' in line 1, column 1, where a label"),
        (":1\n", r"holds ':1' in line 1, column 1, where a label"),
        ("1 q\n", r"holds 'q' in line 1, column 3, where the query of the row is needed"),
        ("1 qid:a 1:1\n", r"holds 'qid:a' in line 1, column 3, where the query of the row is needed"),
        ("1 1:1\x00\n", r"holds '1\\x00' in line 1, column 5, where a finite number"),
    ],
)
@pytest.mark.parametrize("end", ["", "1 1:1\n"])
def test_a_bad_line_is_named(text, message, end):
    with pytest.raises(DataError, match=message + r".*: replace the file by the official one\.$"):
        parse(text + end)


def test_the_line_is_counted_over_pieces():
    with pytest.raises(DataError, match=r"part holds 'x' in line 1001, column 5"):
        parse("1 1:1\n" * 1000 + "1 1:x\n", chunk_bytes=64)
    with pytest.raises(DataError, match=r"part holds '1e999' in line 1001, column 5"):
        parse("1 1:1\n" * 1000 + "1 1:1e999\n", chunk_bytes=64)


def test_queries():
    labels, qid, X = parse("2 qid:10 1:0.5 #docid = GX0\r\n0 qid:7\t3:1\n", query_id=True)
    assert labels.tolist() == [2, 0] and qid.tolist() == [10, 7] and X.tolist() == [[0.5, 0, 0], [0, 0, 1]]
    assert parse("2 qid:10 1:0.5\n")[1].tolist() == [10]
    with pytest.raises(DataError, match=r"holds '1:1' in line 2, column 3, where the query of the row is"):
        parse("1 qid:1 1:1\n1 1:1\n", query_id=True)


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 2**32 - 1), st.integers(8, 200), st.booleans())
def test_agrees_with_scikit_learn_in_pieces_of_any_size(n, d, seed, chunk_bytes, ends):
    """Comments, blank lines, tabs, carriage returns, and a last line without an end."""
    rng = np.random.default_rng(seed)
    X = scipy.sparse.csr_array(rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5))
    file = io.BytesIO()
    dump_svmlight_file(X, rng.integers(-1, 2, n), file, zero_based=False, comment="two\nlines")
    lines = file.getvalue().split(b"\n")
    text = b"".join(line + rng.choice([b"\n", b"\r\n", b" # 1:2\n", b"\t\n\n"]) for line in lines)
    text = text if ends else text.rstrip()
    expected, y = load_svmlight_file(io.BytesIO(text), n_features=d, zero_based=False)
    labels, _, found = parse(text, d, chunk_bytes)
    np.testing.assert_array_equal(found, expected.toarray())
    np.testing.assert_array_equal(labels, y)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_are_read_as_they_are(tmp_path, pack):
    (tmp_path / "part").write_bytes(pack(b"+1 1:0.5 3:0\n-1 2:1e2\n"))
    X, y, _ = read_csr(tmp_path / "part", "part", 3)
    np.testing.assert_array_equal(X.toarray(), [[0.5, 0, 0], [0, 100, 0]])
    assert y.tolist() == [1, -1] and X.nnz == 3  # a zero that is written is kept, as scikit-learn does


def test_a_truncated_packed_file_is_named(tmp_path):
    text = "".join(f"1 1:{value}\n" for value in np.random.default_rng(0).random(5000)).encode()
    (tmp_path / "part").write_bytes(gzip.compress(text)[:-500])
    with pytest.raises(DataError, match=r"part is truncated or damaged .*: replace it by an intact copy"):
        read_csr(tmp_path / "part", "part", 3)


def test_an_empty_file_has_no_rows(tmp_path):
    (tmp_path / "part").write_bytes(b"")
    X, y, qid = read_csr(tmp_path / "part", "part", 3)
    assert X.shape == (0, 3) and y.size == qid.size == 0


def test_a_file_without_lines_is_refused(monkeypatch):
    monkeypatch.setattr(svmlight_text, "LONGEST_LINE", 1 << 20)
    with pytest.raises(DataError, match=r"part holds a line of more than 1 MB, so it is no SVMlight text"):
        parse(b"1 " * (1 << 20), chunk_bytes=1000)


class Repeated(io.RawIOBase):
    """The same line again and again, without a place where all of them are."""

    def __init__(self, line, size):
        self.block, self.left = line * 100, size

    def readinto(self, buffer):
        size = min(len(buffer) // len(self.block) * len(self.block), self.left)
        buffer[:size] = self.block * (size // len(self.block))
        self.left -= size
        return size


def test_memory_does_not_grow_with_the_file():
    line, peaks = b"1 1:0.123456 2:-0.5 3:1\n", []
    for size in (100, 4000):
        stream, n_rows = Repeated(line, size * 100 * len(line)), 0
        tracemalloc.start()
        for rows in Parser(3, chunk_bytes=1 << 18).read(stream, "part"):
            n_rows += len(rows.dense(3))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert n_rows == size * 100
    assert peaks[1] < 1.1 * peaks[0]
