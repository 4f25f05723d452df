"""A stand-in for conda, as far as Snakemake asks it: no package is fetched, all else is as with the real one.

It is installed as an executable ``conda`` with the script ``activate`` beside it. An environment that it
makes has all packages of the interpreter that runs the tests, but not the toprank that is installed there; in
its place stands one that cannot be imported. Each script that its Python runs leaves a record.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml

MINIMUM = "24.7.1"  # the oldest conda that Snakemake takes
ACTIVATE = 'export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"\n'
NOT_OURS = 'raise ImportError("a package that is not of this checkout")\n'
# Run at the start of each Python of an environment: what was run, and where our package came from.
RECORDER = """
import atexit, json, os, sys
from pathlib import Path

def record():
    ours = getattr(sys.modules.get("reproduction"), "__file__", None)
    seen = {"argv": sys.argv, "ours": ours, "numba": "numba" in sys.modules}
    Path(sys.prefix, "seen", f"{os.getpid()}.json").write_text(json.dumps(seen))

atexit.register(record)
"""
SPECIFICATION = re.compile(r"[a-z0-9][a-z0-9_.-]*( ?(=|==|>=|<|>|<=)[\w.*]+(,(>=|<|>|<=)[\w.*]+)*)?")
REQUIREMENT = re.compile(r'[A-Za-z0-9_.-]+==[\w.]+(; python_version < "3\.\d+")?')


class Conda:
    """The stand-in, installed in ``folder``."""

    def __init__(self, folder):
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        (self.bin / "activate").write_text(ACTIVATE)
        program = self.bin / "conda"
        ours = f"{shlex.quote(sys.executable)} {shlex.quote(__file__)}"
        program.write_text(f'#!/bin/sh\nexec {ours} "$0" "$@"\n')
        program.chmod(0o755)

    def calls(self):
        """The arguments of each call, in their order."""
        lines = (self.folder / "calls.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def created(self):
        """The prefix of each environment that was created."""
        return [Path(call[-1]) for call in self.calls() if call[:2] == ["env", "create"]]


def scripts_run(prefix):
    """The records that the scripts run in an environment have left: argv, toprank and numba."""
    seen = [json.loads(path.read_text()) for path in (prefix / "seen").iterdir()]
    return [record for record in seen if record["argv"][0].endswith(".py")]


def check(file):
    """Refuse what conda would refuse in an environment file."""
    content = yaml.safe_load(Path(file).read_text())
    unknown = set(content) - {"name", "channels", "dependencies"}
    if unknown:
        sys.exit(f"{file}: conda knows no key {', '.join(sorted(unknown))}")
    for channel in content["channels"]:
        if not re.fullmatch(r"[a-z-]+", channel):
            sys.exit(f"{file}: {channel!r} is no channel")
    names = []
    for entry in content["dependencies"]:
        if isinstance(entry, dict):
            if set(entry) != {"pip"} or "pip" not in names:
                sys.exit(f"{file}: the only section is pip, after the package pip")
            wrong = [line for line in entry["pip"] if not REQUIREMENT.fullmatch(line)]
        else:
            names.append(re.split(r"[ =<>]", entry)[0])
            wrong = [] if SPECIFICATION.fullmatch(entry) else [entry]
        if wrong:
            sys.exit(f"{file}: {wrong[0]!r} names no version of a package")


def create(file, prefix):
    """Make an environment, as said in the docstring of this module."""
    check(file)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)
    (packages,) = Path(prefix, "lib").glob("python*/site-packages")
    # a folder named in a .pth file gives its packages; its own .pth files (editable installs) are not read
    shared = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "shared.pth").write_text("\n".join(shared) + "\n")
    for name in ("toprank", "reproduction"):
        (packages / name).mkdir()
        (packages / name / "__init__.py").write_text(NOT_OURS)
    # not as sitecustomize: Debian's Python has one of its own, which comes first
    (packages / "recorder.py").write_text(RECORDER)
    (packages / "recorder.pth").write_text("import recorder\n")
    Path(prefix, "seen").mkdir()


def main(program, *arguments):
    """Answer one call."""
    base = Path(program).resolve().parents[1]
    with (base / "calls.jsonl").open("a") as file:
        file.write(json.dumps(arguments) + "\n")
    if arguments == ("info", "--json"):
        print(json.dumps({"conda_prefix": str(base), "platform": "linux-64"}))
    elif arguments == ("--version",):
        print(f"conda {MINIMUM}")
    elif arguments == ("config", "--get", "channel_priority", "--json"):
        print(json.dumps({"get": {"channel_priority": "strict"}}))
    elif arguments == ("clean", "-y", "--tarballs"):
        pass  # no package has been fetched
    elif arguments[:2] == ("env", "create"):
        options = dict(zip(arguments[4::2], arguments[5::2], strict=True))
        if arguments[2:4] != ("--quiet", "--no-default-packages") or set(options) != {"--file", "--prefix"}:
            sys.exit(f"the stand-in for conda does not know: env {' '.join(arguments)}")
        create(options["--file"], options["--prefix"])
    else:
        sys.exit(f"the stand-in for conda does not know: {' '.join(arguments)}")


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    main(*sys.argv[1:])
