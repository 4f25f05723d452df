"""A damaged file is named with the command that mends it; an unfinished one never has the name."""

import json
import re
import shutil
from pathlib import Path

import pytest

from reproduction.core.atomic_io import (
    CorruptFileError,
    atomic_write,
    atomic_write_text,
    read_manifest,
    write_rows,
)
from reproduction.core.results import ResultsError, read_text
from reproduction.datasets.prepare import prepare
from reproduction.datasets.prepared_data import load_prepared, save_prepared
from reproduction.plotting.style import placeholder_figure, save_figure
from reproduction.splits.splits import Splits, draw_random_splits

ROOT = Path(__file__).resolve().parents[2]


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path):
    path = tmp_path / "table.csv"
    atomic_write_text(path, "old\n")
    with pytest.raises(KeyError), atomic_write(path) as unfinished:
        unfinished.write_text("half of the n")
        raise KeyError
    assert path.read_text() == "old\n" and [file.name for file in tmp_path.iterdir()] == ["table.csv"]
    with atomic_write(path) as unfinished:
        unfinished.write_text("new\n")
        assert path.read_text() == "old\n"
    assert path.read_text() == "new\n" and [file.name for file in tmp_path.iterdir()] == ["table.csv"]


WRITES = re.compile(
    r"\.write_text\(|\.write_bytes\(|\.savefig\(|np\.savez?\w*\(|\.to_csv\((?!index)|open\([^)]*\"w"
)
#: what writes into a folder of its own, a log, or what its caller hands it
ELSEWHERE = {
    *("core/atomic_io.py", "specs/csv_tables.py", "comparison/table.py"),
    *(
        "datasets/download/http.py",
        "datasets/download/archives.py",
        "datasets/memmap.py",
        "datasets/download/validate.py",
    ),
    *("fitting/external_program.py", "snapshot/__main__.py", "papers/kadkhodaie2015/scale/experiment.py"),
}


def test_nothing_else_writes_a_file_under_its_name():
    source = ROOT / "src/reproduction"
    files = {str(path.relative_to(source)): path for path in source.rglob("*.py")}
    assert files.keys() >= ELSEWHERE
    files |= {path.name: path for path in (ROOT / "workflow/scripts").glob("*.py")}
    for name in sorted(files.keys() - ELSEWHERE):
        for line in files[name].read_text(encoding="utf-8").splitlines():
            if WRITES.search(line):
                assert re.search(r"unfinished|\blog\b", line), f"{name}: {line.strip()}"


def test_a_figure_that_cannot_be_drawn_leaves_the_old_one(tmp_path):
    figure = placeholder_figure("as it was")
    kinds = [tmp_path / f"figure.{kind}" for kind in ("svg", "pdf", "png")]
    save_figure(figure, kinds)
    before = [path.read_bytes() for path in kinds]

    def cut_off(path, **_):
        path.write_bytes(before[0][:100])
        raise OSError("no space left")

    figure.savefig = cut_off
    for path in kinds:
        with pytest.raises(OSError, match="no space left"):
            save_figure(figure, [path])
    assert [path.read_bytes() for path in kinds] == before and sorted(tmp_path.iterdir()) == sorted(kinds)


@pytest.fixture(scope="module")
def prepared_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    save_prepared(prepare("hull", folder), folder)
    return folder


DAMAGE = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "garbage": lambda content: b"\x00garbage\xff" * 40,
    "overwritten": lambda content: content[:300] + bytes(200) + content[500:],
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["arrays.npz", "manifest.json"])
def test_a_damaged_data_set_is_named_with_what_mends_it(prepared_folder, tmp_path, name, damage):
    folder = tmp_path / "hull"
    shutil.copytree(prepared_folder, folder)
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(DAMAGE[damage](content))
    with pytest.raises(
        CorruptFileError, match=rf"{name} is cut off or damaged .*run again \(rm .*{name}\)\.$"
    ):
        load_prepared(folder)


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage"])
def test_damaged_splits_are_named(tmp_path, damage):
    path = tmp_path / "hull.0-1.npz"
    draw_random_splits(50, 2, 0.3, 3, 0, "hull").save(path)
    assert Splits.load(path).seeds.size == 2
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    with pytest.raises(CorruptFileError, match=r"hull.0-1.npz is cut off or damaged"):
        Splits.load(path)


@pytest.mark.parametrize("text", ["[]", "3", '"x"'])
def test_a_manifest_that_names_nothing_is_none(tmp_path, text):
    atomic_write_text(tmp_path / "manifest.json", text)
    with pytest.raises(CorruptFileError, match="no JSON object"):
        read_manifest(tmp_path / "manifest.json")
    atomic_write_text(tmp_path / "manifest.json", json.dumps({"status": "obtained"}))
    assert read_manifest(tmp_path / "manifest.json") == {"status": "obtained"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2", "is cut off in its last line"),
        (b"a,b\n1,2,3\n", "is damaged"),
        (b"a,b\n\xff\xfe,2\n", "is damaged"),
        (b"", "is empty"),
        (bytes(100), "is cut off in its last line"),
    ],
)
def test_a_damaged_table_is_named(tmp_path, content, message):
    (tmp_path / "fits.csv").write_bytes(content)
    with pytest.raises(ResultsError, match=rf"fits.csv .*{message}|{message}"):
        read_text(tmp_path / "fits.csv", ("a", "b"))


def test_what_is_missing_stays_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_prepared(tmp_path)


def test_rows_are_in_the_log_as_they_are_made_and_in_the_file_once_all_are(tmp_path):
    table, log = tmp_path / "race.csv", tmp_path / "race.log"

    def rows():
        yield "splice", 1234.5678, None
        assert "splice; 1.23e+03; None" in log.read_text() and not table.exists()
        yield "a9a", 0.5, ""

    write_rows(table, log, ("problem", "seconds", "remark"), rows())
    assert table.read_text() == "problem,seconds,remark\nsplice,1.23e+03,\na9a,0.5,\n"
    with pytest.raises(ZeroDivisionError):
        write_rows(tmp_path / "no.csv", log, ("a",), ((1 / k,) for k in (1, 0)))
    assert not (tmp_path / "no.csv").exists()
