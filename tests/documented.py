"""The files that a page of docs/ shows: a code block, named by the path in backquotes before it."""

import re


def shown(page):
    """Path -> content."""
    text, found = page.read_text(encoding="utf-8"), {}
    for block in re.finditer(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        paragraph = text[: block.start()].rstrip().rpartition("\n\n")[2]
        if named := re.findall(r"`([\w/.]+\.\w+)`:?$", paragraph):
            found[named[0]] = block[1]
    return found


def write(files, folder):
    """Write these files below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
