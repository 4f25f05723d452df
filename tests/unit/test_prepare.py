"""From files to arrays with a manifest; every set of the real mirror has the counts it should have."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from data_helpers import letor_members, make_spec, plant, put, real_mirror, sha

from reproduction.core.errors import DataError
from reproduction.datasets import registry
from reproduction.datasets.download.fetch import is_available_locally
from reproduction.datasets.prepare import make_placeholder, prepare
from reproduction.datasets.prepared_data import load_prepared, save_prepared
from reproduction.datasets.row_counts import count_queries, find_constant_features
from reproduction.datasets.summary import judge_counts, make_data_table
from reproduction.datasets.table import choose_storage

TEXT = "1,5,0\n3,5,1\n5,5,0\n7,5,1\n"
MIRROR = real_mirror()
EMBEDDED = [name for name in registry.list_names() if not registry.get(name).files]
FILE_SETS = [name for name in registry.list_names() if registry.get(name).files]
HELD_SETS = [name for name in FILE_SETS if MIRROR and is_available_locally(name, "nowhere", MIRROR)]
COMPOUNDS = [name for name in HELD_SETS if registry.get(name).reader == "smiles" and name != "dud-cdk2"]
"""Each takes seconds to read; the one with a refused SMILES stands for all, which `snakemake data` reads."""


@pytest.fixture
def points(tmp_path, monkeypatch):
    """Prepare the text of a small data set."""
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)

    def run(text=TEXT, **changes):
        plant(monkeypatch, make_spec(**changes))
        put(tmp_path / "data/small/points.data", text)
        (tmp_path / "data/cache/small/points.data").unlink(missing_ok=True)
        return prepare("points", tmp_path / "data")

    return run


def test_manifest_of_a_small_set(points):
    prepared = points()
    assert prepared.y.tolist() == [0, 1, 0, 1] and prepared.y.dtype == np.int8
    counts = {"rows": 4, "features": 2, "positives": 2, "negatives": 2}
    note = f"No checksum of the official points.data is known; found SHA-256 {sha(TEXT.encode())}."
    assert prepared.manifest == counts | {
        **{"dataset": "points", "family": "small", "task": "binary", "status": "obtained", "reason": ""},
        **{"labels": {"0": 2, "1": 2}, "dropped_rows": [], "constant_features": [1], "id_features": []},
        **{"sparse": False, "expected": counts, "published": {}, "notes": [note]},
    }
    assert prepared.X.shape == (4, 2), "a constant feature is kept"


def test_features_that_are_left_out(points):
    full_rows, expected = points().X, {"rows": 4, "features": 1, "positives": 2, "negatives": 2}
    np.testing.assert_array_equal(points(drop_features=[0], expected=expected).X, full_rows[:, 1:])
    with pytest.raises(DataError, match="has 2 feature columns where 3 are expected"):
        points(drop_features=[0])


def test_constant_features_of_a_sparse_array():
    X = scipy.sparse.csr_array(np.array([[0, 1, 2, 0], [0, 1, 0, -1.0]]))
    assert find_constant_features(X) == [0, 1]


def test_one_class_against_the_rest(points):
    """covtype: class 2 is positive."""
    prepared = points(TEXT.replace(",1\n", ",7\n"), label={"positive": ["7"], "negative": "rest"})
    assert prepared.y.tolist() == [0, 1, 0, 1]


SEVEN_AGAINST_REST = {"positive": ["7"], "negative": "rest"}


@pytest.mark.parametrize(
    ("text", "label", "message"),
    [
        ("1,5,0\n3,5,1\n5,5,2\n", {}, r"points holds the label '2' \(row 3\), but only 1 .*ve. and 0 .neg"),
        (
            "1,5,7\n3,5,1\n3,5,\n4,5,1\n",
            SEVEN_AGAINST_REST,
            "points.data holds no label in row 3: replace the file",
        ),
        ("1,5,7\n3,5,1\n3,5\n4,5,1\n", SEVEN_AGAINST_REST, "line 3 has 2 cells where 3 are expected"),
        ("1,5,0\n3,5,0\n", {}, "points holds 0 positives among 2 rows: both classes are needed"),
        ("1,5,0\n-inf,5,1\n", {}, "points.data holds '-inf' in row 2, column 1"),
    ],
    ids=["unknown label", "empty label is not of the rest", "no label", "one class", "not finite"],
)
def test_what_is_refused(points, text, label, message):
    with pytest.raises(DataError, match=message):
        points(text, **{"label": label} if label else {})


def test_wrong_counts_are_refused_where_no_checksum_proves_the_content(points):
    """The first 500 of covtype's 581 012 rows read well."""
    message = r"points has rows 2 .expected 4., .*and no checksum proves the content of points.data: re"
    with pytest.raises(DataError, match=message):
        points("1,5,0\n3,5,1\n")
    content = "1,5,0\n3,5,1\n"
    files = [{"name": "points.data", "sha256": sha(content.encode()), "urls": []}]
    assert "rows 2 (expected 4)" in judge_counts(points(content, files=files).manifest)


