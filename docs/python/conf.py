"""Renders the documents of the Python library: sphinx-build -b html docs/python OUT, with libtmap, sphinx and myst-parser
installed."""
import libtmap

project, author, release = "libtmap", "the authors of tmap", libtmap.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "alabaster"
html_show_sourcelink = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": True, "show-inheritance": True}
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]  # ../python.md links to documents that are not rendered here
nitpicky = True  # a reference to a name without documentation is an error
nitpick_ignore_regex = [("py:class", r"(np|numpy)\..*|Array|libtmap\.(_arrays|_native|fixes|properties)\..*")]
