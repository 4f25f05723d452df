"""The pages of the site that are made from records agree with them; so do the formats of the citation."""

import importlib.util
import json
import re
import tomllib

import pytest
import yaml
from config_validation import load_schema
from packaging.requirements import Requirement
from small_project import ROOT

import toprank
from reproduction.papers import PAPERS, paper
from reproduction.reporting.ro_crate import PROFILES, describe_run


@pytest.fixture(scope="module")
def generated():
    """The module that makes pages, which lies beside them."""
    module_spec = importlib.util.spec_from_file_location("generated", ROOT / "docs/generated.py")
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(generated, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    generated.write_all(folder)
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def properties(node):
    """All names below ``properties``, however deep."""
    if isinstance(node, dict):
        yield from node.get("properties", {})
        node = node.values()
    if isinstance(node, type({}.values()) | list):
        for node_type in node:
            yield from properties(node_type)


def test_each_key_of_the_schema_stands_on_the_page_and_no_other(pages):
    listed = re.findall(r"^\| `([^`]+)`", pages["configuration.md"], flags=re.MULTILINE)
    assert {path.split(".")[-1] for path in listed} - {"<name>"} == {*properties(load_schema())}
    unsaid = re.findall(r"^\| `([^`]+)`\S* \| as the key above says", pages["configuration.md"], re.MULTILINE)
    assert all("<name>" in path for path in unsaid), "a key has no description"


def paths(listed, before=""):
    """The keys of a configuration, written with dots."""
    for key, value in listed.items():
        path = f"{before}.{key}" if before else str(key)
        yield path
        if isinstance(value, dict):
            yield from paths(value, path)


@pytest.mark.parametrize("file", ["config.yaml", "config/quick.yaml"])
def test_each_key_that_a_configuration_uses_has_its_row(file, generated):
    listed, config = generated.configuration(), yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))
    for study in config.pop("studies").values():
        rows = [*listed["every"], *listed["papers"][paper(study["paper"]).citation]]
        assert_listed(study, rows)
    assert_listed(config, listed["top"])


def assert_listed(listed, rows):
    patterns = [re.escape(row.path).replace("<name>", r"[^.]+") for row in rows]
    for path in paths(listed):
        assert any(re.fullmatch(pattern, path) for pattern in patterns), path


def test_what_a_value_may_be_is_said(generated):
    kinds = {key.path: key.kind for key in generated.configuration()["top"]}
    assert kinds["missing_data"] == "one of `skip`, `fail`" and kinds["verification.rows"] == "integer ≥ 10"
    assert kinds["verification.alphas"] == "list of number > 0" and kinds["mirror"] == "text or null"


def test_a_paper_has_its_axes(pages):
    for name in PAPERS:
        for axis in paper(name).choices:
            assert axis.place in pages[f"{name}.md"] and f"`{axis.name}`" in pages[f"{name}.md"]
            assert all(f"`{level}`" in pages[f"{name}.md"] for level in axis.options or ())


def test_all_that_is_exported_is_in_the_reference(pages):
    listed = {line.strip(" ~") for line in pages["api.rst"].splitlines()}
    assert {f"toprank.{name}" for name in toprank.__all__} <= listed


def test_a_bar_or_a_bracket_stays_in_its_cell(generated):
    assert generated.in_a_cell("|w| <\nb") == "\\|w\\| &lt; b"


def test_each_page_is_in_a_table_of_contents():
    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    listed = {*" ".join(re.findall(r"```{toctree}\n(.*?)```", text, re.DOTALL)).split()}
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"} <= listed
    assert {f"generated/{name}" for name in PAPERS} <= listed


def test_the_lock_of_the_site_holds_what_its_extra_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {Requirement(requirement).name for requirement in project["optional-dependencies"]["docs"]} - {
        "matplotlib"
    }
    lines = (ROOT / "envs/docs.in").read_text(encoding="utf-8").splitlines()
    assert declared == {line for line in lines if not line.startswith("#")}
    lock = (ROOT / "envs/docs.txt").read_text(encoding="utf-8")
    assert "://" not in lock
    pinned = dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE))
    assert declared <= {*pinned} and lock.count("--hash=sha256:") > len(pinned)
    first = (ROOT / "envs/requirements.txt").read_text(encoding="utf-8")
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", first, re.MULTILINE):
        assert pinned.get(name, version) == version, f"{name} is locked twice"