def test_sparse_only_where_it_pays():
    small_matrix = np.zeros((10, 21))
    small_matrix[0, 0] = 1
    assert scipy.sparse.issparse(choose_storage(small_matrix))
    assert isinstance(choose_storage(small_matrix[:, :20]), np.ndarray)
    assert isinstance(choose_storage(scipy.sparse.csr_array(np.ones((3, 30)))), np.ndarray)
    stored_zero = scipy.sparse.csr_array(([0.0, 1.0], [0, 1], [0, 2]), shape=(1, 30))
    X = choose_storage(stored_zero)
    assert X.nnz == 1 and X.indices.dtype == np.int32


def test_preferences_are_pairs_of_one_query_with_different_relevance():
    y, qid = np.array([2, 1, 0, 0, 1, 1, 0]), np.array([7, 7, 7, 7, 3, 3, 9])
    counts = count_queries(y, qid)
    brute = sum(y[i] > y[j] and qid[i] == qid[j] for i in range(7) for j in range(7))
    assert counts == {"queries": 3, "pairs": 7, "preferences": brute, "queries_without_preferences": 2}


def assert_same_set(a, b):
    assert a.manifest == b.manifest and type(a.X) is type(b.X)
    assert (a.X != b.X).sum() == 0 and a.X.shape == b.X.shape and a.X.dtype == b.X.dtype
    for name in ("y", "qid", "part"):
        first, other = getattr(a, name), getattr(b, name)
        assert (first is None) == (other is None)
        if first is not None:
            np.testing.assert_array_equal(first, other)
            assert first.dtype == other.dtype


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_sets_survive_the_disk_byte_by_byte(tmp_path, name):
    prepared = prepare(name, tmp_path)
    assert judge_counts(prepared.manifest) == "as expected"
    save_prepared(prepared, tmp_path / "one")
    save_prepared(prepare(name, tmp_path), tmp_path / "two")
    assert_same_set(prepared, load_prepared(tmp_path / "one"))
    for file in ("arrays.npz", "manifest.json", *(["X.npy"] if isinstance(prepared.X, np.memmap) else [])):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_the_generated_queries_have_what_they_promise(tmp_path):
    prepared = prepare("letor-like", tmp_path)
    X, y, qid = prepared.X, prepared.y, prepared.qid
    assert set(prepared.part) == {1, 2, 3, 4, 5} and set(y) == {0, 1, 2}
    assert prepared.manifest["constant_features"] == [14, 15]
    assert prepared.manifest["queries_without_preferences"] == 2
    assert np.all((X >= 0) & (X <= 1))
    for query in np.unique(qid):
        rows = np.flatnonzero(qid == query)
        assert 4 <= rows.size <= 20 and np.array_equal(rows, np.arange(rows[0], rows[-1] + 1))
        assert np.unique(prepared.part[rows]).size == 1
        assert np.all(X[rows, :14].min(axis=0) == 0) and np.all(X[rows, :14].max(axis=0) == 1)
    assert set(y[qid == 1]) == {0} and set(y[qid == 2]) == {1}
    correlation = np.corrcoef(X[:, :6].T)
    assert min(correlation[0, 1], correlation[2, 3], correlation[4, 5]) > 0.7


def test_graded_set_survives_the_disk(tmp_path, monkeypatch):
    monkeypatch.delenv("TOPRANK_MIRROR", raising=False)
    members = letor_members([f"{s % 2} qid:{s} 1:0.5\n0 qid:{s} 2:{s}\n" for s in range(1, 6)])
    files = [{"name": "set", "urls": [], "members": {n: sha(c) for n, c in members.items()}}]
    counts = {"rows": 10, "features": 2, "queries": 5, "preferences": 3}
    spec_fields = {"files": files, "reader": "letor", "label": {"grades": [0, 1]}, "options": {}}
    spec = plant(monkeypatch, make_spec(**spec_fields, expected=counts))
    for name, content in members.items():
        put(tmp_path / "data/small/set" / name, content)
    prepared = prepare(spec.name, tmp_path / "data")
    assert judge_counts(prepared.manifest) == "as expected"
    assert prepared.part.tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    save_prepared(prepared, tmp_path / "out")
    assert_same_set(prepared, load_prepared(tmp_path / "out"))


@pytest.mark.parametrize(("name", "graded"), [("a9a", False), ("td2003", True)])
def test_a_set_that_was_not_obtained_has_no_rows(tmp_path, name, graded):
    prepared = make_placeholder(name, "No.")
    save_prepared(prepared, tmp_path)
    assert_same_set(prepared, load_prepared(tmp_path))
    assert prepared.X.shape == (0, registry.get(name).expected["features"]) and len(prepared.y) == 0
    assert (prepared.qid is not None) == graded
    assert prepared.manifest["status"] == "not obtained" and prepared.manifest["reason"] == "No."


