"""Compounds as SMILES: Morgan fingerprints and Bemis–Murcko scaffolds by RDKit, an optional package.

A file is text with a comment line, then a compound a line: id, name and SMILES, separated by tabs (the form
of RDKit's benchmarking platform, Riniker and Landrum 2013). The features are the bits of the Morgan
fingerprint of radius 2 (Rogers and Hahn 2010), folded to the number that the entry expects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from reproduction.core.errors import DataError, NotObtainedError
from reproduction.datasets.download.archives import open_unpacked
from reproduction.datasets.specs import READER_PACKAGES, REFUSE
from reproduction.datasets.table import Table

if TYPE_CHECKING:
    from reproduction.datasets.specs import DataSet

RADIUS = 2
"""Bonds around each atom that the fingerprint looks at."""
MAX_NAMED = 5
"""Compounds that a sentence names."""


def read_smiles(spec: DataSet, paths: dict[str, Path]) -> Table:
    """Read the compounds of all files, and compute fingerprints and scaffolds.

    Parameters
    ----------
    spec : DataSet
        ``spec.options["labels"]`` is the raw label of the compounds of each file; ``"refused"`` says what
        becomes of a SMILES that RDKit refuses: ``drop``, the default, or ``error``.
    paths : dict of str to Path

    Returns
    -------
    Table
        ``dropped`` and the notes count and name the refused compounds; ``groups`` numbers the scaffolds, of
        which those with a fingerprint in common are one group.

    Raises
    ------
    NotObtainedError
        RDKit is not installed.
    DataError
        A line is no compound, or RDKit refuses its SMILES where this is an error.
    """
    package, extra = READER_PACKAGES["smiles"]
    try:
        import rdkit  # optional
    except ImportError as error:
        raise NotObtainedError(f'needs {package} (pip install -e ".[{extra}]")', []) from error

    bits, scaffolds, labels, refused = [], [], [], []
    for file, label in zip(spec.files, spec.options["labels"], strict=True):
        compounds = list(_read_compounds(paths[file.name], file.name))
        for (place, name, _), described in zip(compounds, _describe_compounds(compounds, spec), strict=True):
            if described is None:
                refused.append(f"{name} ({place})")
                continue
            bits.append(described[0])
            scaffolds.append(described[1])
            labels.append(label)
    if refused and spec.options.get("refused") == REFUSE:
        raise DataError(
            f"RDKit refuses the SMILES of {_name_some(refused)}: correct it, or use refused: drop."
        )
    X = _stack_bits(bits, spec.features_in_files)
    features = f"Morgan fingerprints (radius {RADIUS}, {X.shape[1]} bits)"
    notes = [f"{features} and scaffolds by RDKit {rdkit.__version__}."]
    if refused:
        notes.append(f"RDKit refuses the SMILES of {_name_some(refused)}, left out.")
    if n_empty := int(np.count_nonzero(np.diff(X.indptr) == 0)):
        notes.append(f"{n_empty} compounds have a fingerprint of zeros and equal scores.")
    dropped = ({"count": len(refused), "why": "RDKit refuses the SMILES"},) if refused else ()
    groups = group_scaffolds(scaffolds, X)
    return Table(X, np.array(labels, dtype=str), dropped=dropped, notes=tuple(notes), groups=groups)


def _read_compounds(path: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield place, name and SMILES of each compound of a file."""
    with open_unpacked(path) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip() or line.startswith(b"#"):
                continue
            cells = line.decode("utf-8", errors="replace").rstrip("\r\n").split("\t")
            if len(cells) != 3:
                raise DataError(
                    f"{name} has {len(cells)} cells in line {number} where id, name and SMILES, separated by "
                    "tabs, are expected: replace the file by the official one."
                )
            yield f"{name}, line {number}", cells[1].strip(), cells[2].strip()


def _describe_compounds(
    compounds: Sequence[tuple[str, str, str]], spec: DataSet
) -> Iterator[tuple[np.ndarray, str] | None]:
    """Yield the bits that are set and the scaffold of each compound; None where RDKit refuses the SMILES."""
    from rdkit import Chem, rdBase
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
    from rdkit.Chem.Scaffolds.MurckoScaffold import GetScaffoldForMol

    generator = GetMorganGenerator(radius=RADIUS, fpSize=spec.features_in_files)
    with rdBase.BlockLogs():  # what RDKit refuses is counted and named, not printed
        for _, _, smiles in compounds:
            molecule = Chem.MolFromSmiles(smiles)
            if molecule is None:
                yield None
                continue
            # without stereochemistry; a compound without a ring has itself as its scaffold
            scaffold = Chem.MolToSmiles(GetScaffoldForMol(molecule), isomericSmiles=False)
            scaffold = scaffold or Chem.MolToSmiles(molecule, isomericSmiles=False)
            yield np.array(generator.GetFingerprint(molecule).GetOnBits(), dtype=np.int32), scaffold


def _stack_bits(bits: Sequence[np.ndarray], n_bits: int) -> scipy.sparse.csr_array:
    """Make a matrix of ones from the bits that are set in each row."""
    ends = np.concatenate([[0], np.cumsum([row.size for row in bits])]).astype(np.int64)
    indices = np.concatenate([*bits, np.zeros(0, dtype=np.int32)])
    return scipy.sparse.csr_array((np.ones(indices.size), indices, ends), shape=(len(bits), n_bits))


def group_scaffolds(scaffolds: Sequence[str], X: scipy.sparse.csr_array) -> np.ndarray:
    """Give scaffolds numbers, and those of rows with the same features one number.

    Parameters
    ----------
    scaffolds : sequence of str, of length n
    X : csr_array of shape (n, d)
        With sorted indices.

    Returns
    -------
    ndarray of int32, shape (n,)
        Group of each row, from 0: rows of one scaffold are in one group, and so are rows that no model can
        tell apart.
    """
    rows = [X.indices[a:b].tobytes() for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    keys = (np.unique(np.array(values, dtype=object), return_inverse=True)[1] for values in (scaffolds, rows))
    scaffold, fingerprint = keys
    n = len(scaffolds)
    # A bipartite graph of scaffolds and fingerprints, a compound an edge: compounds of one component share a
    # group, so that equal feature rows never lie in both parts of a split.
    edges = (np.ones(n), (scaffold, scaffold.size + fingerprint))
    graph = scipy.sparse.coo_array(edges, shape=(2 * n, 2 * n))
    components = connected_components(graph, directed=False)[1][scaffold]
    return np.unique(components, return_inverse=True)[1].astype(np.int32)


def _name_some(names: Sequence[str]) -> str:
    """Count compounds and name the first of them."""
    named = "; ".join(names[:MAX_NAMED]) + (
        f"; and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    )
    return f"{len(names)} compound{'s' if len(names) > 1 else ''}: {named}"
