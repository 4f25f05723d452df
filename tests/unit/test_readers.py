"""Each reader on a tiny file, with every trap of the real ones."""

import numpy as np
import pytest
import scipy.sparse
from data_helpers import letor_members, make_spec, put, write
from scipy.optimize import linprog

from reproduction.core.errors import DataError
from reproduction.datasets import registry
from reproduction.datasets import synthetic as generators
from reproduction.datasets.readers.delimited import read_delimited
from reproduction.datasets.readers.letor import read_letor
from reproduction.datasets.readers.microarray import read_colon, read_yeast


def delimited(tmp_path, text, features=2, **options):
    spec = make_spec(options={"label_column": -1} | options, expected={"features": features})
    return read_delimited(spec, write(tmp_path, points_data=text))


# --------------------------------------------- delimited


def test_delimited_label_first_or_last_with_spaces(tmp_path):
    """SPECTF.test separates by ", " and has the class first; sonar has it last, as a letter."""
    table = delimited(tmp_path, "M, 67, 68\nR, 75, 74.5\n", label_column=0)
    np.testing.assert_array_equal(table.X, [[67, 68], [75, 74.5]])
    assert table.labels.tolist() == ["M", "R"]
    table = delimited(tmp_path, "0.02,0.0371,R\n0.0453,0.0523,M\n")
    assert table.labels.tolist() == ["R", "M"] and table.X[0, 1] == 0.0371


def test_delimited_missing_values_and_id_column(tmp_path):
    """wpbc: column 1 is an id, 2 the class; rows with "?" are dropped, and counted with the reason."""
    text = "119513,N,31,0.5\n8423,R,?,1\n842517,R,116,2\n"
    table = delimited(tmp_path, text, label_column=1, left_out=[0], missing="?")
    np.testing.assert_array_equal(table.X, [[31, 0.5], [116, 2]])
    assert table.labels.tolist() == ["N", "R"]
    assert table.dropped == ({"count": 1, "why": "a value is missing (?)"},)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,0\n1,?,1\n", r"points.data holds '\?' in row 2, column 2, where a finite number is needed"),
        ("1,2,0\nnan,2,1\n", "points.data holds 'nan' in row 2, column 1"),
        ("1,2,0\n1,inf,1\n", "points.data holds 'inf' in row 2, column 2"),
        ("1,2,0\n1,,1\n", "points.data holds '.*' in row 2, column 2"),
        ("1,2,0\n1,2,3,4\n", "points.data is not a table of comma-separated rows"),
        ("", "points.data is not a table of comma-separated rows"),
        ("1,2,3,0\n", "points.data has 3 feature columns where 2 are expected"),
    ],
)
def test_delimited_bad_content(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        delimited(tmp_path, text)


def test_delimited_nan_in_a_row_beside_a_missing_value(tmp_path):
    with pytest.raises(DataError, match=r"holds 'nan' in row 2, column 1"):
        delimited(tmp_path, "?,2,0\nnan,2,1\n", missing="?")


def test_delimited_numbers_are_exact(tmp_path):
    table = delimited(tmp_path, "0.1234567890123456789,1e-300,1\n")
    assert table.X.tolist() == [[0.1234567890123456789, 1e-300]]


# --------------------------------------------- microarrays


def colon_spec():
    files = [{"name": n, "sha256": None} for n in ("expression.csv", "ids.txt")]
    return make_spec(files=files, reader="colon", expected={"features": 3})


def test_colon_negative_id_is_a_tumour(tmp_path):
    paths = write(tmp_path, expression_csv="8589.4,5.5,1\n2,3,4\n5,6,7\n", ids_txt="-1\n1\n-2\n")
    table = read_colon(colon_spec(), paths)
    assert table.labels.tolist() == ["tumour", "normal", "tumour"] and table.X[0, 0] == 8589.4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,4\n5,6\n", "has 3 rows and 2 columns where the 2 tissues .* one row a tissue"),
        ("1,2,3\n1,nan,3\n", "holds 'nan' in row 2, column 2"),
    ],
)
def test_colon_transposed_or_with_nan_is_refused(tmp_path, text, message):
    paths = write(tmp_path, expression_csv=text, ids_txt="-1\n1\n")
    with pytest.raises(DataError, match=f"expression.csv {message}"):
        read_colon(colon_spec(), paths)


def test_yeast_keeps_genes_with_exactly_one_class(tmp_path):
    files = [{"name": "yeast.data", "sha256": None}]
    spec = make_spec(files=files, reader="yeast", options=registry.get("yeast").options)
    codes = ["2", "-1", "0", "0;1", "5", "4", "-1"]
    text = "".join(f"{code},0.{i},-0.{i}\n" for i, code in enumerate(codes))
    table = read_yeast(spec, write(tmp_path, yeast_data=text))
    assert table.labels.tolist() == ["ribosome", "TCA", "histone"]
    np.testing.assert_array_equal(table.X[:, 0], [0.0, 0.2, 0.5])
    assert [d["count"] for d in table.dropped] == [2, 1, 1]
    assert table.dropped[2]["why"].startswith("in another class than TCA")


