"""The files that a page of docs/ shows: a code block, named by the path in backquotes before it."""

import re


def read_code_blocks(page):
    """Path -> content."""
    text, files = page.read_text(encoding="utf-8"), {}
    for block in re.finditer(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        paragraph = text[: block.start()].rstrip().rpartition("\n\n")[2]
        if paths := re.findall(r"`([\w/.]+\.\w+)`:?$", paragraph):
            files[paths[0]] = block[1]
    return files


def write_files(files, folder):
    """Write these files below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
