"""What the site needs beyond Sphinx and its theme: outward links, formulas, search from disk, named parts."""

import html
import json
import re
import shutil
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx import addnodes

DOCS = Path(__file__).resolve().parent

#: What a page names outside of this folder -> where a reader of the site finds it.
ELSEWHERE = (
    (r"\(\.\./CONTRIBUTING\.md\)", "(contributing.md)"),
    (r"\((?:\.\./)?ARCHITECTURE\.md\)", "(architecture.md)"),
    (r"\((?:\.\./)?examples\)", "(gallery/index.rst)"),
    (r"\[([^]]+)\]\((?:\.\./)?reports/snapshot(?:/report/[\w.]+)?\)", r'<a href="report/index.html">\1</a>'),
)

#: What the theme and docutils leave without a name, or with a role that is out of use -> with one.
ACCESSIBLE = (
    (r'<summary>(?=<span class="toctree-toggle")', '<summary aria-label="Pages below this one">'),
    (r'role="doc-biblioentry"', 'role="listitem"'),
    # the text of a link under a thumbnail is not displayed
    (
        r'<a class="reference internal" (href="[^"]*")(?=><span class="doc">([^<]*)</span></a></p>)',
        r'<a class="reference internal" \1 aria-label="\2"',
    ),
)


def lead_elsewhere(app, name, source):
    """Let links out of this folder lead to pages of the site."""
    for old, new in ELSEWHERE:
        source[0] = re.sub(old, new, source[0])


def drop_mail_links(app, doctree):
    """Write Pos@Top and NDCG@10 as words: docutils takes them for addresses."""
    for link in [*doctree.findall(nodes.reference)]:
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def set_formula(translator, node):
    """Write a formula as MathML, which browsers set themselves: nothing is loaded from elsewhere."""
    # docutils sets an index below a tilde, but beside a tilde with something empty
    text = re.sub(r"\\tilde (\w)", r"{\\tilde \1{}}", node.astext())
    is_block = node.tagname == "math_block"
    formula = tex2mathml(text, as_block=is_block).replace("<mo>‖", '<mo stretchy="false">‖')
    translator.body.append(f'<div class="formula" tabindex="0">{formula}</div>' if is_block else formula)
    raise nodes.SkipNode


def write_searchable(node):
    """Write a document as HTML of nothing but its words and the sections that a search leads to."""
    if isinstance(node, nodes.Text):
        return html.escape(node.astext())
    if isinstance(node, nodes.raw) or type(node) is nodes.comment:
        return ""
    inner = "".join(map(write_searchable, node.children))
    if isinstance(node, addnodes.desc_parameter):
        inner += ", "
    if isinstance(node, nodes.section):
        for name in node["ids"]:
            inner = f'<div id="{html.escape(name)}">{inner}</div>'
    return inner if isinstance(node, nodes.Inline) else f"{inner} "


def write_search_texts(app):
    """Put the words of all pages in a script: from disk, a browser lets no page fetch another."""
    texts = {
        name: write_searchable(app.env.get_and_resolve_doctree(name, app.builder))
        for name in sorted(app.env.all_docs)
    }
    script = f"const SEARCH_TEXTS = {json.dumps(texts, ensure_ascii=False)};"
    Path(app.outdir, "_static/search_texts.js").write_text(script, encoding="utf-8")


def add_disk_search(app, page, template, context, doctree):
    """Let the page of the search take its passages from that script."""
    if page == "search":
        app.add_js_file("disk_search.js")


def make_accessible(app):
    """Give all parts of the pages names and roles in use."""
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for old, new in ACCESSIBLE:
            text = re.sub(old, new, text)
        page.write_text(text, encoding="utf-8")


def finish(app, error):
    """Put the report of the snapshot beside the pages, and the script of the search."""
    if not error and app.builder.format == "html":
        make_accessible(app)
        shutil.copytree(
            DOCS.parent / "reports/snapshot/report", Path(app.outdir, "report"), dirs_exist_ok=True
        )
        write_search_texts(app)


def setup(app):
    """Add all of this."""
    app.connect("source-read", lead_elsewhere)
    app.connect("doctree-read", drop_mail_links)
    app.connect("html-page-context", add_disk_search)
    app.connect("build-finished", finish)
    app.add_html_math_renderer("mathml", (set_formula, None), (set_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
