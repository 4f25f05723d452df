"""The registry of one's own data sets: what overwrites an entry, and that a replaced file is noticed."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from add_commands import PATIENTS, TABLE, add_dataset, clear_registry, get_refusal
from data_helpers import entry, put

from reproduction.core.atomic_io import lock_folder
from reproduction.core.errors import DataError
from reproduction.datasets import add_dataset as add_dataset_module
from reproduction.datasets import registry
from reproduction.datasets.__main__ import main
from reproduction.datasets.download import fetch
from reproduction.datasets.prepare import prepare

ROOT = Path(__file__).resolve().parents[2]


pytestmark = pytest.mark.usefixtures("empty_registry")


def test_an_entry_is_overwritten_only_if_asked():
    put("t.csv", TABLE)
    add_dataset("t.csv", *PATIENTS)
    assert "add --replace, or --name another" in get_refusal("t.csv", *PATIENTS)
    put("t.csv", TABLE + "e;1;1;ill\n")
    add_dataset("t.csv", *PATIENTS, "--replace")
    assert prepare("t", "data").manifest["rows"] == 5


@pytest.fixture
def another_command(empty_registry, monkeypatch):
    """A process that adds the entry `second` while ours reads its file."""
    put("t.csv", TABLE)
    add_dataset("t.csv", *PATIENTS)
    draft = add_dataset_module.draft_entry

    def draft_beside_another(*arguments):
        datasets = yaml.safe_load(Path("own_data.yaml").read_text())["datasets"]
        put("own_data.yaml", yaml.safe_dump({"datasets": datasets | {"second": datasets["t"]}}))
        return draft(*arguments)

    monkeypatch.setattr(add_dataset_module, "draft_entry", draft_beside_another)


@pytest.mark.usefixtures("another_command")
def test_two_commands_at_once_lose_no_entry():
    add_dataset("t.csv", *PATIENTS, "--name", "first")
    assert set(yaml.safe_load(Path("own_data.yaml").read_text())["datasets"]) == {"t", "first", "second"}


@pytest.mark.usefixtures("another_command")
def test_a_name_that_another_command_took_meanwhile():
    assert "has a data set 'second' already" in get_refusal("t.csv", *PATIENTS, "--name", "second")


def test_a_folder_is_locked_for_one_process_at_a_time(tmp_path):
    lock = f"import fcntl, os; fcntl.flock(os.open({str(tmp_path)!r}, 0), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    command = [sys.executable, "-c", lock]
    with lock_folder(tmp_path):
        assert b"BlockingIOError" in subprocess.run(command, capture_output=True).stderr
    subprocess.run(command, check=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("datasets: [", "is not valid YAML"),
        ("sets: {}", "must have one key, 'datasets'"),
        ("datasets: {wdbc: {}}", "names 'wdbc', which is a data set of the project"),
        ("datasets: {mine: 3}", "The entry of data set 'mine' must be keys with values"),
        ("datasets: {mine: {files: [{name: x}]}}", "The key 'reader' is missing in data set 'mine'"),
    ],
)
def test_a_registry_that_is_none(text, expected):
    put("own_data.yaml", text)
    clear_registry()
    with pytest.raises(DataError, match=re.escape(expected)):
        for name in registry.list_names():
            registry.get(name)


def test_labels_that_yaml_reads_as_numbers():
    label = {"positive": [1], "negative": [0]}
    own = entry(files=[{"path": "p.csv"}], label=label, expected={"features": 2})
    del own["family"]
    put("own_data.yaml", yaml.safe_dump({"datasets": {"mine": own}}))
    clear_registry()
    put("p.csv", "1,2,0\n3,4,1\n")
    assert prepare("mine", "data").y.tolist() == [0, 1]


# --------------------------------------------- a file that is replaced


def record():
    return fetch.fetch("t", "data").record()


def test_a_replaced_file_decides_where_no_checksum_does():
    put("t.csv", TABLE)
    add_dataset("t.csv", *PATIENTS, "--follow")
    first = record()
    assert not fetch.is_replaced(first, "data")
    os.utime("t.csv")  # touched, and no more
    assert not fetch.is_replaced(first, "data")
    put("t.csv", TABLE.replace("2.5", "9.5"))
    assert fetch.is_replaced(first, "data")
    with pytest.raises(DataError, match=r"t.csv of the data set t was replaced during the run: run"):
        fetch.fetch_again(first, "data")
    second = record()
    assert second != first and not fetch.is_replaced(second, "data")
    assert fetch.is_replaced(first, "data"), "another folder of results was made from the first content"
    assert prepare("t", "data").X[0, 1] == 9.5


def test_a_replaced_file_is_refused_where_its_checksum_is_known():
    put("t.csv", TABLE)
    add_dataset("t.csv", *PATIENTS)
    first = record()
    put("t.csv", TABLE.replace("2.5", "9.5"))
    assert fetch.is_replaced(first, "data")
    fetched_again = fetch.fetch("t", "data")
    assert fetched_again.status == "not obtained"
    for part in ("t.csv is not the one that was added", "--replace", "sha256: null", "own_data.yaml"):
        assert part in fetched_again.reason
    put("t.csv", TABLE)
    assert fetch.fetch("t", "data").record() == first


def test_a_file_that_is_gone_is_named():
    put("t.csv", TABLE)
    add_dataset("t.csv", *PATIENTS)
    Path("t.csv").unlink()
    assert "there is no file" in fetch.fetch("t", "data").reason


def test_two_sets_may_have_a_file_of_one_name():
    for folder, text in (("a", TABLE), ("b", TABLE.replace("2.5", "9.5"))):
        put(f"{folder}/t.csv", text)
        add_dataset(f"{folder}/t.csv", *PATIENTS, "--name", folder)
    assert [prepare(name, "data").X[0, 1] for name in "ab"] == [2.5, 9.5]


# --------------------------------------------- the page


def test_the_commands_of_the_page(tmp_path, capsys):
    """The same in one process; tests/pipeline runs the page as it is printed."""
    page = (ROOT / "docs/own_data.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```sh\npython - <<'END'\n(.*?)END\n```", page, re.DOTALL)
    exec(script, {})
    added = re.findall(r"^python -m reproduction.datasets (.*)$", page, re.MULTILINE)
    assert len(added) == 2
    for words in added:
        clear_registry()
        main(shlex.split(words))
    (overlay,) = re.findall(r"```sh\ncat > mine.yaml <<'END'\n(.*?)END\n```", page, re.DOTALL)
    put("mine.yaml", overlay)
    (published,) = re.findall(r"```\n(patients: .*?)```", page, re.DOTALL)
    assert capsys.readouterr().out.startswith(published)
    by_hand = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1])["datasets"]["patients"]
    clear_registry()
    assert registry.get("patients").options == by_hand["options"]
    check_configuration(tmp_path / "mine.yaml")


def check_configuration(overlay):
    from config_validation import register_own_data, validate_config
    from snakemake.utils import update_config

    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    update_config(config, yaml.safe_load(overlay.read_text()))
    register_own_data(config)
    validate_config(config)
