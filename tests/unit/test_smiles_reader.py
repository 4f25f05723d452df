"""Compounds: fingerprints and scaffolds by RDKit, what it refuses, and what happens without it."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse
from data_helpers import make_spec, plant, put

from reproduction.core.errors import DataError, NotObtainedError
from reproduction.datasets.prepare import prepare
from reproduction.datasets.prepared_data import load_prepared, save_prepared
from reproduction.datasets.readers.smiles import group_scaffolds, read_smiles

needs_rdkit = pytest.mark.skipif(
    not find_spec("rdkit"), reason="rdkit is not installed: pip install -e '.[chem]'"
)
HEAD = "# ID\tNAME\tSMILES\n"
ACTIVES = HEAD + "1\ta1\tc1ccccc1CC\n2\ta2\tc1ccccc1CCN\n3\ta3\tCCO\n"
DECOYS = HEAD + "4\td1\tC1CCCC1C\n5\td2\tCCO\n6\td3\tCCCC#N\n7\td4\tO=C1CCCC1\n"


def make_smiles_spec(**options):
    return make_spec(
        files=[{"name": name, "sha256": None, "urls": []} for name in ("actives", "decoys")],
        reader="smiles",
        options={"labels": ["active", "decoy"]} | options,
        label={"positive": ["active"], "negative": ["decoy"]},
        expected={"features": 2048},
    )


def read(tmp_path, actives=ACTIVES, decoys=DECOYS, **options):
    paths = {"actives": put(tmp_path / "actives", actives), "decoys": put(tmp_path / "decoys", decoys)}
    return read_smiles(make_smiles_spec(**options), paths)


@needs_rdkit
def test_fingerprints_labels_and_scaffolds(tmp_path):
    from rdkit import Chem
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    table = read(tmp_path)
    assert table.labels.tolist() == ["active"] * 3 + ["decoy"] * 4 and table.dropped == ()
    generator = GetMorganGenerator(radius=2, fpSize=2048)
    smiles = [line.split("\t")[2] for text in (ACTIVES, DECOYS) for line in text.splitlines()[1:]]
    expected = [generator.GetFingerprintAsNumPy(Chem.MolFromSmiles(text)) for text in smiles]
    np.testing.assert_array_equal(table.X.toarray(), expected)
    # the two benzenes; ethanol twice; the others alone
    assert table.groups[0] == table.groups[1] and table.groups[2] == table.groups[4]
    assert len(set(table.groups.tolist())) == 5
    assert table.notes[0].startswith("Morgan fingerprints (radius 2, 2048 bits) and scaffolds by RDKit 20")


@needs_rdkit
def test_refused_smiles_are_counted_and_named(tmp_path, capfd):
    bad = ACTIVES + "8\ta4\tC1CC(\n9\ta5\tN=[CH+](N)C\n"
    table = read(tmp_path, bad)
    assert table.labels.size == 7 and table.dropped == ({"count": 2, "why": "RDKit refuses the SMILES"},)
    sentence = (
        "RDKit refuses the SMILES of 2 compounds: a4 (actives, line 5); a5 (actives, line 6), left out."
    )
    assert sentence in table.notes
    assert capfd.readouterr().err == ""
    with pytest.raises(DataError, match=r"^RDKit refuses the SMILES of 2 compounds: a4 .*use refused: drop"):
        read(tmp_path, bad, refused="error")
    nonsense = "".join(f"{i}\tx{i}\t(\n" for i in range(9))
    assert "x4 (actives, line 9); and 4 more, left out." in read(tmp_path, ACTIVES + nonsense).notes[1]


@needs_rdkit
def test_fingerprints_of_zeros_are_counted(tmp_path):
    table = read(tmp_path, ACTIVES + "8\tnothing\t\n9\tnothing2\t\n")
    assert np.count_nonzero(np.diff(table.X.indptr) == 0) == 2
    assert any(note.startswith("2 compounds have a fingerprint of zeros") for note in table.notes)


@pytest.mark.parametrize("line", ["8\tonly two\n", "a b c\n", "8\ta\tCCO\t\n"])
def test_a_line_that_is_no_compound(tmp_path, line, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", sys.modules.get("rdkit") or type(sys)("rdkit"))
    with pytest.raises(DataError, match=r"^actives has \d cells in line 5 where id, name and SMILES"):
        read(tmp_path, ACTIVES + line)


def test_without_rdkit_the_set_is_not_obtained(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(NotObtainedError, match=r'^needs rdkit \(pip install -e "\.\[chem\]"\)$'):
        read(tmp_path)


def test_rows_of_one_scaffold_or_one_fingerprint_are_one_group():
    X = scipy.sparse.csr_array([[1.0, 0], [0, 1], [1, 1], [1, 0], [0, 0], [0, 0]])
    groups = group_scaffolds(["a", "a", "b", "c", "d", "e"], X)
    assert groups.tolist() == [0, 0, 1, 0, 2, 2] or len(set(groups)) == 3
    assert groups[0] == groups[1] == groups[3] and groups[4] == groups[5]
    assert len({groups[0], groups[2], groups[4]}) == 3


@needs_rdkit
def test_groups_are_kept_with_the_prepared_set(tmp_path, monkeypatch):
    plant(monkeypatch, make_smiles_spec())
    put(tmp_path / "data/small/actives", ACTIVES)
    put(tmp_path / "data/small/decoys", DECOYS)
    monkeypatch.setattr("reproduction.datasets.prepare._refuse_unproven", lambda *_: None)
    prepared = prepare("points", tmp_path / "data")
    save_prepared(prepared, tmp_path / "prepared")
    loaded = load_prepared(tmp_path / "prepared")
    np.testing.assert_array_equal(loaded.groups, prepared.groups)
    assert loaded.groups.size == 7 and loaded.qid is None
    (repeated,) = [note for note in loaded.manifest["notes"] if "earlier row" in note]
    assert repeated.startswith("1 of 7 rows have the features of an earlier row")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["active"]}, "'labels' in .* must be a list with the label of each of its files"),
        ({"labels": "active"}, "'labels' in .* must be a list"),
        ({"refused": "keep"}, "'refused' in .* must be drop or error, and not 'keep'"),
        ({"radius": 3}, "Unknown key 'radius' in 'options'"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(DataError, match=message):
        make_smiles_spec(**options)
