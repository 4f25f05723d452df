"""Sphinx: the pages of this folder, the examples as a gallery, and pages made from records."""

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "workflow/lib"), str(DOCS.parent / "src")]

import generated  # noqa: E402

import toprank  # noqa: E402

project, author, copyright = "toprank", "The toprank developers", "The toprank developers, MIT licence"
version = release = toprank.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "site_extension",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "templates"]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
#: Methods of every model or penalty, or for the solvers alone, which the page of a class leaves out.
HIDDEN_METHODS = (
    "__init__ C_min check get_metadata_routing get_params set_fit_request set_score_request adapt_to"
    " directional_derivative dual_norm groups_of relative_violation restrict_to scaled_dual slope_size"
    " violation with_weights"
)
autosummary_context = {"hidden_methods": HIDDEN_METHODS.split()}
autodoc_typehints = "none"
numpydoc_show_class_members = False  # the template of a class lists its own
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "copyfile_regex": r"^$",
    "reset_modules": ("matplotlib",),
    "capture_repr": (),  # what a program prints, not what its last line returns
    "show_memory": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
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
