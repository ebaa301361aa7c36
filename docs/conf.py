"""Renders the documents: sh tools/docs.sh. With libtmap installed they have the reference of the Python package, too."""
import importlib.util

project, author, root_doc = "tmap", "the authors of tmap", "README"
extensions = ["myst_parser"]
html_theme, html_title, html_show_sourcelink = "furo", "tmap", False
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]
exclude_patterns = []

if importlib.util.find_spec("libtmap"):
    extensions.append("sphinx.ext.autodoc")
    autodoc_member_order = "bysource"
    autodoc_typehints = "signature"
    autodoc_default_options = {"members": True, "undoc-members": True, "show-inheritance": True}
    nitpicky = True  # a reference to a name without documentation is an error
    nitpick_ignore_regex = [("py:class", r"(np|numpy|os)\..*|Array|Maps|libtmap\.(_arrays|_native|fixes|pictures|properties)\..*")]
else:
    exclude_patterns.append("docs/python_reference.rst")
    suppress_warnings.append("toc.excluded")
