"""Wrong changes of the project, one at a time in a copy, each of which its named test has to catch.

``python tests/mutants.py`` tries all below ``mutants_of``, ``--sample 10`` as many of them, others for each
commit, and ``python tests/mutants.py admm-stop gap-sign`` those of these names.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
COPIED_PATHS = (
    "src",
    "tests",
    "Snakefile",
    "workflow",
    "profiles",
    "config",
    "config.yaml",
    "pyproject.toml",
    "docs",
    "reports",
    "envs",
)
EXIT_TESTS_FAILED = (
    1  # what pytest ends with where a test fails: an error of an import, say, is another number
)


def mutants():
    """Name -> a wrong change: the file, the old text, the new one, and the test that must fail."""
    return {
        name: mutant | {"file": file, "test": f"tests/unit/{mutant['test']}"}
        for path in sorted((ROOT / "tests/mutants_of").glob("*.yaml"))
        for file, of_file in yaml.safe_load(path.read_text(encoding="utf-8")).items()
        for name, mutant in of_file.items()
    }


def apply_mutant(mutant, folder=ROOT):
    """Return the text of a mutant's file with the change; the old text must stand there once."""
    text = (folder / mutant["file"]).read_text(encoding="utf-8")
    if (count := text.count(mutant["old"])) != 1:
        raise ValueError(f"{mutant['file']} holds {mutant['old']!r} {count} times, not once")
    return text.replace(mutant["old"], mutant["new"])


def copy_project(folder):
    """Copy what the tests need, with the kernels that are compiled."""
    for name in COPIED_PATHS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        elif (ROOT / name).exists():
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)


@contextmanager
def write_mutant(mutant, folder):
    """Make the change in a copy, and take it back."""
    path, text = folder / mutant["file"], apply_mutant(mutant, folder)
    right, stamps = path.read_bytes(), path.stat()
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_bytes(right)
        os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))


def warm_up():
    """Import what most tests import and is not ours, so that a child finds it there."""
    import hypothesis  # noqa: F401
    import numba  # noqa: F401
    import pandas  # noqa: F401
    import pytest  # noqa: F401
    import scipy.stats  # noqa: F401
    import sklearn.linear_model  # noqa: F401


def run(tests, folder, log):
    """Run tests of a copy in a child of this process; return what pytest ended with."""
    sys.stdout.flush()
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 70
    try:
        with open(log, "w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.chdir(folder)
        sys.dont_write_bytecode = True
        # an environment may lie in the project, too: it stays
        ours = {str(ROOT / name) for name in ("src", "tests", "workflow/lib")}
        sys.path[:] = [str(folder / "src"), *(path for path in sys.path if path not in ours)]
        os.environ |= {"PYTHONPATH": str(folder / "src"), "HYPOTHESIS_PROFILE": "first"}
        import pytest

        status = int(pytest.main(["--exitfirst", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]))
    finally:
        os._exit(status)


def select_mutants(mutants_by_name, names, sample):
    """Return the mutants of these names, or a sample that another commit draws anew, or all."""
    if unknown := sorted(set(names) - mutants_by_name.keys()):
        raise SystemExit(f"There is no mutant {unknown[0]!r}; mutants_of names {', '.join(mutants_by_name)}.")
    if names or not sample:
        return {name: mutants_by_name[name] for name in names or mutants_by_name}
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    names_in_sample = random.Random(commit or time.time()).sample(
        sorted(mutants_by_name), min(sample, len(mutants_by_name))
    )
    return {name: mutants_by_name[name] for name in names_in_sample}


def survivors(tried, folder):
    """Yield name, seconds and whether its test caught it, of each mutant; the log tells what pytest said."""
    log = folder / "log.txt"
    tests = sorted({mutant["test"] for mutant in tried.values()})
    if run(tests, folder, log):
        raise SystemExit(f"Without any change the catchers do not pass:\n{log.read_text()}")
    for name, mutant in tried.items():
        began = time.perf_counter()
        with write_mutant(mutant, folder):
            status = run([mutant["test"]], folder, log)
        yield name, time.perf_counter() - began, status == EXIT_TESTS_FAILED


def main():
    """Say of each mutant whether it was caught; end with 1 if one was not."""
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("names", nargs="*")
    reader.add_argument("--sample", type=int, metavar="N")
    options = reader.parse_args()
    selected, counts = select_mutants(mutants(), options.names, options.sample), Counter()
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        copy_project(Path(folder))
        for name, seconds, caught in survivors(selected, Path(folder)):
            counts[caught] += 1
            outcome = (
                f"caught by {selected[name]['test']}" if caught else f"SURVIVED {selected[name]['test']}"
            )
            print(f"{name} ({seconds:.1f} s): {outcome}", flush=True)
            if not caught:
                print(Path(folder, "log.txt").read_text())
    print(f"{counts[True]} of {len(selected)} wrong changes were caught.")
    sys.exit(counts[False] > 0)


if __name__ == "__main__":
    main()
