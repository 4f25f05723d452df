"""Sphinx: the pages of this folder, the examples as a gallery, and pages made from records."""

import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "workflow/lib"), str(DOCS.parent / "src")]

import generated  # noqa: E402
from docutils.nodes import SkipNode  # noqa: E402
from docutils.utils.math.latex2mathml import tex2mathml  # noqa: E402

import toprank  # noqa: E402

project, author, copyright = "toprank", "The toprank developers", "The toprank developers, MIT licence"
version = release = toprank.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "templates"]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False  # the template of a class lists its own
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "copyfile_regex": r"^$",
    "reset_modules": ("matplotlib",),
    "show_memory": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"
html_title = f"toprank {release}"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}

generated.write_all(DOCS / "generated")  # before Sphinx looks for pages

#: What a page names outside of this folder -> where a reader of the site finds it.
ELSEWHERE = (
    (r"\(\.\./CONTRIBUTING\.md\)", "(contributing.md)"),
    (r"\((?:\.\./)?ARCHITECTURE\.md\)", "(architecture.md)"),
    (r"\((?:\.\./)?examples\)", "(gallery/index.rst)"),
    (r"\[([^]]+)\]\((?:\.\./)?reports/snapshot(?:/report/[\w.]+)?\)", r'<a href="report/index.html">\1</a>'),
)


def lead_elsewhere(app, name, source):
    """Let links out of this folder lead to pages of the site."""
    for old, new in ELSEWHERE:
        source[0] = re.sub(old, new, source[0])


def copy_report(app, error):
    """Put the report of the snapshot beside the pages."""
    if not error and app.builder.format == "html":
        shutil.copytree(
            DOCS.parent / "reports/snapshot/report", Path(app.outdir, "report"), dirs_exist_ok=True
        )


def set_formula(translator, node):
    """Write a formula as MathML, which browsers set themselves: nothing is loaded from elsewhere."""
    text = re.sub(r"\\tilde (\w)", r"{\\tilde \1}", node.astext())  # or an index would stand below the tilde
    translator.body.append(tex2mathml(text, as_block=node.tagname == "math_block"))
    raise SkipNode


def setup(app):
    """Add what Sphinx does not bring."""
    app.connect("source-read", lead_elsewhere)
    app.connect("build-finished", copy_report)
    app.add_html_math_renderer("mathml", (set_formula, None), (set_formula, None))
