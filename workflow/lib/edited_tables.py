"""Detect tables of results that were edited after a run wrote them, so that they are made again.

For Snakemake an edited table is a new one, from which all that depends on it is made. So a run saves the
digests of its tables when it ends, and the next one compares. For each edit a counter goes up, which is a
parameter of the rule that makes the table: Snakemake reruns a rule whose parameters change.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from snakemake.logging import logger

from reproduction.core.atomic_io import atomic_write_text, lock_folder

DIGEST_FILE = Path(".snakemake/table_digests.json")


class TableEdits:
    """The digests of tables, and how often each of them was edited.

    Parameters
    ----------
    results : path-like
        Folder of the results.
    studies : iterable of str
        The studies of the run, which are folders in it.
    """

    def __init__(self, results: str | Path, studies: Iterable[str]) -> None:
        self.folders = [Path(results), *(Path(results, study) for study in studies)]
        self.notes = _read_digests()

    def find_edited(self) -> list[str]:
        """Find the tables that differ from what the last run wrote; call it before any rule.

        Each edit is counted, and a warning names the table.

        Returns
        -------
        list[str]
            Paths of the edited tables.
        """
        edited = []
        for name, note in self._list_tables():
            # only tables that the last run noted: a new file may be the user's own
            if note and (digest := _hash_file(name)) != note["digest"]:
                note |= {"digest": digest, "edits": note["edits"] + 1}
                edited.append(name)
        if edited:
            self._save(edited)
        for name in edited:
            logger.warning(f"{name} was changed after the last finished run: it is regenerated where needed.")
        return edited

    def count_edits(self, *files: str) -> int:
        """Return how often these files were edited, a parameter of the rule that makes them.

        Parameters
        ----------
        *files : str
            Paths; one without a saved digest counts as not edited.

        Returns
        -------
        int
            Number of edits of all files together.
        """
        return sum(self.notes[file]["edits"] for file in files if file in self.notes)

    def save_digests(self) -> None:
        """Save the digests of all tables; call it when a run ends."""
        tables = self._list_tables()
        for name, note in tables:
            # the number of edits is a parameter of the rule: where it grows, Snakemake makes the table again
            self.notes[name] = {"digest": _hash_file(name), "edits": note.get("edits", 0)}
        self._save([name for name, _ in tables])

    def _list_tables(self) -> list[tuple[str, dict]]:
        names = [str(path) for folder in self.folders for path in sorted(folder.glob("*.csv"))]
        return [(name, self.notes.get(name, {})) for name in names]

    def _save(self, names: Iterable[str]) -> None:
        """Save the digests of these tables; those of others may be of a run beside this one."""
        DIGEST_FILE.parent.mkdir(exist_ok=True)
        with lock_folder(DIGEST_FILE.parent):
            notes = _read_digests() | {name: self.notes[name] for name in names}
            atomic_write_text(DIGEST_FILE, json.dumps(notes, indent=0))


def _read_digests() -> dict[str, dict]:
    """Return table -> digest and number of edits, as the runs before this one saved them."""
    try:
        return json.loads(DIGEST_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no run yet, or a damaged file: nothing is known to be edited
        return {}


def _hash_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
