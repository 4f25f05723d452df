"""Names that say nothing: bare participles, prepositions, pronouns and adjectives.

As a script, ``python tests/unit/test_names.py [CLONE [FOLDER ...]]`` prints all places and their counts.
"""

import ast
import re
import sys
from collections import Counter
from pathlib import Path
from textwrap import dedent

FOLDERS = ("src", "workflow", "tests", "examples")
"""Folders in which every name says what it holds."""

PRONOUNS = """
    it its they them their those these that this what which who whose such one ones other others both
    same
"""
QUANTIFIERS = """
    all any each every few many most some none nothing something everything anything rest half twice
    whole
"""
PREPOSITIONS = """
    about above across after again against along among apart around as at away before behind below
    beneath beside besides between beyond by down during for from here in inside into near of off on
    onto out outside over since there through to toward towards under until up upon via with within
    without
"""
PARTICIPLES = """
    added agreed aligned allowed answered applied ascribed asked attached averaged bought bound broken
    brought built called caught changed checked chosen claimed cleaned closed collected compared
    compiled computed copied counted covered cut damaged dealt derived described done downloaded drawn
    dropped edited ended expected explained failed filled filtered finished fitted fixed forgotten
    formed formatted found gathered given gone got grouped grown handled heard held hidden imported
    joined judged kept known labelled laid leading left limited linked listed loaded looked lost made
    mapped marked matched meant measured merged met missed mixed moved named needed noted obtained
    offered opened ordered packed paid paired parsed passed patched picked placed planted plotted
    postponed prepared pressed published promised proved proven published put ran ranked raised reached
    read received recorded refused related removed renamed rendered repeated replaced reported required
    restored retried returned rounded run said saved scaled scored seen selected sent served set settled
    shared shifted shortened shown simulated skipped solved sorted split spelled stacked started stated
    stopped stored stripped studied summed swapped taken taught tested thinned thought told took tried
    turned typed understood unpacked used varied wanted warned weighted wished worded worked wrapped
    written
"""
ADJECTIVES = """
    able alike bad better big bold brief clean clear close dark dirty double dull early easy empty
    enough equal even exact extra false far fast fine first flat foreign free full good great hard heavy
    high huge large last late less light little local long loose low mild more much narrow new next nice
    noisy odd old only open own part past plain poor quick rare real rich right rough safe second sharp
    short silent single slow small smaller soft solid sole sound steep still strange strict strong thick
    thin third tight tiny true weak wide wild wrong young
"""
NUMBERS = "zero two three four five six seven eight nine ten twelve hundred thousand once thrice"
TELLING = "asked done drawn found given got kept known left made meant said seen shown taken told wanted"
#: Words that are nouns or verbs of computing as well: a function `read` or `split` is no misnomer.
VERBS = "bound clean clear close cut fit free open put read run set shared sort sound split still"
OPENERS = """
    about above among at below beside beyond by how in not of once said what where who why
"""


#: A function, what a rule runs, or an assignment.
BLOCK_OF_PYTHON = re.compile(r"^( *)(?:def |run:\n)(?:.*\n)(?:(?:\1 +.*)?\n)*|^[A-Za-z_]\w* = .*\n", re.M)


def words(*texts):
    """Return the words of the texts."""
    return set(" ".join(texts).split())


DESCRIPTIONS = words(PRONOUNS, QUANTIFIERS, PREPOSITIONS, PARTICIPLES, ADJECTIVES, NUMBERS)
WORDS = {
    "variable": words(PRONOUNS, QUANTIFIERS, PREPOSITIONS, TELLING),
    "function": DESCRIPTIONS - words(VERBS),
    "constant": DESCRIPTIONS,
}
#: First words that make a phrase of a longer name: `of_the_run`, `ONE_ORDER`.
FIRST_WORDS = {
    "variable": set(),
    "function": words(OPENERS),
    "constant": words(OPENERS, "half one some twice"),
}
#: (kind, name) -> why it stays.
ACCEPTED = {
    ("variable", "out"): "the array that a kernel fills, as in NumPy",
    ("variable", "other"): "the second operand, as in Python's data model",
    ("variable", "before"): "a value before a change, beside `after`",
    ("variable", "after"): "a value after a change, beside `before`",
    ("variable", "by"): "an option's name in pandas (`sort_values(by=...)`)",
}


def sources(root, folders=FOLDERS):
    """Yield (path, first line, tree) of Python files, and of what is Python in Snakefiles."""
    for folder in folders:
        for path in sorted([*(root / folder).rglob("*.py"), *(root / folder).rglob("*.smk")]):
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".py":
                yield path.relative_to(root), 0, ast.parse(text)
                continue
            for block in BLOCK_OF_PYTHON.finditer(text):
                code = re.sub(r"^run:\n", "if 1:\n", dedent(block[0]))
                try:
                    yield path.relative_to(root), text.count("\n", 0, block.start()), ast.parse(code)
                except SyntaxError:
                    continue  # a directive's value that is no Python of its own


def names_of(tree):
    """Yield (kind, name, line) of each definition and assignment."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield "function", node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield "variable", node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield ("constant" if node.id.isupper() else "variable"), node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield "variable", node.attr, node.lineno


def is_misnomer(kind, name):
    """Whether a name is one of the words, or opens as a phrase."""
    bare = name.strip("_").lower() if not name.endswith("__") else ""  # __all__ is Python's
    first, _, remainder = bare.partition("_")
    return bare in WORDS[kind] or (bool(remainder) and first in FIRST_WORDS[kind])


def misnomers(root, folders=FOLDERS):
    """Return (folder, kind, name, place) of each misnomer."""
    rows = []
    for path, shift, tree in sources(root, folders):
        names = list(dict.fromkeys(names_of(tree)))
        every_name = {name for _, name, _ in names}
        for kind, name, line in names:
            if not is_misnomer(kind, name) or (kind, name.strip("_").lower()) in ACCEPTED:
                continue
            if name == "left" and "right" in every_name:  # the sides of an interval or a figure
                continue
            folder = next(folder for folder in folders if path.is_relative_to(folder))
            rows.append((folder, kind, name, f"{path}:{line + shift}"))
    return rows


def test_each_name_says_what_it_holds():
    """No bare participle, preposition, pronoun or adjective names anything."""
    rows = misnomers(Path(__file__).resolve().parents[2])
    assert not rows, "\n".join(f"{place} {kind} {name}" for _, kind, name, place in rows)


def test_the_words_are_caught():
    """The rule sees what it is for."""
    tree = ast.parse("NEAR = 1\nONE_ORDER = 2\ndef made(found): said = found\ndef of_run(): pass\nrows = 1")
    caught = {name for kind, name, _ in names_of(tree) if is_misnomer(kind, name)}
    assert caught == {"NEAR", "ONE_ORDER", "made", "found", "said", "of_run"}


if __name__ == "__main__":
    clone = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    folders = tuple(folder.rstrip("/") for folder in sys.argv[2:]) or FOLDERS
    table = misnomers(clone, folders)
    for _, kind, name, place in sorted(table, key=lambda row: (row[0], row[1], row[2], row[3])):
        print(f"{place}: {kind} {name}")
    counts = Counter((folder, kind) for folder, kind, _, _ in table)
    for (folder, kind), count in sorted(counts.items()):
        print(f"{folder:20} {kind:9} {count:5}")
    print(f"{'all':20} {'':9} {len(table):5}")
