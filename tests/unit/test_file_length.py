"""Files of tests and examples are short enough to be read at once."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "workflow", "tests", "examples")
MAX_LINES = 350  # about seven screens


def test_no_file_is_longer_than_seven_screens():
    """A longer one is about two things, and is split along its seam."""
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
    }
    assert lengths, "no file was looked at"
    assert not {path: length for path, length in lengths.items() if length > MAX_LINES}