def test_data_table(tmp_path):
    manifests = [prepare("hull", tmp_path).manifest, make_placeholder("diabetes", "It is away.").manifest]
    partial = manifests[0] | {"status": "partial", "reason": "A part is away."}
    wrong = manifests[0] | {"rows": 299, "positives": 119}
    refused = make_placeholder("diabetes", "It holds no label.", refused=True).manifest
    table = make_data_table([*manifests, partial, wrong, refused])
    assert table["verdict"].tolist() == [
        "as expected",
        "not obtained",
        "partial, as expected without the missing files",
        "rows 299 (expected 300), positives 119 (expected 120)",
        "refused",
    ]
    diabetes = table.iloc[1]
    assert (diabetes["features_expected"], diabetes["features_published"]) == (8, 34)
    assert pd.isna(diabetes["rows"]) and diabetes["reason"] == "It is away."


def test_data_table_tells_what_differs_from_the_print():
    manifest = make_placeholder("diabetes", "").manifest | {"status": "obtained", "rows": 768, "features": 8}
    manifest |= {"positives": 500, "negatives": 268}
    assert make_data_table([manifest])["differs_from_published"].tolist() == ["features 8 (published 34)"]


# --------------------------------------------- real files

CONSTANT = {"ionosphere": 1, "ionosphere-bad": 1, "covtype-sample": 1}  # features that never vary
CONSTANT |= {"ohsumed": 45 - 36, "mq2007": 46 - 41, "mq2008": 46 - 40}
WITHOUT_PREFERENCES = {"mq2007": 238, "mq2008": 220, "ohsumed": 1}


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.mark.mirror
@pytest.mark.skipif(MIRROR is None, reason="no real data: set TOPRANK_MIRROR to a mirror folder")
@pytest.mark.parametrize("name", [name for name in HELD_SETS if name not in COMPOUNDS] or ["none"])
def test_real_files_have_the_expected_counts(name, data_folder, monkeypatch):
    monkeypatch.setattr("reproduction.datasets.download.fetch.download", refuse)
    if name in HELD_SETS and registry.get(name).reader == "smiles":
        pytest.importorskip("rdkit", reason="rdkit is not installed: pip install -e '.[chem]'")
    prepared = prepare(name, data_folder, MIRROR)
    manifest = prepared.manifest
    assert judge_counts(manifest) in ("as expected", "partial, as expected without the missing files")
    if prepared.groups is None:  # of a fingerprint some bits are never set
        assert len(manifest["constant_features"]) == CONSTANT.get(name, 0)
    assert prepared.X.shape == (prepared.y.size, manifest["features"]) and prepared.y.size == manifest["rows"]
    if name in WITHOUT_PREFERENCES:
        assert manifest["queries_without_preferences"] == WITHOUT_PREFERENCES[name]
        assert sorted(set(prepared.part)) == [1, 2, 3, 4, 5]
    if name == "mq2007" and (MIRROR / "letor/MQ2007.tar.xz").exists():
        assert len(manifest["notes"]) == 1 and "reconstruction" in manifest["notes"][0]
    if name == "wpbc":
        assert manifest["dropped_rows"] == [{"count": 4, "why": "a value is missing (?)"}]
    if name == "yeast":
        brown = {"TCA": 14, "respiration": 27, "ribosome": 121, "proteasome": 35, "histone": 11}
        assert manifest["labels"] == brown and [d["count"] for d in manifest["dropped_rows"]] == [300, 3, 16]
    if name == "spectf":
        assert len(np.unique(prepared.X, axis=0)) == 267
    if name == "dud-cdk2":
        assert manifest["dropped_rows"] == [{"count": 1, "why": "RDKit refuses the SMILES"}]
        assert "344 of 2116 rows have the features of an earlier row" in manifest["notes"][-1]
    if name == "cod-rna":
        assert manifest["negatives"] == 2 * manifest["positives"]


@pytest.mark.mirror
@pytest.mark.skipif("p300" not in HELD_SETS, reason="no p300: set TOPRANK_MIRROR to a mirror folder with it")
def test_real_p300_epochs_hold_the_p300(data_folder, monkeypatch):
    """Trained on one session, the flashes of the other are told apart; 0.5 would be chance."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.metrics import roc_auc_score

    monkeypatch.setattr("reproduction.datasets.download.fetch.download", refuse)
    prepared = prepare("p300", data_folder, MIRROR)
    first = np.arange(2160) < 1080
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    model.fit(prepared.X[first], prepared.y[first])
    assert roc_auc_score(prepared.y[~first], model.decision_function(prepared.X[~first])) > 0.75


def refuse(url, target, max_bytes):
    """Stand in for the network, which tests do without."""
    from reproduction.core.errors import TransportError

    raise TransportError(f"{url} is not asked by the tests")