# --------------------------------------------- LETOR

PARTS = [
    "2 qid:10 1:0.5 2:1.000000 3:0 #docid = GX000\n0 qid:10 1:0 2:0.25 3:0 #docid = unrecovered\n",
    "1 qid:20 1:0.1 3:0 #docid = 1 inc = 1 prob = 0.02\n",
    "0 qid:31 1:1 2:2 3:0\n0 qid:32 1:1 2:2 3:0\n",
    "1 qid:5 1:1 2:2 3:0\n",
    "0 qid:6 1:1 2:2 3:0\n",
]


def letor(tmp_path, parts=PARTS, **changes):
    members = letor_members(parts) | changes.pop("members", {})
    file = {"name": "set", "members": dict.fromkeys(members)}
    spec_fields = {
        "reader": "letor",
        "label": {"grades": [0, 1, 2]},
        "expected": {"features": 3},
        "options": {},
    }
    spec = make_spec(files=[file], **spec_fields, **changes)
    return read_letor(spec, {name: put(tmp_path / name, content) for name, content in members.items()})


def test_letor_each_part_once_in_order(tmp_path):
    """A constant feature may be written 5:0; comments carry the document."""
    table = letor(tmp_path)
    assert table.part.tolist() == [1, 1, 2, 3, 3, 4, 5]
    assert table.qid.tolist() == [10, 10, 20, 31, 32, 5, 6]
    assert table.labels.tolist() == [2, 0, 1, 0, 0, 1, 0]
    np.testing.assert_array_equal(table.X.toarray()[:3], [[0.5, 1, 0], [0, 0.25, 0], [0.1, 0, 0]])


@pytest.mark.parametrize("file", ["Fold2/train.txt", "Fold4/vali.txt"])
def test_letor_folds_that_are_no_rotation(tmp_path, file):
    with pytest.raises(DataError, match=f"{file} of points does not hold the parts S.* that the test files"):
        letor(tmp_path, members={file: b"0 qid:1 1:1\n"})


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        (1, "1 qid:20 1:0\n0 qid:21 1:1\n1 qid:20 1:1\n", "rows of query 20 of points do not lie together"),
        (4, "0 qid:10 1:1\n", "rows of query 10 of points do not lie together in one part"),
        (1, "0 qid:10 1:1\n", "rows of query 10 of points do not lie together in one part"),
        (4, "4 qid:6 1:1\n", r"points holds the relevance 4, but only \[0, 1, 2\] are known"),
    ],
    ids=["scattered query", "query in two parts", "query that goes on", "unknown grade"],
)
def test_letor_bad_content(tmp_path, part, text, message):
    with pytest.raises(DataError, match=message):
        letor(tmp_path, [text if i == part else other for i, other in enumerate(PARTS)])


# --------------------------------------------- generated


def is_in_hull(point, vertices):
    """Whether a point is a convex combination of the rows of ``vertices``."""
    A = np.vstack([vertices.T, np.ones(len(vertices))])
    return linprog(np.zeros(len(vertices)), A_eq=A, b_eq=[*point, 1]).status == 0


@pytest.mark.parametrize(("name", "is_inside"), [("overlap", False), ("hull", True)])
def test_where_the_mean_of_the_positives_lies(name, is_inside):
    """On the whole set and on random halves of it, smaller than any training part."""
    table = getattr(generators, f"read_{name}")(registry.get(name), {})
    rng = np.random.default_rng(0)
    y = table.labels == "1"
    for rows in [np.arange(len(y)), *(rng.permutation(len(y))[: len(y) // 2] for _ in range(4))]:
        X, positive = table.X[rows], y[rows]
        assert is_in_hull(X[positive].mean(axis=0), X[~positive]) is is_inside


def test_overlap_overlaps():
    table = generators.read_overlap(registry.get("overlap"), {})
    score, y = table.X.sum(axis=1), table.labels == "1"
    assert 0.1 < np.mean(score[y] < score[~y].max()) < 0.6


def test_sparse_text_is_sparse_and_not_separable_by_one_word():
    table = generators.read_sparse_text(registry.get("sparse-text"), {})
    assert scipy.sparse.issparse(table.X) and table.X.nnz < 0.1 * np.prod(table.X.shape)
    assert (table.X.sum(axis=1) >= 4).all()


def test_epsilon_like_is_what_it_says():
    """Norm 1, two classes that overlap, and w = 0 is not optimal on the whole nor on a half of it."""
    assert len(list(generators.stream_epsilon_like(registry.get("epsilon-like"), {}))) > 1
    table = generators.read_epsilon_like(registry.get("epsilon-like"), {})
    X, y = table.X, table.labels == "1"
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-6)
    score = X.sum(axis=1)
    assert 0.1 < np.mean(score[y] < score[~y].max()) < 0.6
    rows = np.random.default_rng(0).permutation(len(y))[: len(y) // 2]
    for selection in (np.arange(len(y)), rows):
        assert not is_in_hull(
            X[selection][y[selection]].mean(axis=0, dtype=float), X[selection][~y[selection]]
        )
