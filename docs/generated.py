"""The pages of the documentation that are made from records: no sentence has a second home.

The configuration from its schema, how a paper is read from its axes, and
the list of the library's functions from what it exports.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from config_validation import load_schema
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import toprank
from reproduction.papers import PAPERS, paper

DOCS = Path(__file__).resolve().parent
MODULES = ("metrics", "labels", "projections", "certificate", "export", "linear_model")
"""Modules of the library that are public beside what `toprank` itself exports."""


@dataclass(frozen=True)
class Key:
    """A key of the configuration; `path` has ``<name>`` where a user chooses the name."""

    path: str
    described: str
    kind: str
    required: bool


def keys(node: Mapping, definitions: Mapping, path: str = "", required: bool = False) -> Iterator[Key]:
    """List what the schema of an object or of a value describes, outer keys first."""
    node, below = _resolved(node, definitions), ()
    if path:
        yield Key(path, node.get("description", "").strip(), kind(node, definitions), required)
    for part in (node, *(_resolved(one, definitions) for one in node.get("oneOf", ()))):
        for name, one in part.get("properties", {}).items():
            inner = f"{path}.{name}" if path else name
            below = (*below, *keys(one, definitions, inner, name in part.get("required", ())))
        more = part.get("additionalProperties")
        if isinstance(more, Mapping) and path != "studies":
            below = (*below, *keys(more, definitions, f"{path}.<name>"))
    yield from below


def _resolved(node: Mapping, definitions: Mapping) -> dict:
    """Follow references; a description beside one wins."""
    while "$ref" in node:
        where = node["$ref"].removeprefix("#/$defs/").split("/")
        target = definitions
        for name in where:
            target = target[name]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    return dict(node)


def kind(node: Mapping, definitions: Mapping) -> str:
    """Say in a few words which values a node allows."""
    node = _resolved(node, definitions)
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return "one of " + ", ".join(f"`{value}`" for value in node["enum"])
    if several := node.get("oneOf") or node.get("anyOf"):
        return ", or ".join(kind(one, definitions) for one in several)
    types = node.get("type", "object")
    words = [_of_type(one, node, definitions) for one in ([types] if isinstance(types, str) else types)]
    return " or ".join(words)


def _of_type(name: str, node: Mapping, definitions: Mapping) -> str:
    if name == "array":
        return "list of " + kind(node.get("items", {}), definitions)
    if name in ("number", "integer"):
        signs = (("exclusiveMinimum", ">"), ("minimum", "≥"), ("exclusiveMaximum", "<"), ("maximum", "≤"))
        limits = [f"{sign} {node[key]}" for key, sign in signs if key in node]
        return " ".join([name, ", ".join(limits)]).strip()
    return {"object": "mapping", "string": "text", "boolean": "true or false", "null": "null"}[name]


def configuration() -> dict:
    """Return the keys of the whole file, those of every study, and those of each paper's studies."""
    whole = load_schema()
    definitions = whole["$defs"]
    common = definitions["every_study"]["properties"]
    of_papers = {}
    for name in PAPERS:
        properties = definitions[name]["properties"]
        own = {key for key, node in properties.items() if common.get(key) is not node}
        of_papers[paper(name).citation] = [
            key for key in keys(definitions[name], definitions) if key.path.split(".")[0] in own
        ]
    every = keys({"properties": common, "required": definitions["every_study"]["required"]}, definitions)
    return {"top": [*keys(whole, definitions)], "every": [*every], "papers": of_papers}


def exported() -> dict[str, list[str]]:
    """Return the public names of the library, by the module that holds them."""
    groups: dict[str, list[str]] = {}
    for name in toprank.__all__:
        groups.setdefault(toprank.EXPORT_MODULES[name].split(".")[1].partition(":")[0], []).append(
            f"toprank.{name}"
        )
    for module_name in MODULES:
        module = import_module(f"toprank.{module_name}")
        members = {name: getattr(module, name) for name in getattr(module, "__all__", vars(module))}
        own = [
            f"toprank.{module_name}.{name}"
            for name, member in members.items()
            if callable(member)
            and not name.startswith("_")
            and f"{member.__module__}.".startswith(f"{module.__name__}.")  # of the module, or of its folder
        ]
        groups.setdefault(module_name.split(".")[0], []).extend(own)
    return groups


def pages() -> Iterator[tuple[str, str, dict]]:
    """Yield the name of each page, its template, and what fills it."""
    yield "configuration.md", "configuration.md.j2", configuration()
    yield "api.rst", "api.rst.j2", {"groups": exported()}
    for name in PAPERS:
        yield f"{name}.md", "reading.md.j2", {"paper": paper(name)}


def in_a_cell(text: str) -> str:
    """Write a text so that it stays in its cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def write_all(folder: Path) -> None:
    """Write the pages; one that is as it was keeps its time stamp."""
    loader = FileSystemLoader(DOCS / "templates")
    templates = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    templates.filters["cell"] = in_a_cell
    folder.mkdir(exist_ok=True)
    for name, template, facts in pages():
        text, file = templates.get_template(template).render(facts), folder / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
