"""The schema of the configuration: schemas/config.schema.yaml, and the part of each paper.

A paper's part is `schema.yaml` in its folder, with `required` and `properties`. The keys of all studies are
in `$defs/every_study`.
"""

from functools import cache
from pathlib import Path

import yaml

import reproduction.papers
from reproduction.papers import PAPERS

SCHEMA = Path(__file__).with_name("schemas") / "config.schema.yaml"


@cache
def schema() -> dict:
    """Return the whole schema; do not change it, it is cached."""
    whole = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    definitions = whole["$defs"]
    common, study = definitions["every_study"], definitions["study"]
    study["properties"]["paper"]["enum"] = [*PAPERS]
    study["allOf"] = []
    for name in PAPERS:
        file = Path(reproduction.papers.__file__).with_name(name) / "schema.yaml"
        own = yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}
        definitions[name] = {
            "type": "object",
            "additionalProperties": False,
            "required": [*common["required"], *own.get("required", [])],
            "properties": common["properties"] | own.get("properties", {}),
        }
        is_it = {"required": ["paper"], "properties": {"paper": {"const": name}}}
        study["allOf"].append({"if": is_it, "then": {"$ref": f"#/$defs/{name}"}})
    return whole
