"""The docstring of each script of a rule says how the rule calls it, and each script belongs to a rule."""

import ast
import re
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).resolve().parents[2] / "workflow"
SCRIPTS = sorted((WORKFLOW / "scripts").glob("*.py"))
#: a field of Snakemake's object, under the names that the scripts give to it
FIELDS = re.compile(r'\b(?:input|inputs|files|params|output)\.([a-z]\w*)\b(?!\()|get_param\("(\w+)"')


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_docstring_names_all_that_the_rule_gives(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstring = ast.get_docstring(tree)
    code = "\n".join(ast.unparse(node).replace("'", '"') for node in tree.body[1:])
    fields = {first or second for first, second in FIELDS.findall(code)}
    unnamed = [name for name in sorted(fields) if not re.search(rf"\b{name}\b", docstring)]
    assert not unnamed, f"the docstring of {path.name} does not say what {', '.join(unnamed)} is"
    assert re.match(r"(Rule|Rules|All method rules)\b", docstring) and docstring.count("\n") > 1


def test_each_script_belongs_to_a_rule():
    rules = "".join(file.read_text(encoding="utf-8") for file in (WORKFLOW / "rules").rglob("*.smk"))
    assert {path.name for path in SCRIPTS} == set(re.findall(r"scripts/(\w+\.py)", rules))