def test_the_citation_says_the_same_in_every_format():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    zenodo, codemeta = (json.loads((ROOT / name).read_text()) for name in (".zenodo.json", "codemeta.json"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {citation["version"], zenodo["version"], codemeta["version"]} == {toprank.__version__}
    assert f"## [{toprank.__version__}] - {citation['date-released']}" in (ROOT / "CHANGELOG.md").read_text()
    title = f"toprank: {project['description'][0].lower()}{project['description'][1:]}"
    assert citation["title"] == zenodo["title"] == title
    assert (ROOT / "README.md").read_text(encoding="utf-8").startswith(f"# toprank\n\n{title}. ")
    page = (ROOT / "docs/faq.md").read_text(encoding="utf-8")
    year = citation["date-released"][:4]
    (author,) = (author["name"] for author in citation["authors"])
    assert f"> {author} ({year}). *{title}* (version {citation['version']}). MIT licence." in page
    cells = {"title": f"{{{title}}}", "version": f"{{{citation['version']}}}"}
    cells |= {"author": f"{{{{{author}}}}}", "date": f"{{{citation['date-released']}}}"}
    assert all(re.search(rf"^  {name} *= {re.escape(cell)}", page, re.M) for name, cell in cells.items())
    assert citation["abstract"] == zenodo["description"] == codemeta["description"]
    assert citation["keywords"] == zenodo["keywords"] == codemeta["keywords"] == project["keywords"]
    assert codemeta["softwareRequirements"] == [
        Requirement(requirement).name for requirement in project["dependencies"]
    ]
    dois = {paper["doi"] for paper in citation["references"] if "doi" in paper}
    assert {requirement["identifier"] for requirement in zenodo["related_identifiers"]} == dois
    assert {*project["urls"].values()} == {f"https://doi.org/{doi}" for doi in dois}


def test_what_the_catalogue_of_workflows_asks_is_there():
    settings = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))["usage"]
    assert settings["report"] is True and settings["software-stack-deployment"]["conda"] is True
    assert (ROOT / "workflow/Snakefile").is_file() and (ROOT / "config/README.md").is_file()
    # what snakedeploy copies: real files, since a link out of the folder leads nowhere in the copy
    copied = {"README.md", "config.yaml", "quick.yaml"}
    assert {path.name for path in (ROOT / "config").iterdir()} == copied
    assert not [path for path in (ROOT / "config").rglob("*") if path.is_symlink()]
    assert (ROOT / "config.yaml").resolve() == ROOT / "config/config.yaml"
    readme = (ROOT / "README.md").read_text(encoding="utf-8").casefold()
    assert "snakemake" in readme and "workflow" in readme


def test_a_run_is_described_with_each_of_its_files(tmp_path):
    for name in ("Snakefile", "configuration.json", "report.html", "study/fits.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    files = [f"{tmp_path}/report.html", f"{tmp_path}/study/fits.csv"]
    description = {"commit": "abc", "written": "2026-01-02T03:04:05+00:00", "config": {"run": ["quick"]}}
    description |= {
        "cpu": "a processor",
        "platform": "Linux",
        "python": "3.12",
        "versions": {"snakemake": "9"},
    }
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    crate = describe_run(tmp_path, files, description, citation, "2026-01-01T00:00:00+00:00")
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    root, run = entities["./"], entities["#run"]
    paths_in_crate = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
    assert {part["@id"] for part in root["hasPart"]} == {*paths_in_crate}
    assert [identifier["@id"] for identifier in run["result"]] == ["report.html", "study/fits.csv"]
    assert entities["study/fits.csv"]["contentSize"] == "14" and run["instrument"] == root["mainEntity"]
    assert {identifier["@id"] for identifier in root["conformsTo"]} == {*PROFILES}
    named = re.findall(r'"@id": "([^"]+)"', json.dumps(crate["@graph"]))
    elsewhere = {identifier for identifier in named if identifier not in entities}
    assert all(identifier.startswith("https://") for identifier in elsewhere), (
        "an entity is named and not described"
    )
