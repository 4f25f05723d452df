"""What an editor and a type checker see of the library: names, signatures and results."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

import toprank
import toprank.typing

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests/typing/user_script.py"
FAMILIES = ("toprank", "toprank.metrics", "toprank.penalties")
ESTIMATORS = [name for name, home in toprank.EXPORT_MODULES.items() if home.startswith("toprank.estimators.")]


def check_types(script):
    """What mypy says with its strictest rules, and nothing about the files that the script imports."""
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    command += ["--config-file=", f"--cache-dir={ROOT / '.mypy_cache'}", script]
    process = subprocess.run(command, cwd=ROOT / "src", capture_output=True, text=True, timeout=600)
    assert not process.stderr, process.stderr
    return process.stdout.splitlines()


def test_a_user_script_is_checked_against_the_signatures():
    expected_types, revealed_types = {}, {}
    for number, line in enumerate(SCRIPT.read_text(encoding="utf-8").splitlines(), 1):
        if comment := re.search(r"  # (error|type): (.+)$", line):
            expected_types[number] = comment.groups()
    for line in check_types(str(SCRIPT)):
        number, kind, message = re.match(r".*user_script\.py:(\d+): (error|note): (.*)", line).groups()
        if kind == "error":
            revealed_types[int(number)] = ("error", re.search(r"\[([\w-]+)\]$", message)[1])
        elif message.startswith("Revealed type is"):
            revealed_types[int(number)] = ("type", message)
    assert revealed_types.keys() == expected_types.keys()
    for number, (kind, expected_text) in expected_types.items():
        seen_kind, message = revealed_types[number]
        assert seen_kind == kind and expected_text in message, f"line {number}: {message}"
        assert kind == "error" or not re.search(r'"Any"', message), message


@pytest.mark.parametrize("package", FAMILIES)
def test_the_names_for_type_checkers_are_the_lazy_ones(package):
    module = import_module(package)
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    homes = {}
    for node in block.body:
        if isinstance(node, ast.ImportFrom):
            homes |= {alias.asname: (node.module, alias.name) for alias in node.names}
        else:  # an import under another name is exported by an assignment
            homes[node.targets[0].id] = homes.pop(node.value.id)
    lazy = {name: home.partition(":") for name, home in module.EXPORT_MODULES.items()}
    assert homes == {name: (home, own or name) for name, (home, _, own) in lazy.items()}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_names_that_a_signature_offers_are_those_that_the_estimator_takes(name):
    estimator = getattr(toprank, name)
    hints = get_type_hints(estimator.__init__)
    assert hints.keys() - {"return"} == estimator().get_params(deep=False).keys()
    for parameter, names in estimator.CHOICES.items():
        offered = [get_args(part) for part in get_args(hints[parameter]) if get_origin(part) is Literal]
        assert offered == [tuple(names)], parameter
