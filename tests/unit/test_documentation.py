"""What the documentation shows, runs: the pages of docs/ and the examples of the docstrings."""

import csv
import doctest
import io
import re
import warnings
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

import pytest
from documented_pages import read_prose
from sklearn.exceptions import ConvergenceWarning
from snakemake.cli import get_argument_parser

import toprank
from reproduction.comparison.verdicts import NON_RESULT_VERDICTS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [path for path in sorted((ROOT / "docs").glob("*.md")) if ">>> " in path.read_text(encoding="utf-8")]
SOURCE = ROOT / "src"
MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_blocks_of_a_page(page):
    failed, attempted = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert attempted > 0 and failed == 0


@pytest.mark.parametrize("path", MODULES, ids=[path.stem for path in MODULES])
def test_the_examples_of_a_module(path):
    module = import_module(".".join(path.relative_to(SOURCE).with_suffix("").parts))
    with warnings.catch_warnings():  # a method's own published rule is no certificate, and a fit says so
        warnings.simplefilter("ignore", ConvergenceWarning)
        failed, attempted = doctest.testmod(module)
    assert attempted > 0 and failed == 0


def public():
    """Yield the name and the documented object of all that a user of the library is meant to call."""
    yield from ((name, getattr(toprank, name)) for name in toprank.__all__)
    for module_name in ("metrics", "labels", "projections", "certificate", "export", "linear_model"):
        module = import_module(f"toprank.{module_name}")
        members = {name: getattr(module, name) for name in getattr(module, "__all__", vars(module))}
        for name, member in members.items():
            home = f"{getattr(member, '__module__', None)}."  # the module, or a part of its folder
            if home.startswith(f"{module.__name__}.") and not name.startswith("_") and callable(member):
                yield name, member


@pytest.mark.parametrize(("name", "documented"), dict(public()).items(), ids=list(dict(public())))
def test_all_that_is_public_has_an_example(name, documented):
    _, _, examples = documented.__doc__.partition("    Examples\n    --------\n")
    assert ">>> " in examples, f"{name} has no example"


def test_the_results_count_the_published_numbers_as_the_snapshot_does():
    with (ROOT / "reports/snapshot/coverage.csv").open(encoding="utf-8") as file:
        totals = [row for row in csv.DictReader(file) if row["artefact"] == "all" and row["study"] != "all"]
    totals = [row for row in totals if row.get("kind", "result") == "result"]  # an older one has no kinds
    other_columns = {"study", "artefact", "quantity", "kind", "published_cells", *NON_RESULT_VERDICTS}
    page, rows = read_prose("docs/results.md"), 0
    for row in totals:
        numbers = [number for name, number in row.items() if name not in other_columns]
        year = re.search(r"\d+", row["study"]).group()
        assert f"{year} | {' | '.join(numbers)} |" in page
        rows += 1
    assert rows == 3


def test_the_readme_is_short_and_its_snippet_prints_what_stands_below_it():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 100
    code, published = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", readme, flags=re.DOTALL).groups()
    with redirect_stdout(io.StringIO()) as output:
        exec(code, {})
    assert output.getvalue() == published
    assert " ".join(published.split()) in read_prose("README.md")


def test_links_to_files_lead_to_files():
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            is_generated = link.startswith(
                ("generated/", "gallery/")
            )  # by `make docs`, which lets no dead link pass
            assert is_generated or (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_options_of_the_page_on_clusters_are_snakemakes():
    page = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
    ours = "slurm|conda|sdm|set|profile|config|cores|unlock|list-conda|rerun"
    named = set(re.findall(rf"(?<!\w)--(?:{ours})[\w-]*", page))
    options = set(re.findall(r"--[a-z][\w-]+", get_argument_parser().format_help()))
    assert len(named) > 10 and named <= options | {"--slurm-"}, named - options
