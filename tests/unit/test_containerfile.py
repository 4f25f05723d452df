"""The Containerfile fits the project: what can be known without an engine that builds it."""

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path, PurePosixPath

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Containerfile").read_text()
KNOWN_KEYWORDS = {"FROM", "RUN", "COPY", "ENV", "WORKDIR", "ENTRYPOINT"}


def instructions(text):
    """The instructions as pairs of a keyword and the rest of its line, continued lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(line.split(maxsplit=1)) for line in joined.splitlines()]


def list_arguments(keyword):
    return [arguments for name, arguments in instructions(TEXT) if name == keyword]


def commands():
    """The simple commands of all RUN instructions, as lists of words."""
    return [shlex.split(command) for run in list_arguments("RUN") for command in run.split("&&")]


def pip_installs():
    return [words for words in commands() if words[:4] == ["python", "-m", "pip", "install"]]


def environment():
    return dict(word.split("=", 1) for line in list_arguments("ENV") for word in shlex.split(line))


def list_copied():
    """Source in the project -> where it lies in the image."""
    pairs = [arguments.split() for arguments in list_arguments("COPY")]
    assert all(len(pair) == 2 for pair in pairs)
    return dict(pairs)


def is_left_out(path, patterns):
    """Whether .containerignore leaves a file out; the last pattern that fits it decides."""
    left_out = False
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        if any(part.match(bare) for part in (path, *path.parents) if part.name):
            left_out = pattern == bare
    return left_out


def test_only_instructions_that_this_test_understands():
    assert {name for name, _ in instructions(TEXT)} == KNOWN_KEYWORDS
    assert instructions(TEXT)[0][0] == "FROM"


def test_the_python_is_one_that_the_project_takes():
    (image,) = list_arguments("FROM")
    version = re.fullmatch(r"python:(3\.\d+)-slim", image)[1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert SpecifierSet(project["requires-python"]).contains(version)


def test_what_is_copied_is_there_and_reaches_the_engine():
    lines = (ROOT / ".containerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    assert list_copied()
    for source in list_copied():
        assert (ROOT / source).is_file(), source
        assert not is_left_out(PurePosixPath(source), patterns), source
    for large in ("results/report.html", ".venv/bin/python", "data/a", ".git/config"):
        assert is_left_out(PurePosixPath(large), patterns), large


def test_packages_come_from_the_lock_with_hashes():
    (words,) = pip_installs()
    lock = words[words.index("--requirement") + 1]
    assert list_copied()["envs/requirements.txt"] == lock
    assert "--require-hashes" in words
    other_commands = [command for command in commands() if command not in pip_installs()]
    assert not any("pip" in word for command in other_commands for word in command)


def test_the_same_options_as_make_env():
    """The image is set up by the line of the Makefile, without a cache and compiled: it is read-only."""
    makefile = (ROOT / "Makefile").read_text()
    pip = re.search(r"^PIP := \S+ (.+)$", makefile, re.MULTILINE)[1]
    options = shlex.split(pip) + shlex.split(re.search(r"\$\(PIP\) (--require-hashes \S+ \S+)", makefile)[1])
    (words,) = pip_installs()
    assert set(options[:-1]) - {"--no-compile"} == set(words[1:-1]) - {"--no-cache-dir"}
    assert options[-1] == "envs/requirements.txt"


def test_the_programs_that_the_project_calls_are_installed():
    (words,) = (words for words in commands() if words[:2] == ["apt-get", "install"])
    assert {"git", "libarchive-tools"} <= set(words)
    assert '"git"' in (ROOT / "src/reproduction/core/provenance.py").read_text()
    assert "bsdtar" in (ROOT / "src/reproduction/datasets/download/archives.py").read_text()
    cleans = ["rm", "-rf", "/var/lib/apt/lists/*"]
    assert cleans in commands() and "--no-install-recommends" in words


def test_one_thread_a_job_no_package_of_the_user_and_caches_that_anyone_may_write():
    values = environment()
    assert values["OMP_NUM_THREADS"] == values["OPENBLAS_NUM_THREADS"] == "1"
    assert values["PYTHONNOUSERSITE"] == "1"
    (directories,) = (words for words in commands() if words[0] == "mkdir")
    assert "--mode=1777" in directories
    assert {values["HOME"], values["NUMBA_CACHE_DIR"]} == set(directories[2:])


def test_the_checkout_is_mounted_where_the_image_looks_for_it():
    (folder,) = list_arguments("WORKDIR")
    source = PurePosixPath(environment()["PYTHONPATH"])
    assert (ROOT / source.relative_to(folder) / "toprank/__init__.py").is_file()
    assert ["git", "config", "--system", "--add", "safe.directory", folder] in commands()
    assert f'-v "$PWD":{folder} ' in TEXT


def test_it_starts_the_pipeline():
    (program,) = json.loads(list_arguments("ENTRYPOINT")[0])
    assert re.search(rf"^{program}==", (ROOT / "envs/requirements.txt").read_text(), re.MULTILINE)


@pytest.mark.parametrize("run", list_arguments("RUN"))
def test_the_commands_are_shell(run):
    process = subprocess.run(["sh", "-n", "-c", run], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert "||" not in run and ";" not in run, "a step that fails has to end the build"
